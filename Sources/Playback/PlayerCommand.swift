package import Codecs

/// Names one placement of the playhead: a load, a seek or an unpause.
///
/// What the player says of it carries the same number. Later ones are larger.
package typealias PlacementID = UInt64

/// What the player is told to do.
package enum PlayerCommand: Sendable {
  /// Have the device open, before there is anything to play: its clock is then known in time.
  case prepare
  /// Play a track from where the target is; `gain` is a linear factor (ReplayGain).
  case load(PlacementID, source: any ByteSource, gain: Float, target: PlaybackTarget)
  /// Be elsewhere in the loaded track: a seek or an unpause, by a new name; a pause, by the old.
  case move(PlacementID, target: PlaybackTarget)
  /// Fall silent and forget the track.
  case stop
}
