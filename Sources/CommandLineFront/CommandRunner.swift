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
    case .play: return try await PlayCommand.run(context)
    case .pause: return try await PauseCommand.run(context)
    case .seek: return try await SeekCommand.run(context)
    case .next: return try await JumpCommand.run(context, step: 1)
    case .prev: return try await JumpCommand.run(context, step: -1)
    case .jump: return try await JumpCommand.run(context)
    case .mode: return try await ModeCommand.run(context)
    case .server: return try await ServerCommand.run(context)
    case .login: return try await SignInCommand.run(context, makesAccount: false)
    case .signup: return try await SignInCommand.run(context, makesAccount: true)
    case .logout: return try await LogoutCommand.run(context)
    case .whoami: return try await WhoAmICommand.run(context)
    case .channelList: return try await ChannelListCommand.run(context)
    case .queueList: return try await QueueListCommand.run(context)
    case .queueAdd: return try await QueueAddCommand.run(context)
    case .queueRemove: return try await QueueRemoveCommand.run(context)
    }
  }
}
