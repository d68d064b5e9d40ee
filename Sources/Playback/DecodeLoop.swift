import Codecs
import Dispatch
import PCM
import Platform
import Synchronization

/// The decode thread's body: commands in, frames into the ring, events out.
///
/// It opens and seeks the decoder, brings the frames to the device's rate and says with a marker
/// when they are to be heard: at a load, a seek or an unpause it asks the device's clock when the
/// next frames written will be heard, and decodes from where the target is then (design.md 3.2).
///
/// Threading: the decode thread alone. `step` may block in the track's `ByteSource`.
struct DecodeLoop: ~Copyable {
  /// What is to be done after a step.
  enum Wait: Equatable {
    /// Another step at once.
    case none
    /// Sleep until there is a command or a sighting, at most until the instant.
    case untilWoken(deadline: ContinuousClock.Instant?)
  }

  /// Frames decoded in one step, at the file's rate.
  static let blockFrames = 4096
  /// What a start is given to be decoded in before its first frame is due.
  static let lead = Duration.milliseconds(30)
  /// A start that comes later than this is aimed again.
  static let lateLimit = Duration.seconds(1)

  let shared: PlayerShared
  let settings: PlayerSettings
  let now: @Sendable () -> ContinuousClock.Instant
  let emit: @Sendable (PlayerEvent) -> Void
  var track: LoadedTrack?
  /// What is to be heard behind it.
  var next: FollowingTrack?
  /// The generation that this thread raised last; the player's owner may have raised it since.
  private var generation: UInt64 = 0
  /// When there will have been no sound for long enough to give the device back.
  private var releaseAt: ContinuousClock.Instant?
  private let blocks: DecodeBlocks

  init(
    shared: PlayerShared, settings: PlayerSettings,
    now: @escaping @Sendable () -> ContinuousClock.Instant,
    emit: @escaping @Sendable (PlayerEvent) -> Void
  ) {
    self.shared = shared
    self.settings = settings
    self.now = now
    self.emit = emit
    blocks = DecodeBlocks(frames: Self.blockFrames)
  }

  /// Does what is next: all waiting commands and sightings, then one block of frames.
  mutating func step() -> Wait {
    for command in shared.commands.takeAll() { handle(command) }
    while let sighting = shared.sightings.pop() { handle(sighting) }
    aim()
    followOn()
    if feed() { return .none }
    return .untilWoken(deadline: releaseIfDue())
  }

  // MARK: Commands

  private mutating func handle(_ command: PlayerCommand) {
    switch command {
    case .prepare:
      takeDevice()
      restSoon()
    case .load(let placement, let source, let gain, let target):
      raiseGeneration()
      next = nil
      if let track, track.source === source {
        track.placement = placement
        track.gain = gain
        track.target = target
        track.phase = .parked
      } else {
        track = nil
        open(placement, source: source, gain: gain, target: target)
      }
    case .move(let placement, let target):
      // The owner has silenced the track for this move.
      guard let track, track.placement <= placement else { return aimAnew() }
      raiseGeneration()
      track.placement = placement
      track.target = target
      track.phase = .parked
    case .follow(let following):
      next?.source.cancel()
      next = following
      // Whether the device is wanted is not changed by it.
      return
    case .stop:
      raiseGeneration()
      track?.source.cancel()
      track = nil
      next = nil
    }
    if track?.target.isPlaying == true {
      takeDevice()
      releaseAt = nil
    } else {
      restSoon()
    }
  }

  /// Makes all that was written stale: the output thread fades it out.
  mutating func raiseGeneration() {
    generation = shared.generation.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
  }

  private mutating func open(
    _ placement: PlacementID, source: any ByteSource, gain: Float, target: PlaybackTarget
  ) {
    do {
      track = try opened(placement, source: source, gain: gain, target: target)
    } catch let error {
      fail(placement, error, target)
    }
  }

