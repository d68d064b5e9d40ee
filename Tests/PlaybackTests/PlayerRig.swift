import Codecs
import PCM
import Platform
import Synchronization
import TestSupport

@testable import Playback

/// Both loops of the player in front of a device that records, on a clock moved by hand: no thread,
/// no waiting, every sample known.
final class PlayerRig {
  let time = ManualTime()
  let shared: PlayerShared
  let device: RecordingSink
  let log = EventLog()
  var decode: DecodeLoop
  var output: OutputLoop
  let origin: ContinuousClock.Instant

  init(rate: Int = 44100, settings: PlayerSettings = PlayerSettings()) throws {
    let time = time
    let log = log
    origin = time.now
    shared = PlayerShared(settings: settings, epoch: time.now, commands: Mailbox())
    device = RecordingSink(time)
    let format = try device.open(rate: rate, buffer: .milliseconds(200))
    decode = DecodeLoop(
      shared: shared, settings: settings, now: { time.now }, emit: { log.add($0) })
    output = OutputLoop(shared: shared, sink: device, format: format, now: { time.now })
    shared.wantsDevice.store(true, ordering: .relaxed)
  }

  /// Lets time pass, a period of the device at a time.
  func run(_ duration: Duration) throws {
    let end = time.now + duration
    while time.now < end { try step() }
  }

  /// Whether the device is to be open.
  var wantsDevice: Bool { shared.wantsDevice.load(ordering: .relaxed) }

  /// The underruns counted.
  var underruns: Int { shared.underruns.load(ordering: .relaxed) }

  /// What `Player.position` reads, off the boards.
  var position: (frame: FrameCount, at: ContinuousClock.Instant)? {
    let (generation, frame, nanoseconds, _) = shared.position.read()
    guard UInt64(generation) == shared.generation.load(ordering: .relaxed) else { return nil }
    return (frame, shared.epoch + .nanoseconds(nanoseconds))
  }

  func step() throws {
    while decode.step() == .none {}
    try output.step()
  }

  func load(path: String, _ id: PlacementID = 1) throws {
    let source = try FileByteSource(path: path)
    shared.commands.post(.load(id, source: source, gain: 1, target: target(.zero)))
  }

  func load(_ name: String, _ id: PlacementID = 1, at position: Duration, playing: Bool = true)
    throws
  {
    let source = try FileByteSource(path: Fixture.path("audio/\(name)"))
    shared.commands.post(
      .load(id, source: source, gain: 1, target: target(position, playing: playing)))
  }

  func move(_ id: PlacementID, to position: Duration, playing: Bool = true) {
    shared.commands.post(.move(id, target: target(position, playing: playing)))
  }

  /// Puts ruler frames into the ring as the decode thread would: a generation, its marker, frames.
  func feed(generation: UInt64, trackFrame: FrameCount, at output: FrameCount, frames: Int) {
    shared.generation.store(generation, ordering: .relaxed)
    _ = shared.markers.push(
      Marker(
        generation: generation, ringIndex: shared.ring.writeIndex, trackFrame: trackFrame,
        outputFrame: output))
    var samples: [Float] = []
    for frame in trackFrame..<(trackFrame + FrameCount(frames)) {
      samples += [Float(frame % 4096) / 32768, Float(frame / 4096) / 32768]
    }
    _ = samples.withUnsafeBufferPointer { shared.ring.write($0) }
  }

  /// A target that holds now.
  func target(_ position: Duration, playing: Bool = true) -> PlaybackTarget {
    PlaybackTarget(position: position, at: time.now, isPlaying: playing)
  }

  /// The output frame that is heard at an instant.
  func outputFrame(at instant: ContinuousClock.Instant) -> Int {
    Int((instant - origin).nearestFrame(rate: output.format.rate))
  }

  /// How many of the frames from an output frame on are not the target's.
  func wrongFrames(_ target: PlaybackTarget, from first: Int, count: Int) -> Int {
    let rate = output.format.rate
    return heard(first..<(first + count)).enumerated().count { offset, frame in
      let instant = origin + .frames(FrameCount(first + offset), rate: rate)
      return frame != target.position(at: instant).nearestFrame(rate: rate)
    }
  }

  /// The output frames there are.
  var recorded: Int { device.samples.count / 2 }

  /// The ruler's frames heard in a range of the output, nil where it is silent.
  func heard(_ range: Range<Int>) -> [FrameCount?] {
    range.map { frame in
      let (left, right) = (device.samples[frame * 2], device.samples[frame * 2 + 1])
      return left == 0 && right == 0 ? nil : Ruler.frame(left: left, right: right)
    }
  }
}

/// A device that keeps every frame it is given and consumes them by a clock moved by hand.
final class RecordingSink: AudioSink {
  let name = "recording"
  let isHeard = false
  private(set) var samples: [Float] = []
  private let time: ManualTime
  private var device: VirtualDevice?
  /// Frames its readings are off by: a device that lies.
  var lie: FrameCount = 0
  /// Frames its readings are off by until it has played a period.
  var lieWhileFilled: FrameCount = 0
  private var playsFrom: FrameCount = 0
  /// Makes the next write fail as a device that is pulled out.
  var isLost = false

  init(_ time: ManualTime) { self.time = time }

  func open(rate: Int, buffer: Duration) throws(SinkError) -> SinkFormat {
    let time = time
    device = VirtualDevice(
      rate: rate, buffer: Int(buffer.frames(rate: rate)), now: { time.now },
      sleep: { time.advance(by: $0 - time.now) })
    return SinkFormat(unpaced: rate, buffer: buffer, sampleFormat: "f32")
  }

  func write(_ block: UnsafePointer<Float>, frames: Int) throws(SinkError) -> WriteOutcome {
    if isLost { throw SinkError(device: name, operation: .write, code: 19) }
    let late = device?.accept(frames) ?? 0
    if late > 0, let device { playsFrom = device.written - FrameCount(frames) }
    samples += Array(repeating: 0, count: Int(late) * stereo)
    samples += UnsafeBufferPointer(start: block, count: frames * stereo)
    return late > 0 ? .underrun : .continued
  }

  func reading() -> SinkReading? {
    guard let device, var reading = device.reading() else { return nil }
    reading.delay += lie
    let hasPlayed = device.written - reading.delay >= playsFrom + FrameCount(device.buffer / 4)
    if !hasPlayed { reading.delay += lieWhileFilled }
    return reading
  }

  func close() { device = nil }
}

/// What a player told, as short words.
final class EventLog: Sendable {
  private let events = Mutex<[PlayerEvent]>([])

  /// How often a device's clock was told.
  var clocks: Int {
    events.withLock { $0 }.count { if case .deviceClock = $0 { true } else { false } }
  }

  func add(_ event: PlayerEvent) { events.withLock { $0.append(event) } }

  var words: [String] {
    events.withLock { $0 }.compactMap { event in
      switch event {
      case .opened(let id, let codec, let rate, _): "opened \(id) \(codec) \(rate)"
      case .started(let id): "started \(id)"
      case .ended(let id): "ended \(id)"
      case .failed(let id, let error): "failed \(id) \(error)"
      case .truncated(let id, _, _): "truncated \(id)"
      case .skipped(let id, _): "skipped \(id)"
      case .underrun: "underrun"
      case .starved(let id): "starved \(id)"
      case .deviceReleased: "released"
      case .deviceOpened, .deviceClock, .deviceFailed: nil
      }
    }
  }
}
