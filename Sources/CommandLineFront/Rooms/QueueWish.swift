import RoomProtocol

/// What an edit is to make of rows that others may edit at the same moment.
///
/// Requests name rows by position, and nothing binds them to what stands there (protocol.md 4). So
/// the rows an edit names must be those that were meant when it is sent; and where another edit comes
/// in between, the rows afterwards are not the wished ones, but what came, went or moved since the
/// rows before shows whether this one was done.
///
/// Pure. Positions count from 0.
struct QueueWish {
  /// The ids before the edit.
  let before: [TrackID]
  /// The requests, in turn; moves go upward, as `QueueMove` plans them.
  let edits: [QueueEdit]
  /// The ids afterwards, where nobody else edits.
  let wished: [TrackID]

  /// How many rows, from the top, the edit depends on; nil for all there are.
  private var reach: Int? {
    var reach = 0
    for edit in edits {
      switch edit {
      case .set: return nil
      case .add(_, let place): reach = max(reach, place ?? 0)
      case .remove(let rows), .move(let rows, _): reach = max(reach, (rows.max() ?? -1) + 1)
      }
    }
    return reach
  }

  /// Whether the edit means in these rows what it meant in those before.
  func holds(in rows: [TrackID]) -> Bool {
    guard let reach else { return rows == before }
    return rows.prefix(reach) == before.prefix(reach)
  }

  /// Whether rows became others by this edit, whatever else was done to them.
  ///
  /// - Parameters:
  ///   - now: the rows.
  ///   - last: the rows that were known before these.
  ///   - length: how many there are after it, as the server says; nil where it does not.
  /// - Returns: true where nothing is missing.
  func isDone(in now: [TrackID], since last: [TrackID], length: Int? = nil) -> Bool {
    switch edits.first {
    case .add(let ids, _): return Self.gained(ids, from: last, to: now)
    case .remove(let rows):
      // Where two take out one row at once, what the other leaves looks as if it were done: but it
      // is longer than what both leave.
      if let length, now.count > length { return false }
      return now == wished || Self.gained(rows.map { before[$0] }, from: now, to: last)
    case .move:
      let reach = reach ?? 0
      let others = Array(wished.prefix(reach)) + Array(last.dropFirst(reach))
      return now == wished || holds(in: last) && now == others
    case .set, nil: return now == wished
    }
  }

  /// Whether each of the tracks stands in rows as many times more often as it is named.
  static func gained(_ ids: [TrackID], from last: [TrackID], to now: [TrackID]) -> Bool {
    var missing: [TrackID: Int] = [:]
    for id in ids { missing[id, default: 0] += 1 }
    for id in last where missing[id] != nil { missing[id, default: 0] += 1 }
    for id in now where missing[id] != nil { missing[id, default: 0] -= 1 }
    return missing.values.allSatisfy { $0 <= 0 }
  }

  /// Where tracks stand that were added: at the wished place, below it where others have pushed them
  /// down, else above; the wished one where they stand together nowhere.
  static func place(of ids: [TrackID], near wished: Int, in rows: [TrackID]) -> Int {
    let places = rows.indices.filter { rows[$0...].starts(with: ids) }
    return places.first { $0 >= wished } ?? places.last ?? wished
  }
}
