import RoomProtocol
import Synchronization
import TestSupport

@testable import RoomServer

/// A wall clock that a test moves by hand.
final class ManualWallClock: Sendable {
  private let milliseconds = Mutex<Int64>(1_700_000_000_000)

  var now: Int64 { milliseconds.withLock { $0 } }

  func advance(by seconds: Double) {
    milliseconds.withLock { $0 += Int64(seconds * 1000) }
  }
}

/// A running server and short ways to talk to it.
struct ServerHarness: Sendable {
  var server: Server
  var port: Int
  var prefix = ""

  /// Sends one request on a connection of its own.
  func send(
    _ method: String, _ path: String, cookie: String? = nil, headers: [String] = [],
    json: String? = nil
  ) async throws -> RawResponse {
    let path = prefix + path
    var headers = headers
    if let cookie { headers.append("Cookie: \(cookie)") }
    if json != nil { headers.append("Content-Type: application/json") }
    let all = headers
    return try await offPool {
      let connection = try RawClient(port: port)
      connection.request(method, path, headers: all, body: Array((json ?? "").utf8))
      return try connection.response(hasBody: method != "HEAD")
    }
  }

  /// A session of a user, as a `Cookie` header's value; no password is hashed for it.
  func signIn(_ name: String = "ann") async throws -> String {
    try await server.session(of: name)
  }

  /// Runs something with a WebSocket of its own.
  func withSocket<Value: Sendable>(
    channel: String = "lobby", cookie: String? = nil,
    _ body: @escaping @Sendable (RawSocket) throws -> Value
  ) async throws -> Value {
    try await offPool {
      try body(RawSocket(port: port, channel: channel, cookie: cookie, prefix: prefix))
    }
  }
}

/// The tracks of most tests: a, b and c, of 10, 20 and 30 seconds.
let threeTracks = [
  Track(id: "sha256:a", filename: "a.mp3", title: "A", duration: 10),
  Track(id: "sha256:b", filename: "b.ogg", title: "B", duration: 20),
  Track(id: "sha256:c", filename: "c.flac", duration: 30),
]

/// Runs a body against a server with three tracks, and checks that it ends clean.
func withServer(
  tracks: [Track] = threeTracks, files: [TrackID: String] = [:],
  _ configure: (inout ServerConfiguration) -> Void = { _ in },
  _ body: (ServerHarness) async throws -> Void
) async throws {
  var configuration = ServerConfiguration()
  configure(&configuration)
  let server = Server(configuration)
  let port = try await server.start()
  await server.add(tracks, files: files)
  do {
    try await body(
      ServerHarness(server: server, port: port, prefix: configuration.pathPrefix))
  } catch {
    await server.stop()
    throw error
  }
  try await eventually("no connection left") { await server.connectionCount == 0 }
  await server.stop()
}
