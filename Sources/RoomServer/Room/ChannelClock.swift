/// Where a channel is in its track: the clock of protocol.md section 6, with the time as argument.
///
/// While it plays, the position is the wall clock minus the moment the track (would have) started;
/// while it is paused, a number. Everything is in whole milliseconds, as `Date.now()` counts them.
/// The clock doesn't know how long the track is: the timer that asks it does.
struct ChannelClock: Equatable {
  private enum Mode: Equatable {
    case playing(startedAt: Int64)
    case paused(position: Int64)
  }

  private var mode: Mode

  /// A clock at a position.
  init(position: Int64 = 0, isPaused: Bool, now: Int64) {
    mode = isPaused ? .paused(position: position) : .playing(startedAt: now - position)
  }

  var isPaused: Bool {
    if case .paused = mode { true } else { false }
  }

  /// The position; it runs on past the track's end, and below 0 where the wall clock steps back.
  func position(at now: Int64) -> Int64 {
    switch mode {
    case .playing(let startedAt): now - startedAt
    case .paused(let position): position
    }
  }

  /// Whether a playing channel has come to the end of a track of so many milliseconds.
  ///
  /// A track of unknown length has no end.
  func hasEnded(duration: Int64?, at now: Int64) -> Bool {
    guard let duration, !isPaused else { return false }
    return position(at: now) >= duration
  }

  /// Stands still where it is, or at the track's end where it ran past it.
  mutating func pause(duration: Int64?, at now: Int64) {
    mode = .paused(position: Self.clamp(position(at: now), duration))
  }

  /// Runs on from where it stands.
  mutating func unpause(at now: Int64) {
    mode = .playing(startedAt: now - position(at: now))
  }

  /// Goes to a position within the track; playing or paused stays as it is.
  mutating func seek(to position: Int64, duration: Int64?, at now: Int64) {
    self = ChannelClock(
      position: Self.clamp(position, duration), isPaused: isPaused, now: now)
  }

  /// Goes to the start of another track; nothing of the old one's excess is carried over.
  mutating func restart(at now: Int64) {
    self = ChannelClock(isPaused: isPaused, now: now)
  }

  private static func clamp(_ position: Int64, _ duration: Int64?) -> Int64 {
    max(0, min(position, duration ?? .max))
  }
}
