import Playback
import RoomClient
import RoomProtocol
import RoomServer
import TestSupport
import Testing
import Transport

@testable import Listening

/// Connections that break, stall or are ended: followed by the rules, and heard by nobody.
@Suite(.serialized, .timeLimit(.minutes(3))) struct BadConnectionTests {
  private func rig(change: (inout ServerConfiguration) -> Void = { _ in }) async throws
    -> ListenerRig
  {
    try await ListenerRig([("a.flac", "audio/ruler.flac")], change: change)
  }

  /// Where the ruler is interrupted between two moments: the frames out of order.
  private func gaps(
    _ rig: ListenerRig, from first: ContinuousClock.Instant, to last: ContinuousClock.Instant
  ) throws -> [Int] {
    let heard = try Recording(rig.folder.file("out.wav"))
    let origin = try #require(rig.origin)
    let frames =
      Int(
        (first - origin).nearestFrame(rate: 44100))..<Int((last - origin).nearestFrame(rate: 44100))
    return frames.filter { frame in
      guard let now = heard.ruler(at: frame), let next = heard.ruler(at: frame + 1) else {
        return true
      }
      return next != now + 1
    }
  }

  /// Lets the connection break in some way while the ruler plays, waits until it stands again, and
  /// looks whether that was heard.
  private func expectUnheard(
    _ rig: ListenerRig, _ pings: Bool = false, breaking: (Server) async throws -> Void,
    mending: (Server) async throws -> Void = { _ in }
  ) async throws -> ListeningEvent.Interruption {
    try await rig.listen(transport: {
      guard pings else { return }
      $0.pingInterval = .seconds(1)
      $0.pingTimeout = .seconds(2)
    }) { _ in
      try await rig.wait(2) { $0.isPosition }
      let before = ContinuousClock.now
      try await breaking(rig.server)
      try await rig.wait { $0.interruption != nil }
      try await mending(rig.server)
      try await rig.wait(2) { $0.isConnected }
      let reports = rig.events.count { $0.isPosition }
      try await rig.wait(reports + 1) { $0.isPosition }
      try await Task.sleep(for: .milliseconds(300))
      let after = ContinuousClock.now
      try await Task.sleep(for: .milliseconds(300))
      #expect(try gaps(rig, from: before, to: after).prefix(5) == [])
    }
    await rig.stop()
    #expect(rig.seeks == 0)
    #expect(rig.events.count { $0.isStarted } == 1)
    return try #require(rig.events.compactMap(\.interruption).first)
  }

  @Test(arguments: [UInt16(1012), 1001])
  func `a server that restarts is joined again at once, and nobody hears it`(
    code: UInt16
  ) async throws {
    let rig = try await rig()
    let what = try await expectUnheard(rig) { await $0.dropSockets(code: code) }
    #expect(what.retryAfter == .zero, "\(what)")
  }

  @Test func `a line that breaks is taken up by the rule, and nobody hears it`() async throws {
    let rig = try await rig()
    let what = try await expectUnheard(rig) { await $0.dropSockets(code: 0) }
    #expect((Duration.milliseconds(2400)...Duration.milliseconds(3600)).contains(what.retryAfter))
  }

  @Test func `a line that says nothing any more is given up, and nobody hears it`() async throws {
    let rig = try await rig()
    let start = ContinuousClock.now
    _ = try await expectUnheard(rig, true) { server in
      var faults = Faults()
      faults.stallsSockets = true
      await server.setFaults(faults)
    } mending: { server in
      await server.setFaults(Faults())
    }
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  @Test func `a kick is final, with its reason`() async throws {
    let rig = try await rig()
    let end = try await rig.listen { session in
      try await rig.wait { $0.isStarted }
      await rig.server.broadcast(.kick(reason: "signed in elsewhere"))
      try await eventually("the end") { await rig.server.socketCount == 0 }
      // A server may be asked for a socket again after three seconds: none is.
      try await Task.sleep(for: .milliseconds(500))
    }
    #expect(
      rig.events.count { if case .kick("signed in elsewhere") = $0 { true } else { false } } == 1)
    guard case .kicked(reason: "signed in elsewhere")? = end as? ListeningEnd else {
      Issue.record("\(String(describing: end))")
      return
    }
    #expect(!rig.events.contains { $0.interruption != nil })
    await rig.stop()
  }

  @Test func `a track that was lost with the server is fetched at once when it is back`()
    async throws
  {
    let rig = try await rig {
      $0.faults.failures = [.init(path: "/api/tracks", status: 503, .always)]
    }
    try await rig.listen { session in
      // Two failures: the next attempt is 4 s away.
      try await eventually("two failures") { await session.playhead?.failures == 2 }
      await rig.server.setFaults(Faults())
      let before = ContinuousClock.now
      await rig.server.dropSockets(code: 1012)
      try await rig.wait { $0.isStarted }
      #expect(ContinuousClock.now - before < .milliseconds(3500))
    }
    await rig.stop()
  }

  @Test func `a room the server moves us to is the one we come back to`() async throws {
    let rig = try await rig()
    let kitchen = try #require(await rig.server.createChannel(name: "Kitchen"))
    try await rig.listen { session in
      try await rig.wait { $0.isStarted }
      #expect(await session.wish(.switch(to: kitchen)))
      try await rig.wait { if case .switched(let room) = $0 { room.id == kitchen } else { false } }
      await rig.server.dropSockets(code: 1012)
      try await rig.wait(2) { $0.isConnected }
      let channels = rig.events.compactMap { event -> ChannelID? in
        if case .connected(let channel, _) = event { channel.id } else { nil }
      }
      #expect(channels.last == kitchen)
    }
    await rig.stop()
  }
}
