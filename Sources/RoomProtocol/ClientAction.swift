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

extension ClientAction: WireReadable, WireWritable {
  /// Reads an action, strictly.
  ///
  /// - Parameter wire: the object.
  /// - Throws: `WireError` for an unknown action or a missing value.
  package init(wire: JSONValue) throws(WireError) {
    let fields = try WireFields(wire)
    switch try fields.required("action", as: String.self) {
    case "switch": self = .switch(to: try fields.required("channelId", as: ChannelID.self))
    case "pause": self = .pause
    case "unpause": self = .unpause
    case "seek": self = .seek(timestamp: try fields.required("timestamp", as: Double.self))
    case "jump": self = .jump(index: try fields.required("index", as: Int.self))
    default:
      throw WireError.unreadable(path: ["action"])
    }
  }

  /// Writes the action.
  package var wire: JSONValue {
    switch self {
    case .switch(let channel): .fields(["action": "switch", "channelId": channel])
    case .pause: .fields(["action": "pause"])
    case .unpause: .fields(["action": "unpause"])
    case .seek(let timestamp): .fields(["action": "seek", "timestamp": timestamp])
    case .jump(let index): .fields(["action": "jump", "index": index])
    }
  }
}
