import RoomProtocol

/// Rows that go to another place: the order they lead to, and the requests that bring it about.
///
/// Every request is an *upward* move, because servers may read the `to` of others in two ways
/// (protocol.md 4). To bring rows down, those that they are to pass come up. One request is enough
/// for neighbouring rows and for most others; two is the most that scattered rows take.
///
/// Pure. Indices count from 0.
struct QueueMove: Equatable {
  /// The old indices in their new order.
  let order: [Int]
  /// The requests, in turn; none where the rows stand there already.
  let edits: [QueueEdit]

  /// Plans a move.
  ///
  /// - Parameters:
  ///   - rows: the indices that move, in order, each once; they keep their order and stand together.
  ///   - target: where the first of them stands afterwards, at most `count - rows.count`.
  ///   - count: how many rows there are.
  init(_ rows: [Int], to target: Int, of count: Int) {
    let moved = Set(rows)
    let stays = (0..<count).filter { !moved.contains($0) }
    order = stays[..<target] + rows + stays[target...]
    let first = rows.first ?? target
    // Those that are to be passed come up to where the first of the moved stands.
    let passed = first < target ? Array(stays[first..<target]) : []
    var edits: [QueueEdit] = passed.isEmpty ? [] : [.move(passed, to: first)]
    // Where the rows are then, the passed ones above them; their beginning may be in place.
    let above = Set(passed)
    let below = (first..<max(first, count)).filter { !above.contains($0) }
    let places = below.indices.filter { moved.contains(below[$0]) }
      .map { $0 + first + passed.count }
    let settled = zip(places, target...).prefix { $0 == $1 }.count
    let scattered = Array(places.dropFirst(settled))
    if !scattered.isEmpty { edits.append(.move(scattered, to: target + settled)) }
    self.edits = edits
  }
}
