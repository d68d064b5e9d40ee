import Codecs
import PCM
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Playback

/// What the two threads tell each other arrives as it was meant, whatever it crosses on its way.
@Suite struct HandshakeTests {
  @Test func `a seek that crosses the word of the end is followed`() throws {
    let rig = try PlayerRig()
    try rig.run(.milliseconds(300))
    try rig.load("ruler.flac", at: .seconds(49))
    try rig.run(.milliseconds(900))
    // The end is heard and told, and the seek is there before the decode thread reads of it.
    for _ in 0..<40 where rig.shared.sightings.count == 0 { try rig.output.step() }
    try #require(rig.shared.sightings.count == 1)
    let target = rig.target(.seconds(10))
    rig.move(2, to: .seconds(10))
    try rig.run(.seconds(2))
    #expect(rig.log.words == ["opened 1 flac 44100", "started 1", "started 2"])
    #expect(rig.wrongFrames(target, from: rig.recorded - 44100, count: 44100) == 0)
  }

  @Test func `a pause that crosses the word of the start does not start`() throws {
    let rig = try PlayerRig()
    try rig.run(.milliseconds(300))
    try rig.load("ruler.flac", at: .seconds(5))
    _ = rig.decode.step()
    while rig.decode.step() == .none {}
    for _ in 0..<40 where rig.shared.sightings.count == 0 { try rig.output.step() }
    try #require(rig.shared.sightings.count == 1)
    rig.move(2, to: .seconds(5), playing: false)
    try rig.run(.seconds(1))
    #expect(rig.log.words == ["opened 1 flac 44100"])
  }

  @Test func `the clock of a device that is gone again is not told`() throws {
    let rig = try PlayerRig()
    for _ in 0..<40 where rig.shared.sightings.count == 0 { try rig.output.step() }
    try #require(rig.shared.sightings.count == 1)
    rig.shared.clock.publish((0, 0, 0, 0))
    _ = rig.decode.step()
    #expect(rig.log.clocks == 0)
  }

  @Test func `an old sound of few frames does not play on into the new one`() throws {
    let rig = try PlayerRig()
    for _ in 0..<10 { try rig.output.step() }
    let period = rig.output.format.period
    rig.feed(generation: 1, trackFrame: 1000, at: rig.output.written, frames: period * 3 + 100)
    for _ in 0..<3 { try rig.output.step() }
    try #require(rig.shared.ring.readableFrames == 100)
    let due = rig.output.written + 3000
    rig.feed(generation: 2, trackFrame: 500_000, at: due, frames: 30000)
    for _ in 0..<6 { try rig.output.step() }
    let fade = OutputLoop.fadeFrames(rate: 44100)
    let heard = rig.heard((Int(due) + fade)..<(Int(due) + 4000))
    #expect(heard == (fade..<4000).map { 500_000 + FrameCount($0) })
    // Of the old one the 100 frames that were left, and nothing of the new one before its time.
    #expect(rig.heard((Int(due) - 2900)..<Int(due)).allSatisfy { $0 == nil })
  }

  @Test func `what was read too far is read again`() throws {
    let rig = try PlayerRig()
    for _ in 0..<10 { try rig.output.step() }
    rig.feed(generation: 1, trackFrame: 1000, at: rig.output.written + 3000, frames: 30000)
    // As where the old sound was read on just while the new frames came.
    rig.shared.ring.advance(by: 120)
    let due = Int(rig.output.written) + 3000
    for _ in 0..<6 { try rig.output.step() }
    let fade = OutputLoop.fadeFrames(rate: 44100)
    let heard = rig.heard((due + fade)..<(due + 4000))
    #expect(heard == (fade..<4000).map { 1000 + FrameCount($0) })
  }

  @Test func `seeks that are slow each time end in sound all the same`() throws {
    let rig = try PlayerRig()
    try rig.run(.milliseconds(300))
    let source = SlowSource(try FileByteSource(path: Fixture.path("audio/ruler.flac")))
    rig.shared.commands.post(
      .load(1, source: source, gain: 1, target: rig.target(.seconds(20), playing: false)))
    try rig.step()
    let target = rig.target(.seconds(20))
    rig.move(2, to: .seconds(20))
    // Each jump in the file takes 1.5 s, in which the device plays on.
    // SAFETY: the source is read by this thread alone, inside `decode.step`.
    nonisolated(unsafe) let device = rig
    source.onJump.withLock { $0 = { for _ in 0..<30 { try? device.output.step() } } }
    try rig.run(.seconds(20))
    source.onJump.withLock { $0 = nil }
    #expect(rig.log.words == ["opened 1 flac 44100", "started 2"])
    #expect(rig.wrongFrames(target, from: rig.recorded - 4410, count: 4410) == 0)
  }

