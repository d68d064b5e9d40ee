import RoomProtocol
import RoomServer
import TestSupport

/// A room server in this process, for the program as its client.
struct Room: Sendable {
  let server: Server
  let folder: TemporaryFolder
  let port: Int

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - tracks: fixtures by the name they get.
  ///   - change: changes the server's configuration.
  /// - Throws: what the server throws.
  init(
    _ tracks: [(name: String, fixture: String)],
    change: (inout ServerConfiguration) -> Void = { _ in }
  ) async throws {
    folder = try TemporaryFolder()
    try Music.fill(folder.file("music"), tracks)
    var configuration = ServerConfiguration(musicFolder: folder.file("music"))
    change(&configuration)
    server = Server(configuration)
    port = try await server.start()
  }

  /// A server with one track of 50 s.
  static func ruler(
    change: (inout ServerConfiguration) -> Void = { _ in }
  ) async throws -> Room {
    try await Room([("ruler.flac", "audio/ruler.flac")], change: change)
  }

  var url: String { server.baseURL }

  func stop() async { await server.stop() }

  /// The words of a `listen` to this server that nobody hears.
  func listen(_ more: String...) -> [String] {
    ["listen", "--server", url, "--output", "null"] + more
  }
}
