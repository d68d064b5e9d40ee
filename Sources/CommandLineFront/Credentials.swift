/// A name and a password, asked for or given; kept nowhere.
struct Credentials {
  var user: String
  var password: String

  /// Takes the name from the command line and the password from where a secret may stand, and asks
  /// for what is missing where somebody is there to answer.
  ///
  /// - Parameters:
  ///   - context: the command.
  ///   - repeats: whether a password that is typed is to be typed twice.
  /// - Returns: both, neither empty.
  /// - Throws: `Diagnostic` where something is missing and nobody is there.
  static func ask(_ context: CommandContext, repeats: Bool) async throws(Diagnostic) -> Credentials
  {
    let user = try await name(context)
    return Credentials(user: user, password: try await password(context, repeats: repeats))
  }

  private static func name(_ context: CommandContext) async throws(Diagnostic) -> String {
    if let name = context.invocation.operands.first { return try checked(name, "the name") }
    guard context.console.canAsk, !context.invocation.has(.passwordStdin) else {
      let command = context.invocation.command.rawValue
      throw .usage("\(command) needs a name", hint: "usage: blastoise \(command) USER")
    }
    return try checked(await context.console.ask("user: "), "the name")
  }

  private static func password(
    _ context: CommandContext, repeats: Bool
  ) async throws(Diagnostic) -> String {
    if context.invocation.has(.passwordStdin) {
      // At a terminal nobody needs to see it either.
      let isTyped = context.console.canAsk
      return try checked(
        isTyped ? await hidden("password: ", context.console) : await line(), "the password")
    }
    if let given = context.environment["BLASTOISE_PASSWORD"], !given.isEmpty { return given }
    guard context.console.canAsk else {
      throw Diagnostic(
        .usage, "nobody is there to type the password",
        hint: "--password-stdin reads it from standard input, or set BLASTOISE_PASSWORD")
    }
    let first = try checked(await hidden("password: ", context.console), "the password")
    if repeats, await hidden("again: ", context.console) != first {
      throw .usage("the two passwords differ")
    }
    return first
  }

  private static func hidden(_ prompt: String, _ console: Console) async -> String? {
    TerminalEcho.hide()
    defer { TerminalEcho.restore() }
    console.prompt(prompt)
    // After Ctrl-Z and `fg` the shell has made the terminal show what is typed.
    let watch = TerminalWatch { if TerminalEcho.hideAgain() { console.prompt(prompt) } }
    defer { withExtendedLifetime(watch) {} }
    let text = await line()
    console.prompt("\n")
    return text
  }

  private static func line() async -> String? {
    for await line in LineReader.lines(limit: 1) { return line }
    return nil
  }

  private static func checked(_ text: String?, _ what: String) throws(Diagnostic) -> String {
    guard let text, !text.isEmpty else { throw .usage("\(what) is empty") }
    return text
  }
}
