import RoomClient
import TestSupport
import Transport

/// A stand-in server and a session with it for the length of a test.
func withSession<Result>(
  _ script: @escaping @Sendable (RawConnection) -> Void,
  _ body: (ServerSession, RawServer) async throws -> Result
) async throws -> Result {
  let server = try RawServer(script)
  let session = try await ServerSession(
    server: try ServerAddress("127.0.0.1:\(server.port)"),
    configuration: TransportConfiguration(userAgent: "BlastoiseCLI/test"), store: nil)
  defer {
    session.shutdown()
    server.stop()
  }
  return try await body(session, server)
}

/// Answers every request alike.
func answering(
  _ status: String, _ headers: [String] = [], _ body: String
) -> @Sendable (RawConnection) -> Void {
  { connection in
    while let head = connection.readHead() {
      if let length = contentLength(head) { _ = connection.read(length) }
      connection.answer(status, headers, body: body)
    }
  }
}

/// The length that a request's head announces.
func contentLength(_ head: String) -> Int? {
  let name = "content-length:"
  let line = head.split(whereSeparator: \.isNewline).first { $0.lowercased().hasPrefix(name) }
  return line.flatMap { Int($0.dropFirst(name.count).drop { $0 == " " }) }
}

/// What a throwing call threw, or nil.
func failure<Value>(_ body: () async throws(RoomError) -> Value) async -> RoomError? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error
  }
}
