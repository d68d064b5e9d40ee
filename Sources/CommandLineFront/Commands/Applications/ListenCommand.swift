import Caching
import Listening
import RoomClient

/// `listen`: joins a room and plays it, in sync, until it is told to end.
enum ListenCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    try await run(context, at: context.serverAddress)
  }

  /// Listens in the foreground.
  ///
  /// - Parameters:
  ///   - context: the command.
  ///   - address: the server.
  ///   - change: changes what is listened to.
  /// - Returns: how the program ends.
  /// - Throws: `ListeningEnd`, `Diagnostic`.
  static func run(
    _ context: CommandContext, at address: ServerAddress,
    _ change: (inout ListeningConfiguration) -> Void = { _ in }
  ) async throws -> ExitStatus {
    var options = try ListenOptions(
      context.invocation, cacheFolder: context.cacheFolder)
    options.configuration.cacheLimits = try context.settings.cacheLimits()
    let server = try await context.connect(to: address)
    options.configuration.lastRoom = context.memory(of: server.server).room
    change(&options.configuration)
    let wasKnown = server.isKnown
    do {
      return try await ListenerRun(context: context, options: options).run(on: server)
    } catch {
      throw await context.judged(error, on: server, wasKnown: wasKnown)
    }
  }
}
