package import RoomProtocol
package import Transport

/// A server as one program uses it: its REST calls, its sockets, and the session they share.
///
/// ```swift
/// let session = try await ServerSession(server: address, configuration: configuration, store: store)
/// let greeting = try await session.api.status()
/// let socket = session.join("lobby")
/// ```
///
/// Threading: from anywhere. The network's threads live until `shutdown`.
package struct ServerSession: Sendable {
  /// The server.
  package let server: ServerAddress
  /// Sends requests and holds the cookies.
  package let http: HTTPClient
  /// Makes sockets.
  package let sockets: WebSocketClient
  /// Keeps the cookies on disk; nil keeps none.
  package let store: SessionStore?

  /// Starts with the session on disk, if there is one.
  ///
  /// - Parameters:
  ///   - server: the server.
  ///   - configuration: how connections are made.
  ///   - store: the sessions on disk.
  ///   - replacesBroken: whether to begin without a session where its file is malformed, because
  ///     another one is about to be written.
  /// - Throws: `SessionError` when there is a session that can't be read.
  package init(
    server: ServerAddress, configuration: TransportConfiguration, store: SessionStore?,
    replacesBroken: Bool = false
  ) async throws(SessionError) {
    var cookies: [Cookie] = []
    do throws(SessionError) {
      cookies = try await store?.load(server) ?? []
    } catch {
      guard replacesBroken, case .malformed = error else { throw error }
    }
    self.server = server
    self.store = store
    http = HTTPClient(configuration: configuration, cookies: cookies)
    sockets = WebSocketClient(configuration: configuration)
  }

  private init(server: ServerAddress, like session: ServerSession) {
    self.server = server
    http = session.http
    sockets = session.sockets
    store = session.store
  }

  /// The same session at the address where the server turned out to live.
  package func moved(to server: ServerAddress) -> ServerSession {
    ServerSession(server: server, like: self)
  }

  /// The server's REST calls.
  package var api: RoomAPI { RoomAPI(server: server, http: http) }

  /// Opens a socket to a channel.
  package func join(_ channel: ChannelID) -> RoomSocket {
    RoomSocket(channel: channel, server: server, sockets: sockets, http: http)
  }

  /// Writes the session, and takes what another process changed in it; without changes it does nothing.
  ///
  /// Call it after requests that may have made or ended a session, and where
  /// `http.cookies.changes` tells of new cookies.
  ///
  /// - Parameter isWanted: whether somebody has signed in: this session then goes before one that
  ///   another process wrote meanwhile; else that one is taken.
  /// - Throws: `SessionError`; the session goes on in memory then.
  package func save(isWanted: Bool = false) async throws(SessionError) {
    guard let store else { return }
    let ours = http.cookies.all
    let merged = try await store.save(ours, of: server, isWanted: isWanted)
    if Set(merged) != Set(ours) { await http.cookies.replaceAll(with: merged) }
  }

  /// Takes the session that another process has written, such as a `login` beside a listener.
  ///
  /// - Throws: `SessionError` when it can't be read.
  package func reload() async throws(SessionError) {
    guard let store else { return }
    await http.cookies.replaceAll(with: try await store.load(server))
  }

  /// Ends the session on this side: no cookie is left, in memory and on disk.
  ///
  /// - Parameter isWanted: whether somebody has signed out; else a session that another process has
  ///   made meanwhile stays on disk.
  /// - Throws: `SessionError` when the file can't be written.
  package func forget(isWanted: Bool = true) async throws(SessionError) {
    await http.cookies.replaceAll(with: [])
    _ = try await store?.save([], of: server, isWanted: isWanted)
  }

  /// Whether there is a session to send along: a cookie that goes to the server.
  package var isKnown: Bool { http.cookies.header(for: server.url(.me)) != nil }

  /// Ends all requests and sockets and joins the network's threads.
  ///
  /// Blocks for a moment.
  package func shutdown() {
    http.shutdown()
    sockets.shutdown()
  }
}
