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
  /// What the player calls the placement; several that follow each other have one generation.
  package var placement: UInt64
  /// The ring's number of the first frame it covers.
  package var ringIndex: FrameCount
  /// Where in the track that frame is, in frames of the device's rate.
  package var trackFrame: FrameCount
  /// The frame of the output at which it is to be heard; `joined` puts it right behind what comes
  /// before.
  package var outputFrame: FrameCount
  /// The instant at which it is to be heard, in nanoseconds of the player's own count; the output
  /// frame follows from it by what the device's clock said when the marker was made.
  package var dueAt: Int64
  /// What begins here.
  package var kind: Kind

  /// The output frame of a marker that follows what comes before without a gap.
  package static let joined: FrameCount = -1

  /// Makes a marker; where nothing else is said it starts a track, right behind what comes before.
  package init(
    generation: UInt64, placement: UInt64 = 0, ringIndex: FrameCount, trackFrame: FrameCount,
    outputFrame: FrameCount = Marker.joined, dueAt: Int64 = 0, kind: Kind = .start
  ) {
    self.generation = generation
    self.placement = placement
    self.ringIndex = ringIndex
    self.trackFrame = trackFrame
    self.outputFrame = outputFrame
    self.dueAt = dueAt
    self.kind = kind
  }
}

/// The queue of markers that runs beside the ring.
///
/// The producer pushes a marker *before* it writes the marker's first frame, so that the consumer
/// never meets frames whose marker it can't see yet.
package typealias MarkerQueue = Conveyor<Marker>
