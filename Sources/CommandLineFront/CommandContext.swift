/// What a command has at hand.
struct CommandContext: Sendable {
  /// The command line.
  var invocation: Invocation
  /// Where it writes.
  var console: Console
  /// The environment's variables.
  var environment: [String: String]

  /// Whether programs read the results.
  var isJSON: Bool { invocation.has(.json) }

  /// Prints the result: text for people, or JSON for programs.
  func present(_ text: @autoclosure () -> String, json: @autoclosure () -> JSONValue) {
    if isJSON { console.print(json()) } else { console.print(text()) }
  }

  /// Says what an edit has done: a line that `-q` leaves out, or JSON for programs.
  func confirm(_ text: @autoclosure () -> String, json: @autoclosure () -> JSONValue) {
    if isJSON { console.print(json()) } else if !invocation.has(.quiet) { console.print(text()) }
  }
}
