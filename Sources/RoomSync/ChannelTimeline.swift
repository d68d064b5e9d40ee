package import RoomProtocol

/// Where a channel is in its current track, estimated between two messages of the server.
///
/// The server names a position only when something changes. In between, a playing channel moves
/// with the monotonic clock and a paused one stands still. The estimate never leaves the track
/// (sync.md rules 1-4).
///
/// ```swift
/// let timeline = ChannelTimeline(state, receivedAt: arrival)
/// timeline.position(at: arrival + .seconds(3))   // 3 s later in the track, unless paused
/// ```
package struct ChannelTimeline: Hashable, Sendable {
  /// The position the server named; it may lie outside the track.
  package var timestamp: Duration
  /// When the server's word arrived here, stamped with the first byte.
  package var receivedAt: ContinuousClock.Instant
  /// Whether the channel stands still.
  package var paused: Bool
  /// The track's length, nil where it is unknown: no clamp, no end.
  package var length: Duration?

  /// Makes a timeline from its parts.
  package init(
    timestamp: Duration, receivedAt: ContinuousClock.Instant, paused: Bool, length: Duration?
  ) {
    self.timestamp = timestamp
    self.receivedAt = receivedAt
    self.paused = paused
    self.length = length
  }

  /// Reads a state that arrived at an instant.
  package init(_ state: ChannelState, receivedAt: ContinuousClock.Instant) {
    self.init(
      timestamp: Duration(wireSeconds: state.currentTimestamp), receivedAt: receivedAt,
      paused: state.paused, length: state.track?.length)
  }

  /// The expected position at an instant, from 0 to the track's length.
  ///
  /// Instants before the arrival are answered too, on the same line.
  package func position(at instant: ContinuousClock.Instant) -> Duration {
    let position = paused ? timestamp : timestamp + (instant - receivedAt)
    let bounded = max(.zero, position)
    return length.map { min($0, bounded) } ?? bounded
  }

  /// The instant at which a playing channel passes a position, nil while it is paused.
  ///
  /// The track's ends are not looked at.
  package func instant(of position: Duration) -> ContinuousClock.Instant? {
    paused ? nil : receivedAt + (position - timestamp)
  }

  /// This timeline as heard through a device that sounds late: ahead of it by so much.
  ///
  /// A paused channel has nothing to be ahead of.
  package func leading(by latency: Duration) -> ChannelTimeline {
    guard !paused else { return self }
    var timeline = self
    timeline.receivedAt -= latency
    return timeline
  }
}
