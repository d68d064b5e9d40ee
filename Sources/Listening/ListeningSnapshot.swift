package import RoomProtocol

/// An immutable picture of a listener at an instant, for a line on a terminal.
package struct ListeningSnapshot: Sendable {
  /// The room's last state, nil before the first.
  package var state: ChannelState?
  /// The room's queue, nil while it is not loaded.
  package var queue: [Track]?
  /// Whether the socket stands.
  package var isConnected = false
  /// Who listens, nil where the server did not say.
  package var user: User?
  /// The server's channels.
  package var channels: [ChannelInfo] = []
  /// The volume, 0...100.
  package var volume = 100
  /// The position heard, nil while nothing is.
  package var heard: Duration?
  /// The room's position, nil where nothing plays.
  package var expected: Duration?
  /// Heard minus expected, once the sound has settled.
  package var drift: Duration?
  /// How much of the track's bytes are here, 0...1.
  package var loaded = 0.0

  init(state: ChannelState?, queue: [Track]?) {
    self.state = state
    self.queue = queue
  }
}
