import PCM

/// A run of one track's frames that the output thread plays: from a start marker to its end, or
/// until the generation is raised.
struct Stretch {
  /// What is being done with it.
  enum Phase {
    /// Its time has not come, or its frames have not.
    case waiting
    case playing
    /// Its generation is over; frames of the fade that are left.
    case fading(Int)
  }

  let generation: UInt64
  let placement: PlacementID
  /// The output frame at which `trackFrame` is to be heard.
  let outputFrame: FrameCount
  /// The ring's number of the frame that is due next.
  var due: FrameCount
  /// The ring's number of the first frame, and its place in the track.
  let ringIndex: FrameCount
  let trackFrame: FrameCount
  /// The ring's number behind the last frame, once known.
  var end: FrameCount?
  var phase = Phase.waiting
  /// Where sound begins or ends inside the track it is ramped.
  var ramp = GainRamp()
  /// Whether anything of it was played.
  var hasSounded = false
  /// The instant at which `trackFrame` is to be heard, in nanoseconds of the player's count.
  let dueAt: Int64
  /// What is put right once it sounds.
  var landing: Landing?
  /// Frames of a cross-fade still to come.
  var splice = 0

  init(_ marker: Marker) {
    generation = marker.generation
    placement = marker.placement
    outputFrame = marker.outputFrame
    due = marker.ringIndex
    ringIndex = marker.ringIndex
    trackFrame = marker.trackFrame
    dueAt = marker.dueAt
  }

  /// Whether it follows what comes before whenever that ends, and loses no frame for being late.
  var isJoined: Bool { outputFrame == Marker.joined }

  /// The place in the track of the frame that is due.
  var dueTrackFrame: FrameCount { trackFrame + (due - ringIndex) }
}

/// What was written when, so that it can be told what is heard now: a fixed number of entries.
///
/// Threading: the output thread alone.
struct HeardTrail {
  /// From `outputFrame` on, the track was at `trackFrame`, moving or standing.
  struct Entry {
    var outputFrame: FrameCount
    var generation: UInt64
    var placement: PlacementID
    var trackFrame: FrameCount
    var isMoving: Bool
    /// Whether a stretch's sound begins here, after its start marker.
    var isFirst = false
    /// Whether the track has ended here.
    var isLast = false

    /// Whether another entry only goes on where this one leads.
    func isContinued(by next: Entry) -> Bool {
      isMoving && next.isMoving && !next.isFirst && generation == next.generation
        && next.trackFrame - trackFrame == next.outputFrame - outputFrame
    }
  }

  private static let capacity = 256
  private var entries = InlineArray<256, Entry>(
    repeating: Entry(outputFrame: 0, generation: 0, placement: 0, trackFrame: 0, isMoving: false))
  private var head = 0
  private var count = 0
  /// The entry that is being heard.
  private(set) var current: Entry?

  /// Adds an entry behind the others, unless the last one already says the same; a full trail
  /// forgets its oldest.
  mutating func add(_ entry: Entry) {
    if let last = count > 0 ? entries[(head + count - 1) % Self.capacity] : current,
      last.isContinued(by: entry)
    {
      return
    }
    if count == Self.capacity { _ = takeOldest() }
    entries[(head + count) % Self.capacity] = entry
    count += 1
  }

  /// Moves on to the next entry that is heard by now; nil when there is none.
  mutating func next(upTo heard: FrameCount) -> Entry? {
    guard count > 0, entries[head].outputFrame <= heard else { return nil }
    return takeOldest()
  }

  private mutating func takeOldest() -> Entry {
    let entry = entries[head]
    head = (head + 1) % Self.capacity
    count -= 1
    current = entry
    return entry
  }
}
