package import Playback
package import RoomClient
package import RoomProtocol

/// Why listening ended although nobody asked for it: what waiting can't heal.
package enum ListeningEnd: Error, Sendable {
  /// There is no such room; the rooms there are.
  case unknownRoom(String, known: [ChannelInfo])
  /// Several rooms are meant.
  case ambiguousRoom(String, candidates: [ChannelInfo])
  /// The server has no room at all.
  case noRooms
  /// The server wants a sign-in, or does not let this user in.
  case refused(RoomError)
  /// The session that was kept is no good any more, and the server lets nobody in without one;
  /// whose it was, where that is known.
  case sessionExpired(of: String?, at: ServerAddress)
  /// The server's certificate is not trusted.
  case untrusted(RoomError)
  /// Another session of the user, or an administrator, ended this one.
  case kicked(reason: String)
  /// The server can't be reached, and waiting was not wanted.
  case unreachable(RoomError)
  /// The sound device can't be had, and waiting was not wanted.
  case device(SinkError)
}
