import Caching
import RoomClient
import RoomProtocol

/// Playlists to look at: the server's, or those that are kept, where it can't be reached.
struct PlaylistReading {
  let shelf: PlaylistShelf
  /// When they were read, in seconds since 1970; nil where it was just now.
  let asOf: Double?
  let server: ServerAddress
  private let session: ServerSession?
  private let context: CommandContext

  /// Reads those of a server.
  init(_ context: CommandContext, on session: ServerSession) async throws {
    shelf = try await context.shelf(on: session)
    asOf = nil
    server = session.server
    self.session = session
    self.context = context
  }

  /// Takes those that are kept, and says so; nil where none are.
  init?(_ context: CommandContext, keptOf server: ServerAddress) async {
    guard let kept = try? await context.library(of: server).listing.shelf() else { return nil }
    shelf = kept.shelf
    asOf = kept.read
    self.server = server
    session = nil
    self.context = context
    context.console.note(
      "the server can't be reached: playlists as of \(TimeText.moment(kept.read))")
  }

  /// The playlist that is meant, whole.
  ///
  /// - Throws: `RoomError`; `Diagnostic` where there is none, or several.
  func playlist(_ text: String) async throws -> Playlist {
    let listed = try shelf.playlist(text)
    guard let session else { return listed }
    return try await PlaylistDesk(listed, on: session, context).playlist
  }

  /// What the library has for ids; nil where that can't be known.
  func titles(of ids: [TrackID]) async throws -> [TrackID: Track]? {
    try await context.titles(of: ids, in: context.library(of: server, on: session))
  }

  /// `as_of`: null where it is so now.
  var asOfMember: JSONValue.Member { .init(key: "as_of", value: JSONValue(asOf)) }
}

extension CommandContext {
  /// Looks at playlists, with the server or without.
  ///
  /// - Parameter body: prints when it has read all it wants.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws; what the server throws, where nothing is kept.
  func withPlaylists(
    _ body: (PlaylistReading) async throws -> ExitStatus
  ) async throws -> ExitStatus {
    do {
      return try await withRoomServer { session in
        try await body(try await PlaylistReading(self, on: session))
      }
    } catch  where Diagnostic(describing: error).isOutage {
      let server = try await listenersServer ?? serverAddress
      guard let kept = await PlaylistReading(self, keptOf: server) else { throw error }
      return try await body(kept)
    }
  }

  /// Forgets the kept playlists of a server: they were somebody's, who has gone or is another now.
  func forgetPlaylists(of server: ServerAddress) async {
    try? await library(of: server).listing.forgetShelf()
  }

  /// The playlists of a server that is asked where there is a session, and can be.
  ///
  /// - Throws: what the server throws, where nothing is kept.
  func playlists(of server: ServerAddress, on session: ServerSession?) async throws
    -> PlaylistReading
  {
    do {
      guard let session else {
        throw Diagnostic(.unreachable, "no playlist of \(server) is kept")
      }
      return try await PlaylistReading(self, on: session)
    } catch  where Diagnostic(describing: error).isOutage {
      guard let kept = await PlaylistReading(self, keptOf: server) else { throw error }
      return kept
    }
  }
}

extension Diagnostic {
  /// Whether nobody answers: what is kept is better than nothing then.
  var isOutage: Bool { [.noHost, .unreachable, .timeout].contains(code) }
}
