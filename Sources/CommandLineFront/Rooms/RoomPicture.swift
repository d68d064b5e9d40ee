import RoomProtocol

/// A room at a moment, as commands report it.
struct RoomPicture: Sendable {
  var id: ChannelID
  /// The name people read, not escaped.
  var name: String
  var state: ChannelState?
  /// Where the track is.
  var position: Duration?
  /// How many rows the queue has, nil where it is not known.
  var queueLength: Int?
  /// How many others listen.
  var others: Int

  /// The name, fit for a terminal.
  var title: String { Printable.escaped(name) }

  /// Whom a change concerns: `for 3 listeners`.
  var audience: String {
    switch others {
    case 0: "(nobody listens)"
    case 1: "for 1 listener"
    default: "for \(others) listeners"
    }
  }

  /// What programs read of a room; where nothing plays there is no row either.
  var json: JSONValue {
    let place = state?.track == nil ? nil : state?.currentIndex
    return [
      "channel_id": .text(id.rawValue), "channel": .text(name),
      "listeners": .integer(Int64(others)), "paused": JSONValue(state?.paused),
      "mode": JSONValue(state?.playbackMode.name),
      "track": state?.track.map(JSONValue.init(track:)) ?? .null,
      "row": JSONValue(place.map { $0 + 1 }), "index": JSONValue(place),
      "position": JSONValue(place == nil ? nil : position?.inSeconds),
      "queue_length": JSONValue(queueLength),
    ]
  }
}
