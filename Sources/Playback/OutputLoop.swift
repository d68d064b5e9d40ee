import PCM
import Platform
import Synchronization

/// The output thread's body: a period a step, from the ring to the sink.
///
/// It takes frames, ramps the gain and writes; all else is told to it by `PlayerShared`. A track is
/// spliced in by frame count: its start marker names the output frame at which its first frame is
/// to be heard. Whatever comes late, at the start or after a gap, skips what its time has passed:
/// the timeline stays (docs/realtime.md).
///
/// Threading: the output thread alone. `step` blocks in the sink's `write`, and in nothing else of
/// ours; it neither allocates nor locks.
struct OutputLoop: ~Copyable {
  /// Frames of a fade where sound begins or ends inside a track: 5 ms.
  static func fadeFrames(rate: Int) -> Int { rate / 200 }
  /// Frames of a change of volume: 20 ms.
  static func volumeFrames(rate: Int) -> Int { rate / 50 }
  /// Frames that must wait in the ring before a stretch starts: 0.1 s.
  static func startFrames(rate: Int) -> FrameCount { FrameCount(rate / 10) }

  let shared: PlayerShared
  let sink: any AudioSink
  let format: SinkFormat
  let now: @Sendable () -> ContinuousClock.Instant
  let block: FixedBuffer<Float>
  /// What a splice fades out of.
  let crossfade: FixedBuffer<Float>
  let interpolator = DriftInterpolator()
  var gain: GainRamp
  var clock: DeviceClock
  var trail = HeardTrail()
  var stretch: Stretch?
  /// Frames of the next step: a period, or less for the last one.
  var frames: Int
  /// Output frames handed to the sink so far.
  var written: FrameCount = 0
  private var clockWasKnown = false
  /// What was written before this was heard before the device (re)started.
  private var silentUntil: FrameCount = 0

  init(
    shared: PlayerShared, sink: any AudioSink, format: SinkFormat,
    now: @escaping @Sendable () -> ContinuousClock.Instant
  ) {
    self.shared = shared
    self.sink = sink
    self.format = format
    self.now = now
    frames = format.period
    block = FixedBuffer(count: format.period * stereo)
    crossfade = FixedBuffer(count: Self.spliceFrames(rate: format.rate) * stereo)
    clock = DeviceClock(rate: format.rate, epoch: shared.epoch)
    gain = GainRamp(Float(bitPattern: shared.volume.load(ordering: .relaxed)))
  }

  /// Fills and writes one period, then tells what is heard.
  ///
  /// - Throws: `SinkError` when the device is lost.
  mutating func step() throws(SinkError) {
    var span = UnsafeMutableBufferPointer(start: block.base, count: frames * stereo).mutableSpan
    fill(&span)
    let volume = Float(bitPattern: shared.volume.load(ordering: .relaxed))
    gain.move(to: volume, over: Self.volumeFrames(rate: format.rate))
    gain.apply(to: &span)
    let outcome = try sink.write(block.base, frames: frames)
    written += FrameCount(frames)
    if case .underrun = outcome { underrun() }
    readClock()
    publish()
    land()
    wakeDecoderIfLow()
  }

  /// Whether nothing plays.
  var isSilent: Bool { stretch == nil }

  /// Fades out what plays, whose generation is over, and writes no more than that takes.
  ///
  /// - Throws: `SinkError` when the device is lost.
  mutating func fadeOut() throws(SinkError) {
    frames = min(frames, Self.fadeFrames(rate: format.rate))
    while stretch != nil { try step() }
  }

  private mutating func underrun() {
    shared.underruns.wrappingAdd(1, ordering: .relaxed)
    clock.reset()
    clockWasKnown = false
    silentUntil = written - FrameCount(frames)
    tell(.underrun)
  }

  private mutating func readClock() {
    // A stream that was only filled tells a delay, too: nothing is known before it has played.
    if let reading = sink.reading(),
      written - reading.delay >= silentUntil + FrameCount(format.period)
    {
      clock.add(reading, written: written)
    }
    let origin = clock.origin
    let offset = origin.map { ($0 - shared.epoch).wholeNanoseconds } ?? 0
    shared.clock.publish((written, offset, Int64(format.rate), origin == nil ? 0 : 1))
    guard origin != nil, !clockWasKnown else { return }
    clockWasKnown = true
    tell(.clockKnown)
  }

  /// Says what is heard now, and that a stretch began or ended to be heard.
  private mutating func publish() {
    guard let origin = clock.origin else { return }
    let instant = now()
    let heard = (instant - origin).frames(rate: format.rate)
    while let entry = trail.next(upTo: heard) {
      if entry.isFirst { tell(.started, entry.generation, entry.placement) }
      if entry.isLast { tell(.ended, entry.generation, entry.placement) }
    }
    guard let entry = trail.current else { return }
    let frame = entry.trackFrame + (entry.isMoving ? heard - entry.outputFrame : 0)
    // The time of exactly that frame, so that rounding down to it costs nothing.
    let at = (origin + .frames(heard, rate: format.rate)) - shared.epoch
    shared.position.publish(
      (
        Int64(entry.generation), frame, at.wholeNanoseconds,
        Int64(entry.placement) * 2 + (entry.isMoving ? 1 : 0)
      ))
  }

  func tell(
    _ kind: PlayerShared.Sighting.Kind, _ generation: UInt64 = 0, _ placement: PlacementID = 0,
    value: FrameCount = 0
  ) {
    _ = shared.sightings.push(
      PlayerShared.Sighting(
        kind: kind, generation: generation, placement: placement, value: value))
    shared.commands.wake()
  }

  /// Tells something of a stretch.
  func tell(_ kind: PlayerShared.Sighting.Kind, of stretch: Stretch, value: FrameCount = 0) {
    tell(kind, stretch.generation, stretch.placement, value: value)
  }

  private func wakeDecoderIfLow() {
    guard shared.ring.readableFrames < format.rate,
      shared.decoderRests.exchange(false, ordering: .acquiringAndReleasing)
    else { return }
    shared.commands.wake()
  }
}
