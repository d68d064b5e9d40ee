import Caching

/// `listen`: joins a room and plays it, in sync, until it is told to end.
enum ListenCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let options = try ListenOptions(
      context.invocation, cacheFolder: TrackCache.defaultFolder(environment: context.environment))
    let server = try await context.connect()
    return try await ListenerRun(context: context, options: options).run(on: server)
  }
}
