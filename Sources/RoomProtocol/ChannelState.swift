/// What the server says of a channel at one moment, nothing derived.
package struct ChannelState: Hashable, Sendable {
  /// The track that plays, nil in an empty channel.
  package var track: Track?
  /// The position in the track when the server wrote this, in seconds.
  ///
  /// It is finite, but may lie below 0 or beyond the track's end: clamp it.
  package var currentTimestamp: Double
  /// The name people read; "Room" where the server gave none.
  package var channelName: String
  /// The channel this is of; nil where the server left it out: then it is the joined one.
  package var channelID: ChannelID?
  /// What the channel is for, in its maker's words.
  package var description: String
  /// Whether the channel stands still; true where not said.
  package var paused: Bool
  /// The position of the track in the queue, from 0, saturated at +-2^53.
  package var currentIndex: Int
  /// The number of sockets that listen.
  package var listenerCount: Int
  /// Whether newcomers land here.
  package var isDefault: Bool
  /// What happens at the end of a track.
  package var playbackMode: PlaybackMode
  /// The queue.
  ///
  /// nil is *not said*: the last one of that channel stands. `[]` is an empty one.
  package var queue: [Track]?
  /// The names of those who listen, nil where not said.
  package var listeners: [String]?

  /// What a channel is called whose state names none.
  package static let nameless = "Room"

  /// The channel's name: what its entry in the list says, where this names none.
  package func name(of channel: ChannelInfo) -> String {
    channelName == Self.nameless ? channel.name : channelName
  }

  /// Makes a state.
  package init(
    track: Track? = nil, currentTimestamp: Double = 0, channelName: String = nameless,
    channelID: ChannelID? = nil, description: String = "", paused: Bool = true,
    currentIndex: Int = 0, listenerCount: Int = 0, isDefault: Bool = false,
    playbackMode: PlaybackMode = .repeatAll, queue: [Track]? = nil, listeners: [String]? = nil
  ) {
    self.track = track
    self.currentTimestamp = currentTimestamp.isFinite ? currentTimestamp : 0
    self.channelName = channelName
    self.channelID = channelID
    self.description = description
    self.paused = paused
    self.currentIndex = currentIndex
    self.listenerCount = listenerCount
    self.isDefault = isDefault
    self.playbackMode = playbackMode
    self.queue = queue
    self.listeners = listeners
  }
}

extension ChannelState: WireReadable, WireWritable {
  /// Reads a state.
  ///
  /// - Parameter wire: the object.
  /// - Throws: `WireError` where there is no object, or a track that is neither null nor
  ///   readable: what plays is unknown then, which must not pass for an empty channel.
  package init(wire: JSONValue) throws(WireError) {
    let fields = try WireFields(wire)
    self.init(
      track: try fields.optional("track", as: Track.self),
      currentTimestamp: fields.number("currentTimestamp") ?? 0,
      channelName: fields.text("channelName") ?? Self.nameless,
      channelID: fields.value("channelId"),
      description: fields.text("description") ?? "",
      paused: fields.flag("paused") ?? true,
      currentIndex: fields.integer("currentIndex") ?? 0,
      listenerCount: fields.integer("listenerCount") ?? 0,
      isDefault: fields.flag("isDefault") ?? false,
      playbackMode: fields.value("playbackMode") ?? .repeatAll,
      queue: fields.list("queue")?.elements,
      listeners: fields.list("listeners")?.elements)
  }

  /// Writes the state; a queue or listeners not said are left out.
  package var wire: JSONValue {
    JSONValue.fields([
      "track": track,
      "currentTimestamp": currentTimestamp,
      "channelName": channelName,
      "description": description,
      "paused": paused,
      "currentIndex": currentIndex,
      "listenerCount": listenerCount,
      "isDefault": isDefault,
      "playbackMode": playbackMode,
    ]).adding([
      "channelId": channelID,
      "queue": queue,
      "listeners": listeners,
    ])
  }
}
