package import Playback
package import RoomClient
package import RoomProtocol

/// An immutable picture of a listener at an instant, as a line on a terminal or `status` show it.
package struct ListeningSnapshot: Sendable {
  /// What is heard.
  package var source = ListeningSource.room
  /// The room's last state, nil before the first; where the library plays, the state of a room that
  /// would play it.
  package var state: ChannelState?
  /// The room's queue, nil while it is not loaded; the list that is played from the library.
  package var queue: [Track]?
  /// The server that is listened to.
  package var server: ServerAddress?
  /// The room the socket is to, nil before the first.
  package var channel: ChannelInfo?
  /// Whether the socket stands.
  package var isConnected = false
  /// Who listens, nil where the server did not say.
  package var user: User?
  /// The server's channels.
  package var channels: [ChannelInfo] = []
  /// The volume, 0...100.
  package var volume = 100
  /// Whether it is silent all the same.
  package var isMuted = false
  /// What the device is said to add after the sound system's own delay.
  package var latency = Duration.zero
  /// How often the sound was put right so far: seeks and skips.
  package var corrections = 0
  /// How often the device ran dry.
  package var underruns = 0
  /// The device that is open, nil while none is.
  package var device: OpenDevice?
  /// The decoded sound that waits.
  package var buffered = Duration.zero
  /// The position heard, nil while nothing is.
  package var heard: Duration?
  /// The room's position, nil where nothing plays.
  package var expected: Duration?
  /// Heard minus expected, once the sound has settled.
  package var drift: Duration?
  /// How much of the track's bytes are here, 0...1.
  package var loaded = 0.0
  /// How much of each of 20 equal parts of them, 0...1; empty while none are asked for.
  package var segments: [Double] = []
  /// Of the current and the next track those that are in the cache.
  package var cached: Set<TrackID> = []
  /// The outage there is; nil while the socket stands, and before the first attempt.
  package var outage: Outage?
  /// Whether all of them are; nil while none is asked for.
  package var isKept: Bool?

  /// A picture of a state and a queue alone.
  package init(state: ChannelState?, queue: [Track]?) {
    self.state = state
    self.queue = queue
  }
}

/// A time without the server.
package struct Outage: Sendable {
  /// When it began, in seconds since 1970.
  package var since: Double
  /// What came of the last attempt.
  package var reason: ListeningEvent.Interruption.Reason
  /// When it is tried again.
  package var retryAt: ContinuousClock.Instant
  /// How many of the server's tracks are kept; nil where nobody has looked.
  package var cached: Int?
}

/// The device that sounds.
package struct OpenDevice: Sendable, Equatable {
  /// Its name, such as `alsa:default`.
  package var name: String
  /// What it takes.
  package var format: SinkFormat
}

/// A room as a listener heard of it, for verbs that go through the listener.
package struct HeardRoom: Sendable {
  /// The room's entry in the list of channels.
  package var channel: ChannelInfo
  /// The last state, without its queue.
  package var state: ChannelState
  /// When it arrived.
  package var arrivedAt: ContinuousClock.Instant
  /// The last queue as it came, nil where none did.
  package var queue: QueueText?
  /// Counts the queues that differ from the one before.
  package var queueNumber: Int
  /// Who listens.
  package var identity: AuthEnvelope
}
