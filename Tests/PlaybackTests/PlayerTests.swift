import Codecs
import PCM
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Playback

/// The player with its two threads, in real time.
@Suite(.timeLimit(.minutes(3))) struct PlayerTests {
  private static let settings: PlayerSettings = {
    var settings = PlayerSettings()
    settings.buffer = .milliseconds(40)
    return settings
  }()

  private func target(_ position: Duration, playing: Bool = true) -> PlaybackTarget {
    PlaybackTarget(position: position, at: .now, isPlaying: playing)
  }

  private func ruler(stallingAt stall: Int64 = .max) throws -> StallingSource {
    StallingSource(
      try FileByteSource(path: Fixture.path("audio/ruler.flac")), stallingAt: stall)
  }

  @Test func `a pause is heard at once though the track's bytes do not come`() async throws {
    let ear = Ear()
    let player = Player(settings: Self.settings) { LiveSink(ear) }
    defer { player.shutdown() }
    // 3 s of the track's 50 are there.
    let source = try ruler()
    source.stall(at: (source.length ?? 0) * 3 / 50)
    player.load(1, source: source, target: target(.zero))
    try await eventually("sound") { player.position.map { $0.placement == 1 } ?? false }
    try await eventually("the decoder waits") { source.isStalled }
    player.move(1, to: target(.seconds(1), playing: false))
    let told = ear.frames
    try await Task.sleep(for: .milliseconds(400))
    // A period in the making, and the fade.
    let late = ear.soundingFrames(from: told + 2 * 441 + OutputLoop.fadeFrames(rate: 44100))
    #expect(late == 0)
    #expect(ear.frames > told + 10000)
    source.goOn()
    player.move(2, to: target(.seconds(20)))
    try await eventually("sound again") { player.position.map { $0.placement == 2 } ?? false }
  }

  @Test func `a shutdown does not wait for bytes`() async throws {
    // Before it is opened, and while it is decoded.
    for part in 0..<2 {
      let player = Player(settings: Self.settings) { NullSink() }
      let source = try ruler()
      source.stall(at: Int64(part) * (source.length ?? 0) / 25)
      player.load(1, source: source, target: target(.zero))
      try await eventually("the decoder waits") { source.isStalled }
      let begin = ContinuousClock.now
      player.shutdown()
      #expect(ContinuousClock.now - begin < .seconds(1))
    }
  }

  @Test func `a shutdown ends under a fade`() async throws {
    let ear = Ear()
    let player = Player(settings: Self.settings) { LiveSink(ear) }
    player.load(1, source: try ruler(), target: target(.seconds(20)))
    try await eventually("sound") { ear.soundingFrames(from: 0) > 4410 }
    player.shutdown()
    let fade = OutputLoop.fadeFrames(rate: 44100)
    let full = ear.right(beforeEnd: fade + 441)
    #expect(full > 0)
    #expect(abs(ear.right(beforeEnd: fade / 2) / full - 0.5) < 0.05)
    #expect(ear.right(beforeEnd: 1) / full < 0.05)
  }

  @Test func `a load takes the place of one that waits for bytes`() async throws {
    let player = Player(settings: Self.settings) { NullSink() }
    defer { player.shutdown() }
    let source = try ruler(stallingAt: 0)
    player.load(1, source: source, target: target(.zero))
    try await eventually("the decoder waits") { source.isStalled }
    player.load(2, source: try ruler(), target: target(.seconds(10)))
    try await eventually("the second") { player.position.map { $0.placement == 2 } ?? false }
  }

  @Test func `a device that opens and then fails is told once`() async throws {
    var settings = Self.settings
    settings.retries = [.milliseconds(1)]
    let tries = Ear()
    let player = Player(settings: settings) { BrokenSink(tries) }
    player.prepare()
    try await eventually("ten tries") { tries.frames >= 10 }
    player.shutdown()
    var told = 0
    for await event in player.events { if case .deviceFailed = event { told += 1 } }
    #expect(told == 1)
  }

  /// Loads, seeks, pauses and stops from several tasks at once; the last one's word counts.
  @Test(arguments: [1, 2, 3] as [UInt64]) func `the last word of many counts`(seed: UInt64)
    async throws
  {
    let player = Player(settings: Self.settings) { NullSink() }
    defer { player.shutdown() }
    let names = Names()
    try await withThrowingTaskGroup { group in
      for task in 0..<4 {
        group.addTask {
          var random = SeededGenerator(seed: seed * 100 + UInt64(task))
          for _ in 0..<50 {
            let place = Duration.milliseconds(Int.random(in: 0..<45000, using: &random))
            let source = try ruler()
            let choice = Int.random(in: 0..<10, using: &random)
            // Names grow with each word, so one word is said at a time.
            names.last.withLock { name in
              name += 1
              switch choice {
              case 0...2: player.load(name, source: source, target: target(place))
              case 3...5: player.move(name, to: target(place, playing: choice != 5))
              case 6: player.stop()
              case 7: player.follow(with: FollowingTrack(name, source: source))
              case 8:
                player.load(name, source: source, target: .free(from: place, isPlaying: true))
              default: player.setVolume(Float(choice) / 8)
              }
            }
            _ = player.position
            try await Task.sleep(for: .milliseconds(Int.random(in: 0..<8, using: &random)))
          }
        }
      }
      try await group.waitForAll()
    }
    let last = names.last.withLock { $0 } + 1
    let place = target(.seconds(5))
    player.load(last, source: try ruler(), target: place)
    try await eventually("the last load") { player.position?.placement == last }
    let position = try #require(player.position)
    let error = position.position - place.position(at: position.at)
    #expect(abs(error / .milliseconds(1)) < 5, "seed \(seed): off by \(error)")
  }
}

