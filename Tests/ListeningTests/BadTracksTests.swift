import Caching
import Codecs
import Listening
import RoomClient
import RoomProtocol
import RoomServer
import TestSupport
import Testing

/// Tracks that can't be had or played: said, silent, and the room goes on.
@Suite(.serialized, .timeLimit(.minutes(3))) struct BadTracksTests {
  /// A paused room whose second track is a good one, and whose first is bad and soon over.
  private func rig(
    bad bytes: [UInt8]?, duration: Double = 1
  ) async throws -> ListenerRig {
    let rig = try await ListenerRig([])
    var files = ["good": Fixture.path("audio/ruler.flac")]
    if let bytes {
      files["bad"] = rig.folder.file("bad")
      try Music.write(bytes, to: rig.folder.file("bad"))
    }
    let tracks = [
      Track(id: "bad", filename: "bad.mp3", duration: duration),
      Track(id: "good", filename: "good.flac", duration: 50),
    ]
    await rig.server.add(
      tracks, files: Dictionary(uniqueKeysWithValues: files.map { (TrackID($0), $1) }))
    await rig.server.control(.pause)
    await rig.server.control(.jump(index: 0))
    await rig.server.control(.seek(timestamp: 0))
    return rig
  }

  private func unplayable(_ event: ListeningEvent) -> ListeningEvent.Unplayable? {
    if case .unplayable("bad", let reason) = event.named { reason } else { nil }
  }

  /// Listens until the good track is heard.
  private func listenToGood(_ rig: ListenerRig) async throws {
    let end = try await rig.listen { _ in
      try await rig.wait { self.unplayable($0) != nil }
      await rig.server.control(.unpause)
      try await rig.wait { if case .started("good") = $0.named { true } else { false } }
    }
    #expect(end == nil)
    await rig.stop()
    let started = rig.events.contains { if case .started("bad") = $0.named { true } else { false } }
    #expect(!started)
  }

  /// Bytes that are no audio.
  struct NoAudio: CustomTestStringConvertible, Sendable {
    var what: String
    var bytes: [UInt8]
    var testDescription: String { what }

    static let noise = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 7919 >> 3) }
  }

  static let noAudio = [
    NoAudio(what: "text", bytes: Array("this is not the music you are looking for\n".utf8)),
    NoAudio(what: "nothing", bytes: []),
    NoAudio(what: "a web page", bytes: Array("<!doctype html><title>404</title>".utf8)),
    NoAudio(what: "zeros", bytes: [UInt8](repeating: 0, count: 100_000)),
    NoAudio(what: "noise", bytes: NoAudio.noise),
    NoAudio(what: "a FLAC header and noise", bytes: Array("fLaC".utf8) + NoAudio.noise),
    NoAudio(what: "an Ogg header and noise", bytes: Array("OggS".utf8) + NoAudio.noise),
  ]

  @Test(arguments: noAudio)
  func `a file that is no audio is told, and the next track plays`(file: NoAudio) async throws {
    let rig = try await rig(bad: file.bytes)
    try await listenToGood(rig)
    let reasons = rig.events.compactMap(unplayable)
    #expect(reasons.count == 1)
    guard case .decoder? = reasons.first else {
      Issue.record("\(reasons)")
      return
    }
  }

  @Test func `a bad file in which the room seeks while it loads is told all the same`()
    async throws
  {
    let rig = try await rig(bad: Array("fLaC".utf8) + NoAudio.noise, duration: 60)
    var faults = Faults()
    faults.bytesPerSecond = 30_000
    await rig.server.setFaults(faults)
    try await rig.listen { _ in
      try await rig.wait { if case .download(.started(_, _)) = $0 { true } else { false } }
      await rig.server.control(.unpause)
      await rig.server.control(.seek(timestamp: 20))
      await rig.server.control(.seek(timestamp: 40))
      try await rig.wait { self.unplayable($0) != nil }
    }
    await rig.stop()
  }

  @Test func `a track the server does not have is told once, and the next one plays`()
    async throws
  {
    let rig = try await rig(bad: nil)
    try await listenToGood(rig)
    let reasons = rig.events.compactMap(unplayable)
    #expect(reasons.count == 1)
    guard case .download(CacheError.fetch(_, RoomError.notFound), nil)? = reasons.first else {
      Issue.record("\(reasons)")
      return
    }
  }

  @Test func `a track that is cut off is heard up to there`() async throws {
    let whole = try Fixture.bytes("audio/ruler.flac")
    // 50 s are 294,387 bytes: a bit more than the first two seconds.
    let rig = try await rig(bad: Array(whole.prefix(14_000)), duration: 5)
    try await rig.listen { _ in
      try await rig.wait { $0.isConnected }
      await rig.server.control(.unpause)
      try await rig.wait { if case .started("bad") = $0.named { true } else { false } }
      try await rig.wait { self.unplayable($0) != nil }
      try await rig.wait { if case .started("good") = $0.named { true } else { false } }
    }
    await rig.stop()
    #expect(rig.events.compactMap(unplayable).count == 1)
  }

  @Test func `damage in the middle is heard as silence, and the timeline stays`() async throws {
    let rig = try await ListenerRig([("a.flac", "audio/ruler.flac")]) {
      // Behind what the id is made of; 4 s of 50.
      $0.faults.corruption = .init(bytes: 100_000..<124_000)
    }
    let server = rig.server
    await server.control(.seek(timestamp: 14))
    var witness: Witness?
    try await rig.listen { _ in
      try await rig.wait { if case .started = $0 { true } else { false } }
      let limit = ContinuousClock.now + .seconds(12)
      while let state = await server.state(), state.currentTimestamp < 22.5,
        ContinuousClock.now < limit
      {
        try await Task.sleep(for: .milliseconds(50))
      }
      witness = try await Witness("behind the damage", server)
      try await Task.sleep(for: .milliseconds(400))
    }
    await rig.stop()
    let last = try #require(witness)
    let error = try rig.error(last)
    #expect(abs(error) < RoomHeardTests.tolerance, "off by \(error * 1000) ms")
    #expect(rig.seeks == 0)
  }

  @Test func `a download cut in the middle is taken up again, and nothing is said`()
    async throws
  {
    let rig = try await ListenerRig([("a.flac", "audio/ruler.flac")]) {
      $0.faults.bodyCut = .init(bytes: 50_000)
    }
    await rig.server.control(.seek(timestamp: 30))
    var witness: Witness?
    try await rig.listen { _ in
      try await rig.wait { if case .started = $0 { true } else { false } }
      try await Task.sleep(for: .milliseconds(300))
      witness = try await Witness("behind the cut", rig.server)
      try await Task.sleep(for: .milliseconds(300))
    }
    await rig.stop()
    #expect(!rig.events.contains { if case .unplayable = $0 { true } else { false } })
    let last = try #require(witness)
    let error = try rig.error(last)
    #expect(abs(error) < RoomHeardTests.tolerance, "off by \(error * 1000) ms")
  }

  @Test func `a download that goes on failing is told once, and heard when it works`()
    async throws
  {
    let rig = try await ListenerRig([("a.flac", "audio/ruler.flac")]) {
      $0.faults.failures = [.init(path: "/api/tracks", status: 503, .always)]
    }
    try await rig.listen { _ in
      try await rig.wait {
        if case .unplayable(_, .download(_, .some)) = $0 { true } else { false }
      }
      await rig.server.setFaults(Faults())
      try await rig.wait { if case .started = $0 { true } else { false } }
      try await Task.sleep(for: .milliseconds(300))
      let witness = try await Witness("after the failure", rig.server)
      try await Task.sleep(for: .milliseconds(300))
      let error = try rig.error(witness)
      #expect(abs(error) < RoomHeardTests.tolerance, "off by \(error * 1000) ms")
    }
    await rig.stop()
    #expect(rig.events.count { if case .unplayable = $0 { true } else { false } } == 1)
  }
}
