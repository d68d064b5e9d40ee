package import Codecs
import Dispatch
import PCM
import Platform
import Synchronization

/// Plays one track at a time, in time: the handle in front of the decode and output threads.
///
/// A track is loaded with a target that says where it is to be and when; the player decodes from
/// where the target is when the next frame is heard. It follows no room of its own: the caller
/// compares `position` with where it wants to be, and moves the player.
///
/// Threading: all members may be used from any thread; only `shutdown` blocks.
package final class Player: Sendable {
  /// What happens, in order; ends with `shutdown`.
  package let events: AsyncStream<PlayerEvent>

  private let shared: PlayerShared
  private let commands = Mailbox<PlayerCommand>()
  private let emit: AsyncStream<PlayerEvent>.Continuation
  private let threads: Mutex<[NamedThread]>
  /// The sources of the last load and of what was to follow it: cancelled when it is superseded, so
  /// that the decode thread does not go on waiting for their bytes.
  private let sources = Mutex<[WeakSource]>([])

  private struct WeakSource {
    weak var source: (any ByteSource)?
  }

  /// Starts the two threads; the device stays closed until there is something to do.
  ///
  /// - Parameters:
  ///   - settings: how to play.
  ///   - makeSink: makes the sink, on the output thread that is to own it.
  package init(settings: PlayerSettings, makeSink: @escaping @Sendable () -> any AudioSink) {
    let (events, emit) = AsyncStream<PlayerEvent>.makeStream()
    self.events = events
    self.emit = emit
    let now: @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    let shared = PlayerShared(settings: settings, epoch: now(), commands: commands)
    self.shared = shared
    threads = Mutex([
      NamedThread(name: "decode") {
        DecodeThread(shared: shared, settings: settings, now: now, emit: { emit.yield($0) }).run()
      },
      NamedThread(name: "audio-out", realtimePriority: 10) {
        OutputThread(shared: shared, settings: settings, now: now, emit: { emit.yield($0) })
          .run(sink: makeSink())
      },
    ])
  }

  /// Has the device open before there is anything to play.
  package func prepare() {
    commands.post(.prepare)
  }

  /// Plays a track from where the target is.
  ///
  /// - Parameters:
  ///   - placement: names it in events and positions; larger than all before.
  ///   - source: the track's bytes; cancelled when the load is superseded. Those of the loaded track
  ///     may be given again, as for a seek.
  ///   - gain: a linear factor on the track's samples (ReplayGain).
  ///   - target: where to be.
  package func load(
    _ placement: PlacementID, source: any ByteSource, gain: Float = 1, target: PlaybackTarget
  ) {
    supersede(by: source, .load(placement, source: source, gain: gain, target: target))
  }

  /// Is elsewhere in the loaded track: a seek, a pause or an unpause.
  ///
  /// - Parameters:
  ///   - placement: names it from now on; nothing happens when it is older than the track's own.
  ///   - target: where to be.
  package func move(_ placement: PlacementID, to target: PlaybackTarget) {
    // The decode thread may be waiting for bytes: what plays falls silent all the same.
    shared.generation.wrappingAdd(1, ordering: .acquiringAndReleasing)
    commands.post(.move(placement, target: target))
  }

  /// Plays a track behind the last frame of the loaded one, without a frame of silence between
  /// them.
  ///
  /// It begins to be opened when the last frame before it is decoded, as many seconds early as the ring holds; what
  /// is said after that concerns the track behind it. A load or a stop forgets it.
  ///
  /// - Parameter next: the track; nil lets silence follow. The source is cancelled when it is
  ///   superseded.
  package func follow(with next: FollowingTrack?) {
    sources.withLock { sources in
      sources.removeAll { $0.source == nil }
      if let next { sources.append(WeakSource(source: next.source)) }
      commands.post(.follow(next))
    }
  }

  /// Falls silent and forgets the track.
  package func stop() {
    supersede(by: nil, .stop)
  }

  /// Sets the volume's linear factor, 0...1; it is ramped.
  package func setVolume(_ factor: Float) {
    shared.volume.store(factor.bitPattern, ordering: .relaxed)
  }

  /// What is heard, nil while nothing of the last placement is.
  ///
  /// What belongs to an older placement is not told, though it may be heard for a moment yet.
  package var position: PlaybackPosition? {
    let (generation, frame, nanoseconds, placement) = shared.position.read()
    let (_, _, rate, isKnown) = shared.clock.read()
    guard isKnown != 0, generation > 0,
      UInt64(generation) == shared.generation.load(ordering: .acquiring)
    else { return nil }
    return PlaybackPosition(
      placement: UInt64(placement / 2), position: .frames(frame, rate: Int(rate)),
      at: shared.epoch + .nanoseconds(nanoseconds), isMoving: placement % 2 == 1)
  }

  /// How often the device ran dry.
  package var underruns: Int { shared.underruns.load(ordering: .relaxed) }

  /// How much decoded sound waits to be written to the device.
  package var buffered: Duration {
    let (_, _, rate, isKnown) = shared.clock.read()
    guard isKnown != 0, rate > 0 else { return .zero }
    return .frames(FrameCount(shared.ring.readableFrames), rate: Int(rate))
  }

  /// Fades out, gives the device back and ends both threads.
  ///
  /// Blocks until that is done, a third of a second at most with the usual buffer. Called once, and
  /// last.
  package func shutdown() {
    supersede(by: nil, .stop)
    shared.generation.wrappingAdd(1, ordering: .acquiringAndReleasing)
    shared.isStopping.store(true, ordering: .releasing)
    commands.wake()
    shared.outputWake.signal()
    for thread in threads.withLock({ $0 }) { thread.join() }
    emit.finish()
  }

  private func supersede(by next: (any ByteSource)?, _ command: PlayerCommand) {
    let old = sources.withLock { sources in
      defer { sources = next.map { [WeakSource(source: $0)] } ?? [] }
      // Under the lock: the last source is the last command's, whoever else is at it.
      commands.post(command)
      return sources.compactMap(\.source)
    }
    for source in old where source !== next { source.cancel() }
  }
}
