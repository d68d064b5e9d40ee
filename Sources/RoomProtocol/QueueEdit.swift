/// One change of a queue or a playlist's tracks: exactly one form a request.
///
/// Rows are named by position, from 0, because a track may stand in a queue several times.
package enum QueueEdit: Hashable, Sendable {
  /// Replaces everything.
  case set([TrackID])
  /// Adds before a position, at the end without one.
  case add([TrackID], insertAt: Int? = nil)
  /// Takes positions out.
  case remove([Int])
  /// Takes positions out and puts them before the row at `to`.
  case move([Int], to: Int)
}

extension QueueEdit: Codable {
  /// Reads one form, strictly: a server must not guess what was meant.
  ///
  /// - Parameter decoder: stands on the object.
  /// - Throws: `DecodingError` where there is none of the forms, more than one, or a bad element.
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: WireKey.self)
    let forms = ["set", "add", "remove", "move"].filter { fields.has(WireKey(stringLiteral: $0)) }
    switch forms {
    case ["set"]:
      self = .set(try fields.decode([TrackID].self, forKey: "set"))
    case ["add"]:
      self = .add(
        try fields.decode([TrackID].self, forKey: "add"),
        insertAt: try fields.decodeIfPresent(Int.self, forKey: "insertAt"))
    case ["remove"]:
      self = .remove(try fields.decode([Int].self, forKey: "remove"))
    case ["move"]:
      self = .move(
        try fields.decode([Int].self, forKey: "move"),
        to: try fields.decode(Int.self, forKey: "to"))
    default:
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "expected exactly one of set, add, remove, move"))
    }
  }

  /// Writes the form.
  ///
  /// - Parameter encoder: receives the object.
  /// - Throws: what the encoder throws.
  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: WireKey.self)
    switch self {
    case .set(let ids):
      try fields.encode(ids, forKey: "set")
    case .add(let ids, let position):
      try fields.encode(ids, forKey: "add")
      try fields.encodeIfPresent(position, forKey: "insertAt")
    case .remove(let positions):
      try fields.encode(positions, forKey: "remove")
    case .move(let positions, let target):
      try fields.encode(positions, forKey: "move")
      try fields.encode(target, forKey: "to")
    }
  }
}
