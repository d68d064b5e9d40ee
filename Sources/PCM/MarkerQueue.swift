import Synchronization

/// What a stretch of the ring is: which track's frames, from where on, and when to be heard.
package struct Marker: BitwiseCopyable, Equatable, Sendable {
  /// What begins at the marker.
  package enum Kind: UInt8, BitwiseCopyable, Sendable {
    /// Frames of the track follow.
    case start
    /// The track has ended: its last frame is the one before.
    case end
  }

  /// The load or seek it belongs to; an older one than the player's is stale.
  package var generation: UInt64
  /// The ring's number of the first frame it covers.
  package var ringIndex: FrameCount
  /// Where in the track that frame is, in frames of the device's rate.
  package var trackFrame: FrameCount
  /// The frame of the output at which it is to be heard; `joined` puts it right behind what comes
  /// before.
  package var outputFrame: FrameCount
  /// What begins here.
  package var kind: Kind

  /// The output frame of a marker that follows what comes before without a gap.
  package static let joined: FrameCount = -1

  package init(
    generation: UInt64, ringIndex: FrameCount, trackFrame: FrameCount,
    outputFrame: FrameCount = Marker.joined, kind: Kind = .start
  ) {
    self.generation = generation
    self.ringIndex = ringIndex
    self.trackFrame = trackFrame
    self.outputFrame = outputFrame
    self.kind = kind
  }
}

/// The queue of markers that runs beside the ring.
///
/// The producer pushes a marker *before* it writes the marker's first frame, so that the consumer
/// never meets frames whose marker it can't see yet.
///
/// Threading: `push` belongs to the producer's thread, `peek` and `pop` to the consumer's. Never
/// blocks, locks or allocates after `init`.
package final class MarkerQueue: Sendable {
  /// The markers it holds at most, a power of two.
  package let capacity: Int

  private let markers: FixedBuffer<Marker>
  private let paddingBefore = InlineArray<16, Int64>(repeating: 0)
  private let pushed = Atomic<Int>(0)
  private let paddingBetween = InlineArray<16, Int64>(repeating: 0)
  private let popped = Atomic<Int>(0)
  private let paddingAfter = InlineArray<16, Int64>(repeating: 0)

  /// Makes an empty queue.
  ///
  /// - Parameter minimumCapacity: rounded up to a power of two.
  package init(minimumCapacity: Int = 64) {
    var slots = 1
    while slots < minimumCapacity { slots <<= 1 }
    capacity = slots
    markers = FixedBuffer(count: slots)
  }

  /// The markers in the queue.
  package var count: Int {
    pushed.load(ordering: .acquiring) &- popped.load(ordering: .acquiring)
  }

  /// Appends a marker.
  ///
  /// Threading: producer only.
  ///
  /// - Parameter marker: what to append.
  /// - Returns: false when the queue is full and nothing was done.
  package func push(_ marker: Marker) -> Bool {
    let index = pushed.load(ordering: .relaxed)
    guard index &- popped.load(ordering: .acquiring) < capacity else { return false }
    markers.base[index & (capacity - 1)] = marker
    pushed.store(index &+ 1, ordering: .releasing)
    return true
  }

  /// The oldest marker, left where it is; nil when the queue is empty.
  ///
  /// Threading: consumer only.
  package func peek() -> Marker? {
    let index = popped.load(ordering: .relaxed)
    guard pushed.load(ordering: .acquiring) != index else { return nil }
    return markers.base[index & (capacity - 1)]
  }

  /// Takes the oldest marker off; nil when the queue is empty.
  ///
  /// Threading: consumer only.
  package func pop() -> Marker? {
    guard let marker = peek() else { return nil }
    popped.wrappingAdd(1, ordering: .releasing)
    return marker
  }
}
