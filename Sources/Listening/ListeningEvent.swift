package import Caching
package import Codecs
package import Playback
package import RoomClient
package import RoomProtocol

/// What happens to a listener, in order, for whoever shows or logs it.
package enum ListeningEvent: Sendable {
  /// The socket stands.
  case connected(channel: ChannelInfo, user: User?)
  /// The socket is gone, and what comes of it.
  case disconnected(Interruption)
  /// The server can't be reached; how many of its tracks are kept. Told once an outage.
  case offline(cached: Int)
  /// The server lives at another address now, which is used from here on.
  case serverMoved(ServerAddress)
  /// The server does not know the session of a user any more; who we are now.
  case sessionExpired(of: String, now: User?)
  /// The server moved us to another channel.
  case switched(ChannelInfo)
  /// The server's list of channels, as it is now.
  case channels([ChannelInfo])
  /// From now on the room is heard, or the library.
  case source(ListeningSource)
  /// Another track plays, or none.
  case track(Track?, index: Int, ListeningSource)
  /// The state of what plays: paused, mode, listeners.
  case state(ChannelState, ListeningSource)
  /// The queue as it is now.
  case queue([Track], currentIndex: Int)
  /// What is heard, twice a second while something plays.
  case position(PositionReport)
  /// The sound of a track begins to be heard.
  case started(Track)
  /// The track's last sample was heard.
  case ended(Track)
  /// The player was moved within the track, because the room jumped or drifted away.
  case seek(to: Duration)
  /// Sound at the wrong moment was put right: so much was skipped, or repeated when negative.
  case skip(by: Duration)
  /// The device ran dry; how often so far.
  case underrun(Int)
  /// The sound waits for bytes of the track.
  case starved(Track)
  /// A download began, was finished, could not be kept, or failed.
  case download(CacheEvent)
  /// The device's clock is known: name, format, and when its output frame 0 was heard.
  case device(name: String, SinkFormat, origin: ContinuousClock.Instant)
  /// The device can't be had; it is tried again.
  case deviceFailed(SinkError)
  /// The device was given back after a while without sound.
  case deviceReleased
  /// The server scans its library.
  case scan(scanning: Bool, processed: Int, total: Int)
  /// The server ended the session for good.
  case kick(reason: String)
  /// The server tells people something.
  case toast(message: String, kind: String)
  /// News of an import.
  case fetch(FetchUpdate)
  /// The track can't be played, or not to its end: silence until the room goes on.
  case unplayable(Track, Unplayable)
  /// The server names an error.
  case serverError(String)
  /// A frame of the server that says nothing to us; told once a kind.
  case strangeFrame(String)
  /// A wish that the room did not follow within three seconds.
  case ignored(ClientAction)

  /// Why a connection is gone, and when it is tried again.
  package struct Interruption: Sendable {
    /// The server's words or close code, or what failed.
    package var reason: Reason
    /// The wait before the next attempt.
    package var retryAfter: Duration

    /// What ended the connection.
    package enum Reason: Sendable {
      case closed(code: Int?, reason: String)
      case failed(RoomError)
    }
  }

  /// Why a track is not heard.
  package enum Unplayable: Sendable {
    /// The bytes are no audio we read, or are broken.
    case decoder(DecoderError)
    /// The bytes can't be had; `retryAfter` when it is tried again.
    case download(any Error, retryAfter: Duration?)
    /// The bytes can't be had, and another track is played in its place.
    case passedOver(any Error)
    /// The file ends before its time.
    case truncated(at: Duration, of: Duration)
    /// The server says it does not have the file.
    case unavailable
  }
}

/// What is heard against what the room is at.
package struct PositionReport: Sendable, Equatable {
  /// The position heard.
  package var position: Duration
  /// The room's position at the same instant; nil where the library plays.
  package var expected: Duration?
  /// Heard minus expected.
  package var drift: Duration?
  /// The decoded sound that waits.
  package var buffered: Duration
  /// The device's underruns so far.
  package var underruns: Int
}
