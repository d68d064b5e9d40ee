package import RoomProtocol

/// Names one placement of the playhead: a load, a seek or a play.
///
/// Each of these actions gives a new one, and all that the player later says of it carries it:
/// what still comes of an older placement is told apart by comparison, not by cleverness.
package struct LoadID: RawRepresentable, Hashable, Sendable, Comparable, CustomStringConvertible {
  /// A counter that only grows.
  package let rawValue: UInt64

  /// Makes an identifier.
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The number as people read it in logs, such as `#3`.
  package var description: String { "#\(rawValue)" }

  /// Orders placements by age, the oldest first.
  package static func < (left: LoadID, right: LoadID) -> Bool { left.rawValue < right.rawValue }
}

/// What happens to a listener, as the engine takes it.
///
/// Every event comes with the instant at which it happened: for a state the arrival of its first
/// byte, for a tick the very instant at which the position was heard.
package enum SyncEvent: Sendable {
  /// The socket of a channel is open, or moved to it.
  case joined(ChannelID)
  /// The server's word on a channel.
  case state(ChannelState)
  /// A queue that was decoded after its state.
  case queue([Track], of: ChannelID)
  /// What the player is heard at; nil while nothing of this placement is heard yet.
  case tick(heard: Duration?, of: LoadID)
  /// The first sample of a placement is heard.
  case started(LoadID)
  /// The last sample of the track was heard.
  case ended(LoadID)
  /// The track can't be played.
  case failed(LoadID)
  /// What is heard is to be put where the room is, whatever the drift: somebody asked for it, or
  /// the latency was changed.
  case realign
  /// The socket is gone; whoever owns it asks `ReconnectPolicy` what to do.
  case disconnected
  /// The server ended the session for good.
  case kicked(reason: String)
  /// The user stops listening.
  case left
}