/// The names that placements were given.
private final class Names: Sendable {
  let last = Mutex<PlacementID>(0)
}

/// What has been heard so far.
private final class Ear: Sendable {
  private let samples = Mutex<[Float]>([])

  var frames: Int { samples.withLock { $0.count / stereo } }

  /// A right sample, so many frames before the end of sound.
  func right(beforeEnd frames: Int) -> Float {
    samples.withLock { samples in
      let end = samples.lastIndex { $0 != 0 } ?? 0
      return samples[(end / stereo - frames) * stereo + 1]
    }
  }

  func hear(_ block: UnsafeBufferPointer<Float>) { samples.withLock { $0 += block } }

  func soundingFrames(from first: Int) -> Int {
    samples.withLock { samples in
      stride(from: first * stereo, to: samples.count, by: stereo)
        .count { samples[$0] != 0 || samples[$0 + 1] != 0 }
    }
  }
}

/// A device in real time that lets a test hear it.
private final class LiveSink: AudioSink {
  let name = "live"
  let isHeard = false
  private let ear: Ear
  private let device = NullSink()

  init(_ ear: Ear) { self.ear = ear }

  func open(rate: Int, buffer: Duration) throws(SinkError) -> SinkFormat {
    try device.open(rate: rate, buffer: buffer)
  }

  func write(_ block: UnsafePointer<Float>, frames: Int) throws(SinkError) -> WriteOutcome {
    ear.hear(UnsafeBufferPointer(start: block, count: frames * stereo))
    return try device.write(block, frames: frames)
  }

  func reading() -> SinkReading? { device.reading() }
  func close() { device.close() }
}

/// A device that can be opened and takes nothing.
private final class BrokenSink: AudioSink {
  let name = "broken"
  let isHeard = true
  /// Hears a frame at each try.
  private let tries: Ear

  init(_ tries: Ear) { self.tries = tries }

  func open(rate: Int, buffer: Duration) throws(SinkError) -> SinkFormat {
    [0, 0].withUnsafeBufferPointer { tries.hear($0) }
    return SinkFormat(unpaced: rate, buffer: buffer, sampleFormat: "s16")
  }

  func write(_ block: UnsafePointer<Float>, frames: Int) throws(SinkError) -> WriteOutcome {
    throw SinkError(device: name, operation: .write, code: 19)
  }

  func reading() -> SinkReading? { nil }
  func close() {}
}

/// A file whose bytes from some place on do not come until they are let go, or the source is
/// cancelled.
private final class StallingSource: ByteSource {
  private struct State {
    var place: Int64
    var isStalled = false
    var isCancelled = false
  }

  private let file: FileByteSource
  private let state: Mutex<State>

  init(_ file: FileByteSource, stallingAt place: Int64) {
    self.file = file
    state = Mutex(State(place: place))
  }

  var length: Int64? { file.length }
  var isComplete: Bool { false }
  /// Whether somebody waits for bytes.
  var isStalled: Bool { state.withLock(\.isStalled) }

  func stall(at place: Int64) { state.withLock { $0.place = place } }
  func goOn() { stall(at: .max) }

  func read(
    at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ByteSourceError) -> Int {
    while true {
      let (place, isCancelled) = state.withLock { state in
        state.isStalled = offset >= state.place
        return (state.place, state.isCancelled)
      }
      if isCancelled { throw .cancelled }
      if offset < place { break }
      sleepThread(until: .now + .milliseconds(2))
    }
    return try file.read(at: offset, into: buffer)
  }

  func cancel() {
    state.withLock { $0.isCancelled = true }
    file.cancel()
  }
}
