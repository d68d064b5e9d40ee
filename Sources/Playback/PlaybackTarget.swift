/// Where the player is to be: a position, when it holds, and whether it moves from there.
///
/// A target that keeps no time names only the frame to begin with: from there every frame is
/// played, however late it comes.
package struct PlaybackTarget: Equatable, Sendable {
  /// The position from the track's start.
  package var position: Duration
  /// The instant at which the position holds.
  package var at: ContinuousClock.Instant
  /// Whether the position moves with the clock; a paused one stands still.
  package var isPlaying: Bool
  /// Whether the clock says what is heard: what comes late is then skipped.
  package private(set) var keepsTime = true

  package init(position: Duration, at: ContinuousClock.Instant, isPlaying: Bool) {
    self.position = position
    self.at = at
    self.isPlaying = isPlaying
  }

  /// A target in time with nobody.
  ///
  /// - Parameters:
  ///   - position: where to begin.
  ///   - isPlaying: whether it is to sound.
  /// - Returns: a target that keeps no time.
  package static func free(from position: Duration, isPlaying: Bool) -> PlaybackTarget {
    var target = PlaybackTarget(position: position, at: .now, isPlaying: isPlaying)
    target.keepsTime = false
    return target
  }

  /// The position that is to be heard at an instant; negative before the track's start.
  package func position(at instant: ContinuousClock.Instant) -> Duration {
    isPlaying ? position + (instant - at) : position
  }
}