  /// Finds the decoder for a track, and tells what it is.
  ///
  /// - Throws: `DecoderError` when it can't be played.
  func opened(
    _ placement: PlacementID, source: any ByteSource, gain: Float, target: PlaybackTarget
  ) throws(DecoderError) -> LoadedTrack {
    let decoder = try DecoderRegistry.open(source: source)
    let length = decoder.frameLength.map { Duration.frames($0, rate: decoder.sampleRate) }
    emit(.opened(placement, codec: decoder.codec, sampleRate: decoder.sampleRate, length: length))
    return LoadedTrack(
      placement: placement, source: source, decoder: decoder, gain: gain, target: target)
  }

  private mutating func fail(
    _ placement: PlacementID, _ error: DecoderError, _ target: PlaybackTarget
  ) {
    track = nil
    restSoon()
    tell(error, of: placement, keepsTime: target.keepsTime)
  }

  /// Says that nothing of a track will be heard any more, and why.
  func tell(_ error: DecoderError, of placement: PlacementID, keepsTime: Bool) {
    // Cancelled means that somebody wants something else by now: nothing to tell.
    guard error != .source(.cancelled) else { return }
    emit(.failed(placement, error))
    // No clock says what comes then.
    if !keepsTime { emit(.ended(placement)) }
  }

  // MARK: Sightings

  private mutating func handle(_ sighting: PlayerShared.Sighting) {
    switch sighting.kind {
    case .clockKnown:
      let (_, offset, _, isKnown) = shared.clock.read()
      // The device may be gone again by now.
      if isKnown != 0 { emit(.deviceClock(origin: shared.epoch + .nanoseconds(offset))) }
      // What plays was aimed by the clock of an earlier run of the device.
      aimAnew()
    case .underrun:
      emit(.underrun)
      aimAnew()
    case .started, .ended, .starved, .spliced, .misplaced:
      // What is told of an older generation is not of the placement that is wanted by now.
      guard let track, sighting.generation == generation else { return }
      tell(sighting, of: track)
    }
  }

  private mutating func tell(_ sighting: PlayerShared.Sighting, of track: LoadedTrack) {
    switch sighting.kind {
    case .started: emit(.started(sighting.placement))
    case .starved: emit(.starved(sighting.placement))
    case .spliced:
      let rate = Int(shared.clock.read().2)
      emit(.skipped(sighting.placement, by: .frames(sighting.value, rate: max(rate, 1))))
    case .misplaced: aimAnew()
    case .ended:
      // The one behind it may be decoded already.
      if track.placement == sighting.placement { track.phase = .over }
      emit(.ended(sighting.placement))
    case .underrun, .clockKnown: break
    }
  }

  /// Lets what plays be aimed at its target again: its frames are no longer heard when they should.
  private mutating func aimAnew() {
    guard let track, track.phase == .feeding || track.phase == .drained else { return }
    guard track.target.keepsTime || standAgain(track) else { return }
    raiseGeneration()
    track.phase = .parked
  }

  // MARK: Frames

  /// Aims a parked track that is to play at the frames the device takes next.
  private mutating func aim() {
    guard let current = track, current.phase == .parked, current.target.isPlaying else { return }
    do {
      guard current.target.keepsTime else { return try begin(current, at: current.target.position) }
      // A slow seek (a download, a long scan) makes the aim stale: then once more. What is slow
      // each time is heard late, in its place.
      for triesLeft in (0..<4).reversed() {
        guard let aim = nextAim(for: current.target) else { return }
        try current.begin(at: aim.trackFrame, deviceRate: aim.rate)
        guard let again = nextAim(for: current.target) else { return }
        let late = again.outputFrame - aim.outputFrame
        if late > Self.lateLimit.frames(rate: aim.rate), triesLeft > 0 { continue }
        feed(current, from: aim.trackFrame, heardAt: aim.outputFrame, dueAt: aim.dueAt)
        return
      }
    } catch {
      fail(current.placement, error, current.target)
    }
  }

  /// Lets the track's frames go into the ring, behind a marker that says when they are heard.
  func feed(
    _ current: LoadedTrack, from trackFrame: FrameCount,
    heardAt outputFrame: FrameCount = Marker.joined, dueAt: Int64 = 0
  ) {
    current.phase = .feeding
    current.start = (
      shared.ring.writeIndex, trackFrame, shared.deviceRuns.load(ordering: .acquiring)
    )
    push(
      Marker(
        generation: generation, placement: current.placement,
        ringIndex: shared.ring.writeIndex, trackFrame: trackFrame, outputFrame: outputFrame,
        dueAt: dueAt))
  }

