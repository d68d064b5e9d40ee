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
  /// Play this behind the last frame of the loaded track, without a gap; nil: silence comes there.
  case follow(FollowingTrack?)
  /// Fall silent and forget the track.
  case stop
}

/// A track that is to be heard behind the one that is loaded.
package struct FollowingTrack: Sendable {
  /// Names it in events and positions; larger than all before.
  package var placement: PlacementID
  /// The track's bytes.
  package var source: any ByteSource
  /// A linear factor on its samples (ReplayGain).
  package var gain: Float

  package init(_ placement: PlacementID, source: any ByteSource, gain: Float = 1) {
    self.placement = placement
    self.source = source
    self.gain = gain
  }
}
