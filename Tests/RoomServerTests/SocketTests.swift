import RoomProtocol
import TestSupport
import Testing

@testable import RoomServer

@Suite(.serialized, .timeLimit(.minutes(3))) struct SocketTests {
  @Test func `the first message is the state with its queue`() async throws {
    try await withServer { (server: ServerHarness) async throws in
      let (message, cookie) = try await server.withSocket {
        (try $0.next(), $0.handshake.cookie)
      }
      guard case .text(let text) = message,
        case .state(let received) = ServerMessage(decoding: text)
      else { return #expect(Bool(false), "no state: \(message)") }
      #expect(received.state.channelID == "lobby")
      #expect(received.state.listenerCount == 1)
      #expect(try received.queueText?.decode().elements == threeTracks)
      // Nobody in particular became a guest, whose session comes with the handshake.
      #expect(cookie?.hasPrefix("blastoise_session=") == true)
    }
  }

  @Test func `a user's actions move everyone, without the queue`() async throws {
    let clock = ManualWallClock()
    try await withServer {
      $0.wallClock = { clock.now }
    } _: { (server: ServerHarness) async throws in
      let cookie = try await server.signIn()
      let states = try await server.withSocket(cookie: cookie) { socket in
        let first = try socket.state()
        clock.advance(by: 3)
        let actions: [ClientAction] = [
          .pause, .pause, .seek(timestamp: 5.25), .jump(index: 1), .seek(timestamp: 500), .unpause,
        ]
        for action in actions { try socket.send(action) }
        return (first, try (0..<5).map { _ in try socket.state() })
      }
      let (first, after) = states
      #expect(first.queue?.count == 3)
      #expect(after.allSatisfy { $0.queue == nil })
      // The second pause changes nothing, so that nothing is said of it.
      #expect(after.map(\.currentTimestamp) == [3, 5.25, 0, 20, 20])
      #expect(after.map(\.paused) == [true, true, true, true, false])
      #expect(after.map(\.currentIndex) == [0, 0, 1, 1, 1])
    }
  }

  @Test func `a guest's actions are ignored without an answer`() async throws {
    try await withServer { (server: ServerHarness) async throws in
      let error = try await server.withSocket { socket in
        for action in [ClientAction.pause, .seek(timestamp: 5), .jump(index: 2)] {
          try socket.send(action)
        }
        // What can't be read is answered: so all before it has been dealt with.
        socket.send("no JSON")
        return try socket.first { message -> String? in
          if case .error(let text) = message { text } else { nil }
        }
      }
      #expect(!error.isEmpty)
      let state = await server.server.state()
      #expect(state?.paused == false)
      #expect(state?.currentIndex == 0)
    }
  }

  @Test func `a switch is confirmed and followed by the other state`() async throws {
    try await withServer { (server: ServerHarness) async throws in
      let den = try #require(await server.server.createChannel(name: "Den"))
      let (switched, state, refusal) = try await server.withSocket { socket in
        try socket.send(.switch(to: den))
        let switched = try socket.first { message -> ChannelID? in
          if case .switched(let id) = message { id } else { nil }
        }
        let state = try socket.state()
        try socket.send(.switch(to: "none"))
        let refusal = try socket.first { message -> String? in
          if case .error(let text) = message { text } else { nil }
        }
        return (switched, state, refusal)
      }
      #expect(switched == den)
      #expect(state.channelName == "Den")
      #expect(state.track == nil)
      #expect(state.queue == [])
      #expect(refusal == "no such channel")
    }
  }

  @Test func `a deleted channel sends its listeners to the default one`() async throws {
    try await withServer { (server: ServerHarness) async throws in
      let cookie = try await server.signIn()
      let den = try #require(await server.server.createChannel(name: "Den"))
      async let landed = server.withSocket(channel: den.rawValue) { socket in
        try socket.state { $0.channelID == "lobby" }
      }
      try await eventually("someone listens") {
        await server.server.state(of: den)?.listenerCount == 1
      }
      _ = try await server.send("DELETE", "/api/channels/\(den)", cookie: cookie)
      #expect(try await landed.queue?.count == 3)
    }
  }

  @Test(arguments: ["none", "lobby%00", "%2e%2e"])
  func `an unknown channel is refused`(channel: String) async throws {
    try await withServer { (server: ServerHarness) async throws in
      let status = try? await server.withSocket(channel: channel) { $0.handshake.status }
      #expect([404, nil].contains(status))
    }
  }

  @Test func `a queue edit is told with the queue, and a toast`() async throws {
    let clock = ManualWallClock()
    try await withServer {
      $0.wallClock = { clock.now }
    } _: { (server: ServerHarness) async throws in
      let cookie = try await server.signIn()
      async let heard = server.withSocket { socket in
        let state = try socket.state { $0.queue?.count == 4 }
        let toast = try socket.first { message -> String? in
          if case .toast(let text, _) = message { text } else { nil }
        }
        return (state, toast)
      }
      try await eventually("the socket is open") { await server.server.socketCount == 1 }
      let answer = try await server.send(
        "PATCH", "/api/channels/lobby/queue", cookie: cookie,
        json: #"{"add":["sha256:b"],"insertAt":0}"#)
      #expect(answer.text == #"{"queueLength":4,"success":true}"#)
      let (state, toast) = try await heard
      #expect(state.queue?.map(\.id) == ["sha256:b", "sha256:a", "sha256:b", "sha256:c"])
      #expect(state.currentIndex == 1)
      #expect(toast == "Added: B")
    }
  }

  @Test func `states with the queue come again and again`() async throws {
    try await withServer {
      $0.stateInterval = .milliseconds(30)
    } _: { (server: ServerHarness) async throws in
      let queues = try await server.withSocket { socket in
        try (0..<3).map { _ in try socket.state().queue?.count }
      }
      #expect(queues == [3, 3, 3])
    }
  }

  @Test func `the list of channels names who listens`() async throws {
    try await withServer { (server: ServerHarness) async throws in
      let cookie = try await server.signIn()
      let names = try await server.withSocket(cookie: cookie) { socket in
        // The same person twice is one listener.
        let second = try RawSocket(port: server.port, cookie: cookie)
        _ = try second.state()
        return try socket.first { message -> [String]? in
          if case .channelList(let list) = message { list.elements.first?.listeners } else { nil }
        }
      }
      #expect(names == ["ann"])
    }
  }

  @Test func `a big queue arrives whole at every socket`() async throws {
    let tracks = (0..<10_000).map { index in
      Track(
        id: TrackID("sha256:\(index)"), filename: "album \(index / 12)/title \(index).flac",
        title: "A title of \(index) \u{1F422} \"quoted\"", artist: "Artist \(index % 100)",
        album: "Album", duration: Double(index % 300 + 1))
    }
    try await withServer(tracks: tracks) { (server: ServerHarness) async throws in
      try await withThrowingTaskGroup { group in
        for _ in 0..<4 {
          group.addTask {
            let state = try await server.withSocket { try $0.state() }
            #expect(state.queue == tracks)
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test func `pings are answered, a goodbye is returned`() async throws {
    try await withServer { (server: ServerHarness) async throws in
      let (pong, close) = try await server.withSocket { socket in
        _ = try socket.state()
        socket.sendFrame(opcode: 9, [1, 2, 3])
        var pong = try socket.next()
        while case .text = pong { pong = try socket.next() }
        socket.sendFrame(opcode: 8, [0x03, 0xE8])
        var close = try socket.next()
        while case .text = close { close = try socket.next() }
        return (pong, close)
      }
      #expect(pong == .pong([1, 2, 3]))
      #expect(close == .close(1000))
    }
  }

  @Test func `a message in fragments is one message`() async throws {
    try await withServer { (server: ServerHarness) async throws in
      let cookie = try await server.signIn()
      let paused = try await server.withSocket(cookie: cookie) { socket in
        socket.sendFrame(opcode: 1, Array(#"{"action":"#.utf8), isFinal: false)
        socket.sendFrame(opcode: 0, Array(#""pause"}"#.utf8))
        return try socket.state { $0.queue == nil }.paused
      }
      #expect(paused)
    }
  }

  @Test func `a message too long ends the socket`() async throws {
    try await withServer { (server: ServerHarness) async throws in
      let end = try await server.withSocket { socket in
        let piece = [UInt8](repeating: 32, count: 40_000)
        socket.sendFrame(opcode: 1, piece, isFinal: false)
        socket.sendFrame(opcode: 0, piece, isFinal: true)
        return try socket.end()
      }
      #expect(end == .close(1009))
    }
  }

  @Test func `a stop says goodbye with 1001`() async throws {
    var configuration = ServerConfiguration()
    configuration.lobbyName = "Hall"
    let server = Server(configuration)
    let port = try await server.start()
    async let end = offPool {
      let socket = try RawSocket(port: port)
      var message = try socket.next()
      while case .text = message { message = try socket.next() }
      return message
    }
    try await eventually("the socket is open") { await server.socketCount == 1 }
    await server.stop()
    #expect(try await end == .close(1001))
    #expect(await server.connectionCount == 0)
  }
}
