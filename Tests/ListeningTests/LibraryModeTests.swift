import Listening
import PCM
import RoomClient
import RoomProtocol
import RoomServer
import TestSupport
import Testing

/// The library played in the place of a room, against a real server and into a WAV file.
@Suite(.serialized, .timeLimit(.minutes(3))) struct LibraryModeTests {
  private static let rulers = [
    (name: "a.flac", fixture: "audio/ruler.flac"), (name: "b.flac", fixture: "audio/ruler.flac"),
    (name: "c.flac", fixture: "audio/ruler.flac"),
  ]

  private func queue(
    _ rig: ListenerRig, at index: Int = 0, mode: PlaybackMode = .repeatAll
  ) async throws -> LocalQueue {
    let tracks = try #require(await rig.server.state()?.queue)
    return try #require(LocalQueue(tracks, at: index, mode: mode))
  }

  private func started(_ rig: ListenerRig) -> Int {
    rig.events.count { if case .started = $0 { true } else { false } }
  }

  /// Waits until what was asked for just now sounds.
  private func waitForSound(_ rig: ListenerRig, after count: Int) async throws {
    try await eventually("sound") { started(rig) > count }
  }

  @Test func `it leaves the room, takes the verbs for itself, and leads back in sync`() async throws
  {
    let rig = try await ListenerRig(Self.rulers)
    let server = rig.server
    await server.control(.seek(timestamp: 5))
    var back: Witness?
    try await rig.listen { session in
      try await waitForSound(rig, after: 0)
      #expect(await server.state()?.listenerCount == 1)
      await session.playLocally(try await queue(rig, at: 1))
      try await waitForSound(rig, after: 1)
      try await eventually("the room is empty") { await server.state()?.listenerCount == 0 }
      var snapshot = await session.snapshot
      #expect(snapshot.source == .library && snapshot.channel == nil && !snapshot.isConnected)
      #expect(snapshot.drift == nil && snapshot.expected == nil)
      #expect(await session.wish(.pause) == false)

      #expect(await session.act(.next))
      try await waitForSound(rig, after: 2)
      #expect(await session.act(.seek(.seconds(30))))
      try await waitForSound(rig, after: 3)
      #expect(await session.act(.pause))
      snapshot = await session.snapshot
      #expect(snapshot.state?.currentIndex == 2 && snapshot.state?.paused == true)
      #expect((Duration.seconds(29)...(.seconds(45))).contains(snapshot.heard ?? .zero))
      let room = try #require(await server.state())
      #expect(room.currentIndex == 0 && !room.paused && room.currentTimestamp < 25)

      #expect(try await session.join(nil).name == "Lobby")
      try await waitForSound(rig, after: 4)
      #expect(await server.state()?.listenerCount == 1)
      #expect(await session.snapshot.source == .room)
      #expect(await session.act(.next) == false)
      try await Task.sleep(for: .milliseconds(400))
      back = try await Witness("back", server)
      try await Task.sleep(for: .milliseconds(600))
    }
    #expect(abs(try rig.error(try #require(back))) < RoomHeardTests.tolerance)
    let sources = rig.events.compactMap { if case .source(let source) = $0 { source } else { nil } }
    #expect(sources == [.library, .room])
    await rig.stop()
  }

  @Test func `a room that is not there leaves the library playing`() async throws {
    let rig = try await ListenerRig(Self.rulers)
    try await rig.listen { session in
      try await waitForSound(rig, after: 0)
      await session.playLocally(try await queue(rig))
      try await waitForSound(rig, after: 1)
      await #expect(throws: JoinError.self) { try await session.join("Kitchen") }
      #expect(await session.snapshot.source == .library)
      await rig.stop()
      await #expect(throws: JoinError.self) { try await session.join(nil) }
      #expect(await session.snapshot.source == .library)
      #expect(await session.act(.seek(.seconds(10))))
      try await waitForSound(rig, after: 2)
    }
  }

  @Test(arguments: [PlaybackMode.repeatOne, .repeatAll, .once])
  func `the end of a track is what the mode makes it, without a gap`(mode: PlaybackMode)
    async throws
  {
    let rig = try await ListenerRig(Array(Self.rulers.prefix(mode == .once ? 1 : 2)))
    try await rig.listen { session in
      try await waitForSound(rig, after: 0)
      await session.playLocally(try await queue(rig, mode: mode))
      try await waitForSound(rig, after: 1)
      _ = await session.act(.seek(.seconds(49)))
      try await waitForSound(rig, after: 2)
      try await rig.wait { if case .ended = $0 { true } else { false } }
      if mode == .once {
        try await eventually("it stands") { await session.snapshot.state?.paused == true }
        #expect(await session.snapshot.heard == .seconds(50))
        #expect(await session.act(.play))
      }
      try await waitForSound(rig, after: 3)
      try await Task.sleep(for: .milliseconds(500))
      #expect(await session.snapshot.state?.currentIndex == (mode == .repeatAll ? 1 : 0))
    }
    let heard = try Recording(rig.folder.file("out.wav"))
    let last = try #require((0..<heard.frames).last { heard.ruler(at: $0) == Ruler.frames - 1 })
    let next = (1...400).map { heard.ruler(at: last + $0) }
    // The ruler's first frame is silent.
    #expect((next == [nil] + (1..<400).map { $0 }) == (mode != .once))
    await rig.stop()
  }

  @Test func `without a server what is kept plays, and the rest is passed over`() async throws {
    let rig = try await ListenerRig(Self.rulers + [(name: "d.flac", fixture: "audio/ruler.flac")])
    var queue: LocalQueue?
    try await rig.listen { session in
      let all = try await self.queue(rig)
      try await waitForSound(rig, after: 0)
      queue = LocalQueue(
        [Track(id: "sha256:gone"), all.tracks[0], all.tracks[3], all.tracks[2]])
      await session.playLocally(try #require(LocalQueue([all.tracks[2]])))
      try await waitForSound(rig, after: 1)
      try await eventually("it is kept") { await session.snapshot.isKept == true }
    }
    await rig.stop()
    let before = started(rig)
    let wanted = queue
    try await rig.listen(change: { $0.library = wanted }) { session in
      try await waitForSound(rig, after: before)
      // The first is not known, the second plays, the third was never fetched.
      #expect(await session.snapshot.state?.currentIndex == 1)
      _ = await session.act(.next)
      try await waitForSound(rig, after: before + 1)
      #expect(await session.snapshot.state?.currentIndex == 3)
      await #expect(throws: JoinError.self) { try await session.join(nil) }
    }
  }

  @Test func `where nothing can be played it stands and says why`() async throws {
    let rig = try await ListenerRig(Self.rulers)
    await rig.stop()
    let gone = LocalQueue([Track(id: "x"), Track(id: "y")], mode: .shuffle)
    try await rig.listen(change: { $0.library = gone }) { session in
      try await eventually("it stands") { await session.snapshot.state?.paused == true }
      #expect(await session.snapshot.source == .library)
    }
    let told = rig.events.count { if case .unplayable = $0 { true } else { false } }
    // The second is left out at once where it is known by then that nothing is cached.
    #expect((1...2).contains(told))
  }
}
