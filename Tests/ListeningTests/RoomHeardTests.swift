import Listening
import PCM
import RoomClient
import RoomProtocol
import RoomServer
import TestSupport
import Testing

/// Which moment of the track is heard when, against a real server: read off ruler audio in a WAV
/// file, and compared with what the server itself held true at that moment.
@Suite(.serialized, .timeLimit(.minutes(3))) struct RoomHeardTests {
  /// What scheduling on a busy machine may add between the server's stamp and ours, and less than
  /// a device's buffer, which must never be forgotten; the program's own tests look closer, and
  /// Playback's to the sample.
  static let tolerance = 0.18

  private func expectHeard(
    _ recording: Recording, _ witness: Witness, _ origin: ContinuousClock.Instant
  ) {
    guard let error = recording.error(witness, origin: origin) else {
      Issue.record("silence at \(witness.name)")
      return
    }
    #expect(abs(error) < Self.tolerance, "\(witness.name): off by \(error * 1000) ms")
  }

  @Test func `join, seek, pause, unpause and track change are heard at the room's moment`()
    async throws
  {
    let rig = try await ListenerRig([
      ("a.flac", "audio/ruler.flac"), ("b.flac", "audio/ruler.flac"),
    ])
    let server = rig.server
    await server.control(.seek(timestamp: 5))
    var heard: [Witness] = []
    var silent: [Witness] = []
    try await rig.listen { _ in
      try await rig.wait { if case .started = $0 { true } else { false } }
      try await Task.sleep(for: .milliseconds(300))
      heard.append(try await Witness("join", server))

      await server.control(.seek(timestamp: 30))
      try await rig.wait(2) { if case .started = $0 { true } else { false } }
      try await Task.sleep(for: .milliseconds(300))
      heard.append(try await Witness("seek", server))

      await server.control(.pause)
      try await Task.sleep(for: .milliseconds(600))
      silent.append(try await Witness("pause", server))
      await server.control(.unpause)
      try await rig.wait(3) { if case .started = $0 { true } else { false } }
      try await Task.sleep(for: .milliseconds(300))
      heard.append(try await Witness("unpause", server))

      await server.control(.jump(index: 1))
      await server.control(.seek(timestamp: 12))
      try await rig.wait { if case .track(let track, 1, _) = $0 { track != nil } else { false } }
      try await Task.sleep(for: .milliseconds(900))
      heard.append(try await Witness("track change", server))
      // What was written last is heard a buffer later.
      try await Task.sleep(for: .milliseconds(300))
    }
    let origin = try #require(rig.origin)
    let recording = try Recording(rig.folder.file("out.wav"))
    for witness in heard { expectHeard(recording, witness, origin) }
    for witness in silent {
      #expect(witness.paused)
      #expect(recording.error(witness, origin: origin) == nil, "sound at \(witness.name)")
    }
    try await eventually("the end of all connections") {
      await rig.server.connectionCount == 0
    }
    await rig.stop()
  }

  @Test(arguments: [(2.05, true), (1.9, false)])
  func `a room that jumps by 2 s is followed by a seek, by less it is not`(
    step: Double, seeks: Bool
  ) async throws {
    let rig = try await ListenerRig([("a.flac", "audio/ruler.flac")])
    let server = rig.server
    await server.control(.seek(timestamp: 5))
    var witness: Witness?
    try await rig.listen { _ in
      // Two reports: the start has settled.
      try await rig.wait(3) { if case .position = $0 { true } else { false } }
      let before = await server.state()
      let state = try #require(before)
      #expect(rig.seeks == 0)
      await server.control(.seek(timestamp: state.currentTimestamp + step))
      try await Task.sleep(for: .milliseconds(800))
      witness = try await Witness("after the step", server)
      try await Task.sleep(for: .milliseconds(400))
    }
    #expect(rig.seeks == (seeks ? 1 : 0))
    let recording = try Recording(rig.folder.file("out.wav"))
    let origin = try #require(rig.origin)
    let last = try #require(witness)
    let error = try #require(recording.error(last, origin: origin))
    #expect(abs(error + (seeks ? 0 : step)) < Self.tolerance, "off by \(error * 1000) ms")
    await rig.stop()
  }

  @Test func `a latency set while listening is led at once, and silence is where it is wanted`()
    async throws
  {
    let rig = try await ListenerRig([("a.flac", "audio/ruler.flac")])
    await rig.server.control(.seek(timestamp: 5))
    var led: Witness?
    var muted: Witness?
    try await rig.listen { session in
      try await rig.wait(2) { if case .position = $0 { true } else { false } }
      await session.setLatency(.milliseconds(400))
      try await rig.wait(2) { if case .started = $0 { true } else { false } }
      try await Task.sleep(for: .milliseconds(300))
      led = try await Witness("led", rig.server)
      await session.setMuted(true)
      try await Task.sleep(for: .milliseconds(600))
      muted = try await Witness("muted", rig.server)
      try await Task.sleep(for: .milliseconds(300))
    }
    let recording = try Recording(rig.folder.file("out.wav"))
    let origin = try #require(rig.origin)
    let (first, second) = (try #require(led), try #require(muted))
    let error = try #require(recording.error(first, origin: origin))
    #expect(abs(error - 0.4) < Self.tolerance, "ahead by \(error * 1000) ms")
    #expect(recording.error(second, origin: origin) == nil)
    await rig.stop()
  }

  @Test func `a wish that a guest's room does not follow is told`() async throws {
    let rig = try await ListenerRig([("a.flac", "audio/ruler.flac")])
    try await rig.listen { session in
      try await rig.wait { if case .started = $0 { true } else { false } }
      #expect(await session.wish(.pause))
      try await rig.wait { if case .ignored(.pause) = $0 { true } else { false } }
    }
    await rig.stop()
  }
}
