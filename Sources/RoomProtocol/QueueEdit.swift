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

extension QueueEdit: WireReadable, WireWritable {
  /// Reads one form, strictly: a server must not guess what was meant.
  ///
  /// - Parameter wire: the object.
  /// - Throws: `WireError` where there is none of the forms, more than one, or a bad element.
  package init(wire: JSONValue) throws(WireError) {
    let fields = try WireFields(wire)
    let forms = ["set", "add", "remove", "move"].filter { fields.has($0) }
    switch forms {
    case ["set"]:
      self = .set(try fields.required("set", as: [TrackID].self))
    case ["add"]:
      self = .add(
        try fields.required("add", as: [TrackID].self),
        insertAt: try fields.optional("insertAt", as: Int.self))
    case ["remove"]:
      self = .remove(try fields.required("remove", as: [Int].self))
    case ["move"]:
      self = .move(
        try fields.required("move", as: [Int].self),
        to: try fields.required("to", as: Int.self))
    default:
      throw WireError.unreadable(path: [])
    }
  }

  /// Writes the form.
  package var wire: JSONValue {
    switch self {
    case .set(let ids): .fields(["set": ids])
    case .add(let ids, let position):
      JSONValue.fields(["add": ids]).adding(["insertAt": position])
    case .remove(let positions): .fields(["remove": positions])
    case .move(let positions, let target): .fields(["move": positions, "to": target])
    }
  }
}
