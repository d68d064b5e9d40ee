package import RoomProtocol

/// What the engine wants done, at once and in order.
///
/// A placement carries the timeline, not a position: what is decoded must be what the room is at
/// when the frame is *heard*, which only the player knows. Where the timeline is paused, the
/// playhead stands ready at its position and nothing sounds.
package enum SyncAction: Hashable, Sendable {
  /// Opens a track and puts the playhead on the timeline, in place of what was loaded.
  case load(Track, LoadID, ChannelTimeline)
  /// Puts the playhead of the loaded track on the timeline.
  case seek(LoadID, ChannelTimeline)
  /// Sounds again, on the sample: the playhead is put on the timeline as by a seek.
  case play(LoadID, ChannelTimeline)
  /// Falls silent and stands at a position; the placement stays the same.
  case pause(LoadID, at: Duration)
  /// Falls silent and forgets the track.
  case stop
  /// The session is over: close it, say why, don't reconnect.
  case end(reason: String)
}
