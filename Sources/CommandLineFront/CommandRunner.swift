/// Which code does which command: one file a command, in Commands.
enum CommandRunner {
  /// Does a command.
  ///
  /// - Throws: whatever `Diagnostic(describing:)` can put into words.
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    switch context.invocation.command {
    case .demo: return try await DemoCommand.run(context)
    case .serve: return try await ServeCommand.run(context)
    case .listen: return try await ListenCommand.run(context)
    case .devices: return try await DevicesCommand.run(context)
    case .play, .pause, .seek, .next, .prev, .jump, .mode,
      .server, .login, .signup, .logout, .whoami, .channelList, .queueList, .queueAdd,
      .queueRemove:
      throw Diagnostic(
        .system, "\(context.invocation.command.rawValue) is not in this build yet")
    }
  }
}
