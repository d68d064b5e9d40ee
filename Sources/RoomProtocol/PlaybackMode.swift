/// What a channel does at the end of a track.
package enum PlaybackMode: Hashable, Sendable {
  /// Plays the queue to its end.
  case once
  /// Begins the queue again after its end.
  case repeatAll
  /// Begins the track again after its end.
  case repeatOne
  /// Goes to a row at random.
  case shuffle
  /// A mode we don't know; kept as the server wrote it.
  case unknown(String)

  /// The mode of a name on the wire.
  package init(_ name: String) {
    switch name {
    case "once": self = .once
    case "repeat-all": self = .repeatAll
    case "repeat-one": self = .repeatOne
    case "shuffle": self = .shuffle
    default: self = .unknown(name)
    }
  }

  /// The name on the wire.
  package var name: String {
    switch self {
    case .once: "once"
    case .repeatAll: "repeat-all"
    case .repeatOne: "repeat-one"
    case .shuffle: "shuffle"
    case .unknown(let name): name
    }
  }

  /// The modes we know, in the order in which the clients step through them.
  package static let known: [PlaybackMode] = [.once, .repeatAll, .repeatOne, .shuffle]

  /// The mode that follows when stepping through them; an unknown one leads to the first.
  package var next: PlaybackMode {
    let index = Self.known.firstIndex(of: self) ?? Self.known.count - 1
    return Self.known[(index + 1) % Self.known.count]
  }
}

extension PlaybackMode: WireReadable, WireWritable {
  /// Reads a name.
  ///
  /// - Parameter wire: the text.
  /// - Throws: `WireError` where there is no text.
  package init(wire: JSONValue) throws(WireError) {
    self.init(try String(wire: wire))
  }

  /// Writes the name.
  package var wire: JSONValue { .text(name) }
}
