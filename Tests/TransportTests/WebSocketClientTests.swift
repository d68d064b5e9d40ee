import Platform
import TestSupport
import Testing
import Transport

@Suite(.timeLimit(.minutes(3))) struct WebSocketClientTests {
  /// Runs a script behind an accepted handshake and collects all events of one socket.
  private static func events(
    _ script: @escaping @Sendable (RawConnection) -> Void,
    configure: (inout TransportConfiguration) -> Void = { _ in },
    _ use: (WebSocketConnection, WebSocketEvent) -> Void = { _, _ in }
  ) async throws -> [WebSocketEvent] {
    try await withSocketStandIn(script, configure: configure) { client, server in
      let url = try NetworkURL("ws://127.0.0.1:\(server.port)/api/channels/a%2Fb/ws")
      let socket = client.connect(to: url, headers: HTTPHeaders(["Cookie": "blastoise_session=s"]))
      var events: [WebSocketEvent] = []
      for await event in socket.events {
        events.append(event)
        use(socket, event)
      }
      return events
    }
  }

  @Test func `a handshake carries cookie and user agent and brings cookies`() async throws {
    let events = try await Self.events { connection in
      guard let head = connection.readHead() else { return }
      let lines = head.split(whereSeparator: \.isNewline).map(String.init)
      #expect(lines.first == "GET /api/channels/a%2Fb/ws HTTP/1.1")
      #expect(lines.contains("Cookie: blastoise_session=s"))
      #expect(lines.contains("User-Agent: BlastoiseCLI/test"))
      #expect(!head.lowercased().contains("sec-websocket-protocol"))
      connection.acceptWebSocket(head, headers: ["Set-Cookie: a=1; Path=/", "Set-Cookie: b=2"])
      connection.writeFrame(8, [0x03, 0xE9] + Array("going away".utf8))
      connection.waitForEnd()
    }
    guard case .opened(let cookies)? = events.first, case .closed(1001, "going away")? = events.last
    else {
      Issue.record("\(events)")
      return
    }
    #expect(cookies == ["a=1; Path=/", "b=2"])
    #expect(events.count == 2)
  }

  @Test func `fragments are joined and the instant is that of the first`() async throws {
    let large = [UInt8](repeating: 0x7A, count: 1_000_000)
    let gap = 50_000_000
    let events = try await Self.events { connection in
      guard let head = connection.readHead() else { return }
      connection.acceptWebSocket(head)
      connection.writeFrame(1, Array("{\"a\":".utf8), isFinal: false)
      Pause.nanoseconds(gap)
      connection.writeFrame(0, Array("1}".utf8))
      connection.writeFrame(2, large)
      connection.writeFrame(8, [0x03, 0xE8])
      connection.waitForEnd()
    }
    let messages = events.compactMap { event -> ([UInt8], ContinuousClock.Instant)? in
      if case .message(let bytes, let at) = event { (bytes, at) } else { nil }
    }
    #expect(messages.map(\.0) == [Array("{\"a\":1}".utf8), large])
    guard messages.count == 2 else { return }
    #expect(messages[0].1 + .nanoseconds(gap / 2) < messages[1].1)
  }

  @Test func `texts are sent in order and a close is told to the server`() async throws {
    let events = try await Self.events { connection in
      guard let head = connection.readHead() else { return }
      connection.acceptWebSocket(head)
      for number in 0..<20 {
        guard let frame = connection.readFrame() else { return }
        #expect(frame.opcode == 1)
        #expect(frame.payload == Array("text \(number)".utf8))
      }
      let end = connection.readFrame()
      #expect(end?.opcode == 8)
      #expect(end?.payload == [0x03, 0xE8])
      connection.writeFrame(8, [0x03, 0xE8])
      connection.waitForEnd()
    } _: { socket, event in
      guard case .opened = event else { return }
      for number in 0..<20 { socket.send("text \(number)") }
      socket.close()
    }
    guard case .closed? = events.last else {
      Issue.record("\(events)")
      return
    }
  }

  @Test func `a message above the limit ends the socket with an error`() async throws {
    let events = try await Self.events(
      { connection in
        guard let head = connection.readHead() else { return }
        connection.acceptWebSocket(head)
        connection.writeFrame(1, [UInt8](repeating: 0x20, count: 100_001))
        connection.waitForEnd()
      }, configure: { $0.sizeLimit = 100_000 })
    guard case .failed(let error)? = events.last else {
      Issue.record("\(events)")
      return
    }
    #expect(error.cause == .tooLarge(limit: 100_000))
  }

  @Test(arguments: [401, 403, 404, 503, 301])
  func `a refused handshake tells its status`(status: Int) async throws {
    let events = try await Self.events { connection in
      guard connection.readHead() != nil else { return }
      let place = "Location: http://localhost:1/elsewhere"
      connection.answer("\(status) No", status == 301 ? [place] : [], body: "{\"error\":\"no\"}")
      connection.waitForEnd()
    }
    guard case .failed(let error)? = events.last, events.count == 1 else {
      Issue.record("\(events)")
      return
    }
    #expect(error.cause == .http(status: status))
  }

  @Test func `a silent server is given up after the ping's answer is missing`() async throws {
    let events = try await Self.events(
      { connection in
        guard let head = connection.readHead() else { return }
        connection.acceptWebSocket(head)
        #expect(connection.readFrame(answersPings: false)?.opcode == 9)
        connection.waitForEnd()
      },
      configure: {
        $0.pingInterval = .seconds(1)
        $0.pingTimeout = .seconds(2)
      })
    guard case .closed(nil, _)? = events.last else {
      Issue.record("\(events)")
      return
    }
  }

  @Test func `a server that never answers the handshake is a timeout`() async throws {
    let events = try await Self.events(silence, configure: { $0.connectTimeout = .seconds(1) })
    guard case .failed(let error)? = events.last, case .timeout = error.cause else {
      Issue.record("\(events)")
      return
    }
  }

  @Test func `a server that hangs up on the handshake breaks it`() async throws {
    let events = try await Self.events { connection in
      _ = connection.readHead()
    }
    guard case .failed(let error)? = events.last, case .interrupted = error.cause else {
      Issue.record("\(events)")
      return
    }
    #expect(events.count == 1)
  }

  @Test func `an attempt that is closed ends at once`() async throws {
    // Patient enough for a busy machine: only the call may end the attempt.
    try await withSocketStandIn(silence, configure: { $0.connectTimeout = .seconds(60) }) {
      client, server in
      let socket = client.connect(to: try NetworkURL("ws://127.0.0.1:\(server.port)/"))
      try await eventually("a handshake") { !server.heads.isEmpty }
      socket.close()
      var causes: [TransportError.Cause] = []
      for await event in socket.events {
        if case .failed(let error) = event { causes.append(error.cause) }
      }
      #expect(causes == [.cancelled])
    }
  }

  @Test func `a name with several addresses is tried at each of them`() async throws {
    // `localhost` is ::1 first on many machines, where the stand-in does not listen.
    let script: @Sendable (RawConnection) -> Void = { connection in
      guard let head = connection.readHead() else { return }
      connection.acceptWebSocket(head)
      connection.writeFrame(8, [0x03, 0xE8])
      connection.waitForEnd()
    }
    try await withSocketStandIn(script) { client, server in
      let url = try NetworkURL("ws://localhost:\(server.port)/")
      var codes: [Int?] = []
      for await event in client.connect(to: url).events {
        if case .closed(let code, _) = event { codes.append(code) }
      }
      #expect(codes == [1000])
    }
  }

  @Test func `nobody listening, an unknown name and a stopped client are told apart`()
    async throws
  {
    let server = try RawServer { _ in }
    let port = server.port
    server.stop()
    let client = WebSocketClient(
      configuration: TransportConfiguration(userAgent: "BlastoiseCLI/test"))
    func cause(_ text: String) async throws -> TransportError.Cause? {
      let socket = client.connect(to: try NetworkURL(text))
      for await event in socket.events {
        if case .failed(let error) = event { return error.cause }
      }
      return nil
    }
    guard case .unreachable? = try await cause("ws://127.0.0.1:\(port)/") else {
      Issue.record("not unreachable")
      return
    }
    #expect(try await cause("ws://no-such-host.invalid/") == .unknownHost("no-such-host.invalid"))
    client.shutdown()
    #expect(try await cause("ws://127.0.0.1:\(port)/") == .stopped)
  }
}
