import Listening
import RoomProtocol
import RoomServer
import TestSupport
import Testing

/// Frames that say nothing, or too much: passed over, while the sound goes on.
@Suite(.serialized, .timeLimit(.minutes(3))) struct BadFramesTests {
  private static func deep(_ count: Int) -> String {
    String(repeating: "[", count: count) + String(repeating: "]", count: count)
  }

  /// Frames that are no word of the protocol.
  static let frames = [
    "", "no JSON", "{", "[]", "null", "42", #""text""#, "{}", #"{"error": "x"}"#,
    #"{"type": 5}"#, #"{"type": null}"#, #"{"type": "novel", "more": [1, 2]}"#,
    #"{"type": "switched"}"#, #"{"type": "channel_list"}"#, #"{"type": "toast"}"#,
    #"{"track": {"title": "no id"}}"#, #"{"track": 7, "channelId": "elsewhere"}"#,
    #"{"track": null, "channelId": "elsewhere", "currentTimestamp": 0}"#,
    deep(200), #"{"track": null, "channelId": "elsewhere", "queue": "# + deep(5000) + "}",
    deep(100_000), String(repeating: #"{"a":"#, count: 20_000), "\u{0}\u{1}",
  ]

  @Test func `frames that say nothing change nothing`() async throws {
    let rig = try await ListenerRig([("a.flac", "audio/ruler.flac")])
    let server = rig.server
    await server.control(.seek(timestamp: 10))
    var witness: Witness?
    try await rig.listen { session in
      try await rig.wait(2) { $0.isPosition }
      for _ in 0..<3 { for frame in Self.frames { await server.sendText(frame) } }
      let before = rig.events.count { $0.isPosition }
      try await rig.wait(before + 2) { $0.isPosition }
      witness = try await Witness("after the frames", server)
      // Still on the same socket, which still says what happens.
      await server.broadcast(.toast(message: "last", kind: "info"))
      try await rig.wait { if case .toast(message: "last", _) = $0 { true } else { false } }
      #expect(await session.snapshot.state?.track != nil)
      try await Task.sleep(for: .milliseconds(300))
    }
    await rig.stop()
    #expect(rig.seeks == 0)
    #expect(rig.events.count { $0.isConnected } == 1)
    #expect(rig.events.count { $0.isStarted } == 1)
    let strange = rig.events.filter { $0.isStrange }
    #expect(!strange.isEmpty)
    // Each kind is told once, though each frame came three times.
    let told = strange.map { "\($0)" }
    #expect(Set(told).count == told.count, "\(told)")
    let last = try #require(witness)
    let error = try rig.error(last)
    #expect(abs(error) < RoomHeardTests.tolerance, "off by \(error * 1000) ms")
  }

  @Test func `a queue of 10,000 rows comes soon, and the sound goes on`() async throws {
    let rig = try await ListenerRig([("a.flac", "audio/ruler.flac")])
    let server = rig.server
    try await rig.listen { session in
      try await rig.wait(2) { $0.isPosition }
      let before = ContinuousClock.now
      await server.add(
        (0..<10_000).map { row in
          Track(
            id: TrackID("row-\(row)"), filename: "row \(row).flac",
            title: "A title of usual length, number \(row)", artist: "Some artist",
            album: "Some album", duration: 200)
        })
      try await rig.wait {
        if case .queue(let rows, _) = $0 { rows.count == 10_001 } else { false }
      }
      let took = ContinuousClock.now - before
      print("10,001 rows: from the server's change to the listener's event \(took)")
      #expect(took < .seconds(8))
      #expect(await session.snapshot.queue?.count == 10_001)
      let positions = rig.events.count { $0.isPosition }
      try await rig.wait(positions + 2) { $0.isPosition }
    }
    await rig.stop()
    #expect(rig.seeks == 0)
    #expect(!rig.events.contains { if case .underrun = $0 { true } else { false } })
    #expect(!rig.events.contains { if case .starved = $0 { true } else { false } })
  }

  @Test func `no title and no duration are no obstacle`() async throws {
    let rig = try await ListenerRig([])
    await rig.server.add(
      [Track(id: "bare", filename: "", title: nil, duration: nil)],
      files: ["bare": Fixture.path("audio/ruler.flac")])
    try await rig.listen { session in
      try await rig.wait(2) { $0.isPosition }
      let track = await session.snapshot.state?.track
      #expect(track?.displayTitle == "bare")
      #expect(track?.length == nil)
    }
    await rig.stop()
    #expect(rig.seeks == 0)
  }
}
