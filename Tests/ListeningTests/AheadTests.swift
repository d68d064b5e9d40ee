import Caching
import Listening
import RoomProtocol
import RoomServer
import TestSupport
import Testing

/// The track that follows is brought to the disk while the current one plays.
@Suite(.serialized, .timeLimit(.minutes(3))) struct AheadTests {
  /// A room that plays `a` (10 s of mp3, 80 KB), then longer ones; `gone` has no file.
  private func rig(_ ids: [TrackID], mode: PlaybackMode = .repeatAll) async throws -> ListenerRig {
    let rig = try await ListenerRig([])
    let small = Fixture.path("audio/noise-cbr.mp3")
    var files: [TrackID: String] = [:]
    for id in ids where id != "gone" {
      // Equal content would be one file.
      files[id] = id == "a" ? small : Fixture.path("audio/ruler\(id == "c" ? "-48k" : "").flac")
    }
    await rig.server.add(
      ids.map { Track(id: $0, filename: "\($0)", duration: $0 == "a" ? 10 : 50) }, files: files)
    await rig.server.setMode(mode)
    await rig.server.control(.jump(index: 0))
    return rig
  }

  /// What has happened to downloads, in order.
  private func downloads(_ rig: ListenerRig) -> [String] {
    rig.events.compactMap { event in
      guard case .download(let event) = event else { return nil }
      return switch event {
      case .started(let id, _): "started \(id)"
      case .finished(let id, _): "finished \(id)"
      case .failed(let id, _): "failed \(id)"
      case .notKept(let id, _): "not kept \(id.map { "\($0)" } ?? "")"
      case .mended: "mended"
      }
    }
  }

  private func wait(_ rig: ListenerRig, for text: String, count: Int = 1) async throws {
    try await eventually("\(text) in \(downloads(rig))") {
      downloads(rig).count { $0 == text } >= count
    }
  }

  @Test func `it is fetched once all of the current one is here, and no other`() async throws {
    let rig = try await rig(["a", "b", "c"])
    try await rig.listen { session in
      try await wait(rig, for: "finished b")
      try await rig.wait(2) { $0.isPosition }
      #expect(downloads(rig) == ["started a", "finished a", "started b", "finished b"])
      try await eventually("both are held") { await session.snapshot.cached == ["a", "b"] }
      await rig.server.control(.jump(index: 1))
      try await wait(rig, for: "finished c")
      try await eventually("both are held") { await session.snapshot.cached == ["b", "c"] }
    }
    #expect(downloads(rig).count == 6)
    await rig.stop()
  }

  @Test(arguments: [PlaybackMode.shuffle, .repeatOne])
  func `where luck decides, or the same comes again, none is`(mode: PlaybackMode) async throws {
    let rig = try await rig(["a", "b"], mode: mode)
    try await rig.listen { _ in
      try await wait(rig, for: "finished a")
      try await rig.wait(3) { $0.isPosition }
    }
    #expect(downloads(rig) == ["started a", "finished a"])
    await rig.stop()
  }

  @Test func `it is called off when another one follows`() async throws {
    let rig = try await rig(["a", "b", "c"])
    var faults = Faults()
    // The first takes half a second, the others two.
    faults.bytesPerSecond = 150_000
    await rig.server.setFaults(faults)
    try await rig.listen { _ in
      try await wait(rig, for: "started b")
      #expect(await rig.server.edit(.remove([1])))
      try await wait(rig, for: "started c")
      try await wait(rig, for: "failed b")
      await rig.server.setFaults(Faults())
      try await wait(rig, for: "finished c")
    }
    #expect(!downloads(rig).contains("finished b"))
    await rig.stop()
  }

  @Test func `one under way plays when the room comes to it`() async throws {
    let rig = try await rig(["a", "b", "c"])
    var faults = Faults()
    faults.bytesPerSecond = 150_000
    await rig.server.setFaults(faults)
    try await rig.listen { _ in
      try await wait(rig, for: "started b")
      await rig.server.control(.jump(index: 1))
      try await rig.wait { if case .started("b") = $0.named { true } else { false } }
      try await wait(rig, for: "finished b")
    }
    #expect(downloads(rig).filter { $0.hasSuffix(" b") } == ["started b", "finished b"])
    await rig.stop()
  }

  @Test func `one that can't be had is asked for once, and nothing is said`() async throws {
    let rig = try await rig(["a", "gone"])
    try await rig.listen { _ in
      try await wait(rig, for: "failed gone")
      try await rig.wait(4) { $0.isPosition }
    }
    #expect(downloads(rig).count { $0 == "started gone" } == 1)
    let isSaid = rig.events.contains { if case .unplayable = $0 { true } else { false } }
    #expect(!isSaid)
    await rig.stop()
  }

  @Test func `no process removes the files of both`() async throws {
    let rig = try await rig(["a", "b", "c"])
    let (folder, server) = (rig.folder.file("cache"), rig.server.baseURL)
    try await rig.listen { _ in
      try await wait(rig, for: "finished b")
      await rig.server.control(.jump(index: 1))
      try await wait(rig, for: "finished c")
    }
    rig.forget()
    try await rig.listen { session in
      try await eventually("both are held") { await session.snapshot.cached == ["b", "c"] }
      let other = TrackCache(folder: folder)
      let removed = try await other.prune(to: 0).removed.map(\.id)
      #expect(removed == ["a"])
      #expect(try await other.keptIDs(server: server) == ["b", "c"])
    }
    // With the listener its leases are gone.
    _ = try await TrackCache(folder: folder).prune(to: 0)
    #expect(try await TrackCache(folder: folder).keptIDs(server: server).isEmpty)
    await rig.stop()
  }

  @Test func `downloads for later are held back until the current one is here`() async throws {
    let rig = try await rig(["a", "b"], mode: .repeatOne)
    var faults = Faults()
    faults.bytesPerSecond = 100_000
    await rig.server.setFaults(faults)
    let lock = PlayingLock(folder: rig.folder.file("cache"))
    try await rig.listen { _ in
      try await wait(rig, for: "started a")
      try await eventually("the lock") { lock.isHeld }
      try await wait(rig, for: "finished a")
      try await eventually("no lock") { !lock.isHeld }
    }
    await rig.stop()
  }

  @Test func `a track that is half here starts from what is here`() async throws {
    let rig = try await rig(["b"])
    var faults = Faults()
    faults.bytesPerSecond = 150_000
    await rig.server.setFaults(faults)
    try await rig.listen { session in
      try await eventually("the half of it") { await session.snapshot.loaded > 0.5 }
    }
    // A byte a second: what is heard comes from the disk.
    faults.bytesPerSecond = 1
    await rig.server.setFaults(faults)
    await rig.server.control(.seek(timestamp: 2))
    let before = rig.events.count
    try await rig.listen { session in
      try await eventually("a second of it") {
        rig.events.dropFirst(before).count { $0.isPosition } >= 3
      }
      let segments = await session.snapshot.segments
      #expect(segments.count == 20)
      #expect(segments.first == 1 && segments.last == 0)
    }
    await rig.stop()
  }

  @Test func `a listener ends at once with one under way`() async throws {
    let rig = try await rig(["a", "b"])
    var faults = Faults()
    faults.bytesPerSecond = 50_000
    await rig.server.setFaults(faults)
    let clock = ContinuousClock()
    var start = clock.now
    try await rig.listen { _ in
      try await wait(rig, for: "started b")
      start = clock.now
    }
    #expect(clock.now - start < .seconds(1))
    await rig.stop()
  }
}
