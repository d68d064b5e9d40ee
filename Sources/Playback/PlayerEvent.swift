package import Codecs
import PCM

/// What the player tells of its work, in order.
package enum PlayerEvent: Sendable {
  /// The track was opened: codec, rate in Hz, and length where the file tells it.
  case opened(PlacementID, codec: String, sampleRate: Int, length: Duration?)
  /// The first frame of a placement is heard.
  case started(PlacementID)
  /// The track's last frame was heard.
  case ended(PlacementID)
  /// The track can't be played, or not to its end.
  case failed(PlacementID, DecoderError)
  /// The file ended before the length it claims; heard up to there, then silence.
  case truncated(PlacementID, at: Duration, of: Duration)
  /// Sound that was heard at the wrong moment was put right: so much was skipped, or repeated when
  /// negative.
  case skipped(PlacementID, by: Duration)
  /// The device ran dry; the sound is put back in time.
  case underrun
  /// The sound waits for the track's bytes.
  case starved(PlacementID)
  /// The device is open; `origin` is the instant at which output frame 0 was or will be heard.
  case deviceOpened(String, SinkFormat)
  /// The clock of the open device is known: when its output frame 0 was heard.
  case deviceClock(origin: ContinuousClock.Instant)
  /// The device can't be had, or was lost; it is tried again.
  case deviceFailed(SinkError)
  /// The device was given back after a while without sound.
  case deviceReleased
}

/// What is heard at an instant.
package struct PlaybackPosition: Equatable, Sendable {
  /// The placement it belongs to.
  package var placement: PlacementID
  /// The position from the track's start that is heard at `at`.
  package var position: Duration
  package var at: ContinuousClock.Instant
  /// Whether sound moves on from there; false at the end and while starved.
  package var isMoving: Bool

  /// The position heard at another instant nearby.
  package func position(at instant: ContinuousClock.Instant) -> Duration {
    isMoving ? position + (instant - at) : position
  }
}
