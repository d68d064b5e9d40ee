import RoomClient
import RoomProtocol
import Synchronization
import TestSupport
import Testing
import Transport

@Suite(.timeLimit(.minutes(3))) struct RoomAPITests {
  @Test(arguments: [
    (
      "401 Unauthorized", "{\"error\":\"sign in\"}",
      RoomError.notSignedIn(operation: "GET /api/channels", message: "sign in")
    ),
    (
      "403 Forbidden", "{\"message\":\"guests may not\"}",
      .forbidden(operation: "GET /api/channels", message: "guests may not")
    ),
    ("404 Not Found", "gone", .notFound(operation: "GET /api/channels", message: "gone")),
    (
      "418 Teapot", "",
      .server(operation: "GET /api/channels", status: 418, message: "HTTP 418")
    ),
    (
      "500 Oops", "<!DOCTYPE html><html><title>Bad\n  gateway</title><p>secret stack",
      .server(operation: "GET /api/channels", status: 500, message: "HTTP 500, Bad gateway")
    ),
    (
      "200 OK", "<html><title>Sign in to Hotel Wi-Fi</title>",
      .unexpected(
        operation: "GET /api/channels", what: "a web page: Sign in to Hotel Wi-Fi")
    ),
    ("200 OK", "", .unexpected(operation: "GET /api/channels", what: "an empty answer")),
    (
      "200 OK", "{\"a\":1}",
      .unexpected(operation: "GET /api/channels", what: "an answer of another shape")
    ),
  ])
  func `what is no success becomes a fact`(
    status: String, body: String, expected: RoomError
  ) async throws {
    try await withSession(answering(status, body)) { session, _ in
      let error = await failure { () async throws(RoomError) in try await session.api.channels() }
      #expect(error == expected)
    }
  }

  @Test(arguments: ["<!DOCTYPE html><title>Hotel</title>", " \n<HTML><head>", "<html>"])
  func `a page in the place of an answer is no success, whatever is asked`(body: String)
    async throws
  {
    try await withSession(answering("200 OK", body)) { session, _ in
      let error = await failure { () async throws(RoomError) in
        try await session.api.seek(to: 1, in: "lobby")
      }
      guard case .unexpected(_, let what)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(what == (body.contains("Hotel") ? "a web page: Hotel" : "a web page"))
    }
  }

  @Test func `a server's message is cut`() async throws {
    let long = String(repeating: "x", count: 5000)
    try await withSession(answering("403 No", "{\"error\":\"\(long)\"}")) { session, _ in
      let error = await failure { () async throws(RoomError) in try await session.api.channels() }
      guard case .forbidden(_, let message)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(message.count == 300)
    }
  }

  @Test func `a login without a body asks who we are, with the cookie it got`() async throws {
    let script: @Sendable (RawConnection) -> Void = { connection in
      while let head = connection.readHead() {
        if head.hasPrefix("POST") {
          let body = String(decoding: connection.read(contentLength(head) ?? 0), as: UTF8.self)
          #expect(body == "{\"password\":\"p\",\"username\":\"ann\"}")
          connection.answer("204 No Content", ["Set-Cookie: blastoise_session=new; HttpOnly"])
        } else {
          #expect(head.contains("Cookie: blastoise_session=new\r\n"))
          connection.answer("200 OK", body: "{\"user\":{\"id\":7,\"username\":\"ann\"}}")
        }
      }
    }
    try await withSession(script) { session, server in
      let envelope = try await session.api.login(username: "ann", password: "p")
      #expect(envelope.user?.username == "ann")
      #expect(server.heads.count == 2)
    }
  }

  @Test func `a timed state lies inside its instants`() async throws {
    try await withSession(answering("200 OK", "{\"currentTimestamp\":12.5}")) { session, server in
      let before = ContinuousClock.now
      let timed = try await session.api.channelState("lobby")
      #expect(timed.state.currentTimestamp == 12.5)
      #expect(before <= timed.sentAt && timed.sentAt <= timed.answeredAt)
      #expect(timed.answeredAt <= ContinuousClock.now)
      #expect(server.heads.first?.hasPrefix("GET /api/channels/lobby HTTP/1.1") == true)
    }
  }

  @Test func `changes are sent as the protocol names them`() async throws {
    try await withSession(answering("200 OK", "")) { session, server in
      try await session.api.jump(to: 3, in: "a/b")
      try await session.api.seek(to: 1.5, in: "a/b")
      try await session.api.setMode(.repeatOne, in: "a/b")
      #expect(try await session.api.editQueue(.move([1, 2], to: 0), in: "a/b") == nil)
      try await session.api.logout()
      let lines = server.heads.compactMap { $0.split(whereSeparator: \.isNewline).first }
      #expect(
        lines == [
          "POST /api/channels/a%2Fb/jump HTTP/1.1", "POST /api/channels/a%2Fb/seek HTTP/1.1",
          "POST /api/channels/a%2Fb/mode HTTP/1.1", "PATCH /api/channels/a%2Fb/queue HTTP/1.1",
          "POST /api/auth/logout HTTP/1.1",
        ])
    }
  }

  @Test(arguments: [
    (#"{"success":true,"queueLength":7}"#, 7), (#"{"queue_length":"3"}"#, 3), ("[]", nil),
    (#"{"queueLength":null}"#, nil),
  ])
  func `how long a queue is after an edit is told or not`(body: String, length: Int?) async throws {
    try await withSession(answering("200 OK", body)) { session, _ in
      let told = try await session.api.editQueue(.remove([0]), in: "a")
      #expect(told == length)
    }
  }

  @Test func `a library is not sent again to whom has it`() async throws {
    let script: @Sendable (RawConnection) -> Void = { connection in
      while let head = connection.readHead() {
        if head.contains("If-None-Match: \"v1\"") {
          connection.write("HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\n\r\n")
        } else {
          connection.answer("200 OK", ["ETag: \"v1\""], body: "[]")
        }
      }
    }
    try await withSession(script) { session, server in
      let sink = LibrarySink()
      let first = try await session.api.library(to: sink)
      #expect(first == .whole(tag: "\"v1\""))
      let second = try await session.api.library(unless: "\"v1\"", to: sink)
      #expect(second == .unchanged)
      #expect(sink.bytes.withLock { $0 } == Array("[]".utf8))
      #expect(server.heads[0].contains("Accept-Encoding: "))
    }
  }

  @Test(arguments: ["500 Oops", "304 Not Modified"])
  func `a library that does not come is an error`(status: String) async throws {
    try await withSession(answering(status, "")) { session, _ in
      let error = await failure { () async throws(RoomError) in
        try await session.api.library(to: LibrarySink())
      }
      guard case .server? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test func `nobody at home is a transport error`() async throws {
    let server = try RawServer { _ in }
    let port = server.port
    server.stop()
    let session = try await ServerSession(
      server: try ServerAddress("127.0.0.1:\(port)"),
      configuration: TransportConfiguration(userAgent: "BlastoiseCLI/test"), store: nil)
    defer { session.shutdown() }
    let error = await failure { () async throws(RoomError) in try await session.api.status() }
    guard case .transport(let cause)? = error, case .unreachable = cause.cause else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}

private func answering(_ status: String, _ body: String) -> @Sendable (RawConnection) -> Void {
  answering(status, [], body)
}

/// Keeps the bytes of a library.
private final class LibrarySink: BodyReceiver {
  let bytes = Mutex<[UInt8]>([])
  func response(status: Int, headers: HTTPHeaders, contentLength: Int64?) {}
  func data(_ data: UnsafeRawBufferPointer) -> Bool {
    bytes.withLock { $0 += data }
    return true
  }
}
