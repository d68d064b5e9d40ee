import RoomProtocol
import TestSupport
import Testing

@testable import RoomServer

@Suite(.serialized, .timeLimit(.minutes(3))) struct SocketFaultTests {
  @Test func `upgrades can be refused`() async throws {
    try await withServer {
      $0.faults.refusesUpgrades = 503
    } _: { (server: ServerHarness) async throws in
      #expect(try await server.withSocket { $0.handshake.status } == 503)
      await server.server.setFaults(Faults())
      #expect(try await server.withSocket { $0.handshake.status } == 101)
    }
  }

  @Test func `the queue can be left out`() async throws {
    try await withServer {
      $0.faults.omitsQueue = true
    } _: { (server: ServerHarness) async throws in
      let state = try await server.withSocket { try $0.state() }
      #expect(state.track != nil)
      #expect(state.queue == nil)
    }
  }

  @Test func `a state can be old on its arrival`() async throws {
    try await withServer {
      $0.faults.stateDelay = .milliseconds(300)
    } _: { (server: ServerHarness) async throws in
      let (state, now) = try await server.withSocket { socket in
        (try socket.state(), ContinuousClock.now)
      }
      let current = try #require(await server.server.state())
      let age = ContinuousClock.now - now
      #expect(
        current.currentTimestamp - state.currentTimestamp >= 0.29 + min(0, age.wireSeconds))
    }
  }

  @Test func `the wall clock can step`() async throws {
    let clock = ManualWallClock()
    try await withServer {
      $0.wallClock = { clock.now }
      $0.advanceInterval = .seconds(3600)
    } _: { (server: ServerHarness) async throws in
      var faults = Faults()
      faults.clockSkew = .seconds(3)
      await server.server.setFaults(faults)
      let later: ChannelState = try await server.send("GET", "/api/channels/lobby").decode()
      #expect(later.currentTimestamp == 3)
      faults.clockSkew = .seconds(-60)
      await server.server.setFaults(faults)
      let before: ChannelState = try await server.send("GET", "/api/channels/lobby").decode()
      #expect(before.currentTimestamp == -60)
    }
  }

  @Test func `an exact advance does without the timer`() async throws {
    let tracks = [Track(id: "s", duration: 0.3), Track(id: "t", duration: 3600)]
    try await withServer(tracks: tracks) {
      $0.faults.advancesExactly = true
      $0.advanceInterval = .seconds(3600)
    } _: { (server: ServerHarness) async throws in
      let cookie = try await server.signIn()
      let states = try await server.withSocket(cookie: cookie) { socket in
        _ = try socket.state()
        try socket.send(.jump(index: 0))
        let start = try socket.state { $0.track?.id == "s" && $0.queue == nil }
        return (start, try socket.state { $0.track?.id == "t" })
      }
      #expect(states.0.currentTimestamp < 0.05)
      #expect(states.1.currentTimestamp < 0.05)
    }
  }

  @Test(arguments: [1000, 1012, 4001] as [UInt16])
  func `sockets can be dropped with a code`(code: UInt16) async throws {
    try await withServer { (server: ServerHarness) async throws in
      async let end = server.withSocket { socket in
        try socket.end()
      }
      try await eventually("the socket is open") { await server.server.socketCount == 1 }
      await server.server.dropSockets(code: code)
      #expect(try await end == .close(Int(code)))
    }
  }

  @Test func `sockets can be dropped without a word`() async throws {
    try await withServer { (server: ServerHarness) async throws in
      async let end = server.withSocket { socket in
        try socket.end()
      }
      try await eventually("the socket is open") { await server.server.socketCount == 1 }
      await server.server.dropSockets(code: 0)
      #expect(try await end == .ended)
    }
  }

  @Test func `broken frames go out as they stand`() async throws {
    try await withServer { (server: ServerHarness) async throws in
      async let heard = server.withSocket { socket in
        var texts: [[UInt8]] = []
        while !texts.contains(Array(#"{"error":"x"}"#.utf8)) {
          if case .text(let text) = try socket.next() { texts.append(text) }
        }
        return texts
      }
      try await eventually("the socket is open") { await server.server.socketCount == 1 }
      await server.server.sendText("{broken")
      await server.server.sendText(#"{"error":"x"}"#)
      let texts = try await heard
      #expect(texts.contains(Array("{broken".utf8)))
    }
  }

  @Test func `a stalled socket answers no ping until it is let go`() async throws {
    try await withServer { (server: ServerHarness) async throws in
      var faults = Faults()
      faults.stallsSockets = true
      await server.server.setFaults(faults)
      async let answered = server.withSocket { socket in
        socket.sendFrame(opcode: 9, [8])
        _ = try socket.next()
        return ContinuousClock.now
      }
      try await eventually("the socket is open") { await server.server.socketCount == 1 }
      try await Task.sleep(for: .milliseconds(100))
      let released = ContinuousClock.now
      await server.server.setFaults(Faults())
      #expect(try await answered >= released)
    }
  }
}