  /// The next output frame that can be met, and the track's frame that is due there.
  private func nextAim(for target: PlaybackTarget) -> Aim? {
    let (written, offset, rate, isKnown) = shared.clock.read()
    guard isKnown != 0 else { return nil }
    let rateHz = Int(rate)
    let origin = shared.epoch + .nanoseconds(offset)
    var outputFrame = written + Self.lead.frames(rate: rateHz)
    var position = target.position(at: origin + .frames(outputFrame, rate: rateHz))
    if position < .zero {
      // The target is before the track's start: silence until it begins.
      outputFrame += (.zero - position).nearestFrame(rate: rateHz)
      position = .zero
    }
    // The instant of the whole frame that is played, not of the position between two.
    let trackFrame = position.nearestFrame(rate: rateHz)
    let heardAt = Duration.nanoseconds(offset) + .frames(outputFrame, rate: rateHz)
    let dueAt = heardAt + (.frames(trackFrame, rate: rateHz) - position)
    return Aim(
      outputFrame: outputFrame, trackFrame: trackFrame, dueAt: dueAt.wholeNanoseconds,
      rate: rateHz)
  }

  private struct Aim {
    var outputFrame: FrameCount
    var trackFrame: FrameCount
    /// When that frame is to be heard, in nanoseconds since the epoch.
    var dueAt: Int64
    var rate: Int
  }

  /// Decodes a block into the ring.
  ///
  /// - Returns: whether there is more to do at once.
  private mutating func feed() -> Bool {
    guard let current = track, current.phase == .feeding else { return false }
    let room = shared.ring.writableFrames
    let frames = current.blockFrames(atMost: Self.blockFrames, for: shared.ring)
    guard room >= current.mostFrames(from: frames) else {
      // The output thread wakes us when half of what lies ahead is played.
      shared.decoderRests.store(true, ordering: .releasing)
      return false
    }
    do {
      if try current.decode(frames, into: shared.ring, through: blocks) { return true }
      finish(current, failure: nil)
    } catch {
      finish(current, failure: error)
    }
    return false
  }

  /// Marks the track's end, and says when it is not where the file claims.
  private mutating func finish(_ current: LoadedTrack, failure: DecoderError?) {
    if failure == .source(.cancelled) {
      track = nil
      return
    }
    push(
      Marker(
        generation: generation, placement: current.placement,
        ringIndex: shared.ring.writeIndex, trackFrame: 0, kind: .end))
    track?.phase = .drained
    if let failure { emit(.failed(current.placement, failure)) }
    guard failure == nil, let length = current.decoder.frameLength else { return }
    let rate = current.decoder.sampleRate
    // A tenth of a second: some encoders' counts are off by a block.
    guard current.nextFrame + FrameCount(rate / 10) < length else { return }
    emit(
      .truncated(
        current.placement, at: .frames(current.nextFrame, rate: rate),
        of: .frames(length, rate: rate)))
  }

  private func push(_ marker: Marker) {
    // 64 markers wait only where the output thread has stopped taking any; what it then misses is
    // stale by the time it looks.
    _ = shared.markers.push(marker)
  }

  // MARK: The device

  private func takeDevice() {
    guard !shared.wantsDevice.exchange(true, ordering: .acquiringAndReleasing) else { return }
    shared.outputWake.signal()
  }

  private mutating func restSoon() {
    if releaseAt == nil { releaseAt = settings.releaseAfter.map { now() + $0 } }
  }

  /// Gives the device back when its time has come; else says when that is.
  private mutating func releaseIfDue() -> ContinuousClock.Instant? {
    guard let due = releaseAt else { return nil }
    guard now() >= due else { return due }
    releaseAt = nil
    if shared.wantsDevice.exchange(false, ordering: .acquiringAndReleasing) {
      emit(.deviceReleased)
    }
    return nil
  }
}