  /// The output thread looks for markers while they are made: each one is found.
  @Test(.timeLimit(.minutes(3))) func `no marker is taken for a stale one`() async throws {
    let shared = PlayerShared(
      settings: PlayerSettings(), epoch: .now, commands: Mailbox<PlayerCommand>())
    let taken = Taken()
    let instant = ContinuousClock.now
    let output = NamedThread(name: "output") {
      let sink = NullSink(now: { instant }, sleep: { _ in })
      guard let format = try? sink.open(rate: 8000, buffer: .milliseconds(10)) else { return }
      var loop = OutputLoop(shared: shared, sink: sink, format: format, now: { instant })
      while !taken.isDone.load(ordering: .relaxed) {
        try? loop.step()
        taken.generation.store(loop.stretch?.generation ?? 0, ordering: .relaxed)
      }
    }
    var lost = 0
    let end = ContinuousClock.now + .seconds(1)
    while ContinuousClock.now < end, lost == 0 {
      let generation = shared.generation.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
      _ = shared.markers.push(
        Marker(generation: generation, ringIndex: 0, trackFrame: 0, outputFrame: .max))
      let limit = ContinuousClock.now + .seconds(2)
      while taken.generation.load(ordering: .relaxed) != generation, lost == 0 {
        if ContinuousClock.now > limit { lost = Int(generation) }
      }
    }
    taken.isDone.store(true, ordering: .relaxed)
    output.join()
    #expect(lost == 0)
  }

  @Test func `a track of a far lower rate than the device's fits the ring`() throws {
    let decoder = LowRateDecoder(frames: 3000)
    let track = LoadedTrack(
      placement: 1, source: try FileByteSource(path: Fixture.path("README.md")), decoder: decoder,
      gain: 1, target: PlaybackTarget(position: .zero, at: .now, isPlaying: true))
    let ring = RingBuffer(minimumCapacity: 4 * 44100, keptBehind: 2 * 44100)
    let blocks = DecodeBlocks(frames: DecodeLoop.blockFrames)
    try track.begin(at: 0, deviceRate: 192_000)
    repeat {
      ring.advance(by: ring.readableFrames)
      let frames = track.blockFrames(atMost: DecodeLoop.blockFrames, for: ring)
      try #require(track.mostFrames(from: frames) <= ring.writableFrames)
      guard try track.decode(frames, into: ring, through: blocks) else { break }
    } while ring.writeIndex < .max
    #expect(ring.writeIndex == 3000 * 192)
  }
}

/// What the output thread of a test has got to.
private final class Taken: Sendable {
  let generation = Atomic<UInt64>(0)
  let isDone = Atomic(false)
}

/// A file in which a jump takes its time.
private final class SlowSource: ByteSource {
  /// Called at each read that does not go on where the last one ended.
  let onJump = Mutex<(@Sendable () -> Void)?>(nil)
  private let file: FileByteSource
  private let end = Mutex<Int64>(0)

  init(_ file: FileByteSource) { self.file = file }

  var length: Int64? { file.length }
  var isComplete: Bool { true }

  func read(
    at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ByteSourceError) -> Int {
    let isJump = end.withLock { $0 != offset }
    if isJump { onJump.withLock { $0 }?() }
    let count = try file.read(at: offset, into: buffer)
    end.withLock { $0 = offset + Int64(count) }
    return count
  }

  func cancel() { file.cancel() }
}

/// A decoder of silence at 1 kHz.
private final class LowRateDecoder: Decoder {
  let codec = "silence"
  let sampleRate = 1000
  let frameLength: FrameCount?
  private var left: Int

  init(frames: Int) {
    left = frames
    frameLength = FrameCount(frames)
  }

  func read(into block: inout MutableSpan<Float>) throws(DecoderError) -> Int {
    let count = min(left, block.count / stereo)
    left -= count
    return count
  }

  func seek(to frame: FrameCount) throws(DecoderError) {}
}
