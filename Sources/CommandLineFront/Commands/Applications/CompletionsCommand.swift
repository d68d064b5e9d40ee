import RoomProtocol

/// `completions`: a script for a shell.
enum CompletionsCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let shell = context.invocation.operands.first ?? ""
    guard let script = CompletionScripts.script(for: shell) else {
      throw Diagnostic.usage(
        "there are no completions for \"\(Printable.escaped(shell))\"",
        hint: "there are for \(CompletionScripts.shells.joined(separator: ", "))")
    }
    context.present(script, json: ["shell": .text(shell), "script": .text(script)])
    return .done
  }
}
