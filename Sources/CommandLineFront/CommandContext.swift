import RoomClient
import RoomProtocol

/// What a command has at hand.
struct CommandContext: Sendable {
  /// The command line, with what environment and configuration add to it.
  var invocation: Invocation
  /// Where it writes.
  var console: Console
  /// The environment's variables.
  var environment: [String: String]
  /// What is set, and where.
  let settings: Settings
  /// Who is told of Ctrl-C before the program ends for it.
  var interrupts = Interrupts()
  /// A connection to the listener that a question has left idle.
  let idleClient = IdleClient()
  /// The session of the listener at whose prompt the command was typed; nil in a shell.
  var promptSession: ServerSession?

  /// Reads the configuration and completes the command line by it.
  ///
  /// - Throws: `Diagnostic` of the code `config` where the file can't be used.
  init(
    invocation: Invocation, console: Console, environment: [String: String]
  ) throws(Diagnostic) {
    settings = Settings(invocation, environment: environment)
    self.console = console
    self.environment = environment
    let command = invocation.command
    if let problem = settings.problem, !command.mendsConfiguration { throw problem }
    // What shows or changes the settings does not act by them.
    let acts = command.words[0] != "config"
    self.invocation = acts ? try settings.completing(invocation) : invocation
  }

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
