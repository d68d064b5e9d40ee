import Dispatch
import PCM
import Platform
import Synchronization

/// What the decode thread tells the output thread and the other way round, all without locks.
///
/// The ring carries frames, the marker queue beside it says what they are. The generation is raised
/// by the decode thread at each load, seek, pause and stop: the output thread fades out what is
/// older and waits for markers of the new one.
///
/// Threading: each member says who writes; reading is free.
final class PlayerShared: Sendable {
  /// What the output thread saw: one of these a transition, read by the decode thread.
  struct Sighting: BitwiseCopyable, Sendable {
    enum Kind: UInt8, BitwiseCopyable, Sendable {
      case started, ended, starved, underrun, clockKnown, spliced, misplaced
    }
    var kind: Kind
    var generation: UInt64
    /// What it is of; 0 for what concerns the device.
    var placement: PlacementID
    /// Frames skipped, or repeated when negative.
    var value: FrameCount
  }

  /// Frames from the decode thread to the output thread, at the device's rate.
  let ring: RingBuffer
  /// What the frames are; decode thread to output thread.
  let markers = Conveyor<Marker>(minimumCapacity: 64)
  /// Output thread to decode thread.
  let sightings = Conveyor<Sighting>(minimumCapacity: 256)
  /// The generation that is to be heard; the decode thread raises it, and the player's owner where
  /// silence must not wait for the decode thread.
  let generation = Atomic<UInt64>(0)
  /// How often the device was opened; the output thread counts.
  let deviceRuns = Atomic<Int>(0)
  /// Whether the device is to be open; the decode thread decides, the output thread obeys.
  let wantsDevice = Atomic<Bool>(false)
  /// Set once, by the owner of the player.
  let isStopping = Atomic<Bool>(false)
  /// The volume's linear factor, as the bits of a float; any thread sets it.
  let volume = Atomic<UInt32>(Float(1).bitPattern)
  /// Whether sound heard at the wrong moment is put right by a splice.
  let landsExactly: Atomic<Bool>
  /// Set by the decode thread when the ring is full and it sleeps; cleared by who wakes it.
  let decoderRests = Atomic<Bool>(false)
  /// Wakes the output thread while it has no device.
  let outputWake = DispatchSemaphore(value: 0)
  /// (generation, track frame heard, nanoseconds since `epoch`, twice the placement and 1 while it
  /// moves).
  let position = Board()
  /// (output frames written, nanoseconds from `epoch` to output frame 0, rate, 1 while known).
  let clock = Board()
  /// The underruns since the start; the output thread counts.
  let underruns = Atomic<Int>(0)
  /// The instant that boards count from.
  let epoch: ContinuousClock.Instant
  /// Wakes the decode thread.
  let commands: Mailbox<PlayerCommand>

  init(
    settings: PlayerSettings, epoch: ContinuousClock.Instant, commands: Mailbox<PlayerCommand>
  ) {
    // Where the wished rate is low the device may settle on a usual one.
    let rate = max(settings.rate, 44100)
    landsExactly = Atomic(settings.landsExactly)
    // 4 s at the device's rate, 2 s of them behind the read index (design.md 4).
    ring = RingBuffer(minimumCapacity: 4 * rate, keptBehind: 2 * rate)
    self.epoch = epoch
    self.commands = commands
  }
}
