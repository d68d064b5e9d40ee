import Codecs
import Playback
import RoomProtocol
import RoomSync

/// The track the engine wants heard and where, from the moment it says so until another one: its
/// bytes may still be on their way.
struct Playhead {
  let track: Track
  /// The engine's name for where it is now.
  var id: LoadID
  /// Where it is to be.
  var timeline: ChannelTimeline
  /// The track's bytes, once the player has them.
  var source: (any ByteSource)?
  /// What it was called when the player got the bytes; seeks have given it newer names since.
  var loadedAs: LoadID?
  /// How often the bytes were asked for in vain.
  var failures = 0
  /// Whether they are to be asked for again after a while.
  var isWaiting = false

  /// The timeline as the player takes it.
  var target: PlaybackTarget {
    PlaybackTarget(
      position: timeline.timestamp, at: timeline.receivedAt, isPlaying: !timeline.paused)
  }

  /// How long to wait before the bytes are asked for again; nil when that would be in vain.
  func retryDelay(after error: any Error) -> Duration? {
    guard DownloadFailure.isPassing(error), failures < 100 else { return nil }
    return .seconds(min(2 << min(failures, 4), 30))
  }
}
