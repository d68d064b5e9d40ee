import RoomProtocol

/// What the player was last told, and what it has said since.
struct Placement: Sendable {
  /// How far the player has come with it.
  enum Phase: Hashable, Sendable {
    /// Nothing of it is heard yet.
    case loading
    /// It is heard, since an instant.
    case started(ContinuousClock.Instant)
    /// It was heard to its end, where the room was at a position.
    case ended(at: Duration)
    /// It can't be played.
    case failed
    /// The server does not have it: it was never loaded.
    case unavailable
  }

  var id: LoadID
  var track: TrackID
  /// Where the player was told to be.
  var timeline: ChannelTimeline
  var phase = Phase.loading
  /// Where the player says it is, once it has settled.
  var heard: ChannelTimeline?

  init(id: LoadID, track: TrackID, timeline: ChannelTimeline) {
    self.id = id
    self.track = track
    self.timeline = timeline
  }

  /// Whether there is sound to be paused, moved or stopped.
  var isAlive: Bool {
    switch phase {
    case .loading, .started: true
    case .ended, .failed, .unavailable: false
    }
  }

  /// The best guess of where the playhead is: as heard, else as told.
  func playhead(at instant: ContinuousClock.Instant) -> Duration {
    (heard ?? timeline).position(at: instant)
  }

  mutating func start(at instant: ContinuousClock.Instant) {
    guard phase == .loading else { return }
    phase = .started(instant)
  }

  mutating func pause(on timeline: ChannelTimeline) {
    self.timeline = timeline
    heard = nil
  }

  /// Whether the same track, named once more, is a new start of it.
  ///
  /// - Parameters:
  ///   - track: the track, as the server names it now.
  ///   - position: where the room is.
  ///   - previous: where the room would be by its last word.
  ///   - threshold: the smallest step back that is a restart.
  /// - Returns: whether it is to be loaded again.
  func wantsAnew(
    _ track: Track, at position: Duration, after previous: Duration?, threshold: Duration
  ) -> Bool {
    switch phase {
    case .loading, .started: return false
    case .ended(let end):
      // Rule 19. What lies behind the end is silence; so close before it there is nothing to hear.
      return position < end - min(Self.tail, end / 2)
    case .failed:
      return previous.map { $0 - position >= threshold } ?? true  // rule 20
    case .unavailable:
      return track.available  // rule 21
    }
  }

  /// So little before the end is not worth a start.
  private static let tail = Duration.milliseconds(250)
}
