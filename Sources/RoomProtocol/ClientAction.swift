/// What a client says on the socket.
///
/// What the server does not allow it ignores without an answer: treat an action as a wish until a
/// state shows it.
package enum ClientAction: Hashable, Sendable {
  /// Listens to another channel on the same socket.
  case `switch`(to: ChannelID)
  /// Stops the channel for everyone.
  case pause
  /// Lets the channel go on for everyone.
  case unpause
  /// Moves everyone to a position, in seconds.
  case seek(timestamp: Double)
  /// Starts the queue's row, from 0, for everyone.
  case jump(index: Int)
}

extension ClientAction: Codable {
  /// Reads an action, strictly.
  ///
  /// - Parameter decoder: stands on the object.
  /// - Throws: `DecodingError` for an unknown action or a missing value.
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: WireKey.self)
    switch try fields.decode(String.self, forKey: "action") {
    case "switch": self = .switch(to: try fields.decode(ChannelID.self, forKey: "channelId"))
    case "pause": self = .pause
    case "unpause": self = .unpause
    case "seek": self = .seek(timestamp: try fields.decode(Double.self, forKey: "timestamp"))
    case "jump": self = .jump(index: try fields.decode(Int.self, forKey: "index"))
    default:
      throw DecodingError.dataCorruptedError(
        forKey: "action", in: fields, debugDescription: "unknown action")
    }
  }

  /// Writes the action.
  ///
  /// - Parameter encoder: receives the object.
  /// - Throws: what the encoder throws.
  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: WireKey.self)
    switch self {
    case .switch(let channel):
      try fields.encode("switch", forKey: "action")
      try fields.encode(channel, forKey: "channelId")
    case .pause:
      try fields.encode("pause", forKey: "action")
    case .unpause:
      try fields.encode("unpause", forKey: "action")
    case .seek(let timestamp):
      try fields.encode("seek", forKey: "action")
      try fields.encode(timestamp, forKey: "timestamp")
    case .jump(let index):
      try fields.encode("jump", forKey: "action")
      try fields.encode(index, forKey: "index")
    }
  }
}
