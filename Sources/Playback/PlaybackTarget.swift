/// Where the player is to be: a position, when it holds, and whether it moves from there.
package struct PlaybackTarget: Equatable, Sendable {
  /// The position from the track's start.
  package var position: Duration
  /// The instant at which the position holds.
  package var at: ContinuousClock.Instant
  /// Whether the position moves with the clock; a paused one stands still.
  package var isPlaying: Bool

  package init(position: Duration, at: ContinuousClock.Instant, isPlaying: Bool) {
    self.position = position
    self.at = at
    self.isPlaying = isPlaying
  }

  /// The position that is to be heard at an instant; negative before the track's start.
  package func position(at instant: ContinuousClock.Instant) -> Duration {
    isPlaying ? position + (instant - at) : position
  }
}
