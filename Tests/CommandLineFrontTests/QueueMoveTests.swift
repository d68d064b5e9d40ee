import RoomProtocol
import TestSupport
import Testing

@testable import CommandLineFront

@Suite struct QueueMoveTests {
  /// How a server may read `to`.
  enum Reading: CaseIterable {
    /// An index of the queue as it was: the block lands before what stood there.
    case before
    /// An index of what is left when the rows are out.
    case after
  }

  /// A queue as a server moves its rows.
  static func apply(_ edits: [QueueEdit], to count: Int, _ reading: Reading) -> [Int] {
    edits.reduce(into: Array(0..<count)) { queue, edit in
      guard case .move(let positions, let target) = edit else { return }
      let block = positions.map { queue[$0] }
      let out = Set(positions)
      let above = reading == .before ? positions.count { $0 < target } : 0
      queue = queue.indices.filter { !out.contains($0) }.map { queue[$0] }
      queue.insert(contentsOf: block, at: target - above)
    }
  }

  @Test(arguments: [
    // A block down: those it passes come up.
    ([1, 2], 5, 8, [QueueEdit.move([3, 4, 5, 6], to: 1)]),
    // A block up, and one row to the ends.
    ([5, 6], 0, 8, [.move([5, 6], to: 0)]), ([0], 3, 4, [.move([1, 2, 3], to: 0)]),
    ([3], 0, 4, [.move([3], to: 0)]),
    // Scattered: the first is in place already, and only the rest comes.
    ([1, 3, 5], 1, 6, [.move([3, 5], to: 2)]),
    // Scattered, past rows on either side.
    ([0, 4], 2, 6, [.move([1, 2], to: 0), .move([4], to: 3)]),
    // Scattered and all of them above the target: those below come up between and over them.
    ([0, 2], 2, 4, [.move([1, 3], to: 0)]),
    // Nothing to do.
    ([2, 3], 2, 6, []), ([], 0, 0, []), ([0, 1], 0, 2, []),
  ])
  func `moves go up`(rows: [Int], target: Int, count: Int, edits: [QueueEdit]) {
    #expect(QueueMove(rows, to: target, of: count).edits == edits)
  }

  @Test func `20,000 random moves end as wished however to is read, in the fewest requests`() {
    var generator = SeededGenerator(seed: 2026)
    for trial in 0..<20_000 {
      let count = Int.random(in: 1...24, using: &generator)
      let isBlock = Bool.random(using: &generator)
      let size = Int.random(in: 1...count, using: &generator)
      let start = Int.random(in: 0...(count - size), using: &generator)
      let rows =
        isBlock
        ? Array(start..<(start + size))
        : Array((0..<count).shuffled(using: &generator).prefix(size)).sorted()
      let target = Int.random(in: 0...(count - size), using: &generator)
      let move = QueueMove(rows, to: target, of: count)
      let others = (0..<count).filter { !rows.contains($0) }
      let wished = Array(others[..<target]) + rows + Array(others[target...])
      var isRight = move.order == wished
      for reading in Reading.allCases {
        isRight = isRight && Self.apply(move.edits, to: count, reading) == wished
      }
      for case .move(let positions, let to) in move.edits {
        isRight = isRight && positions.allSatisfy { $0 >= to } && positions == positions.sorted()
      }
      // One move up leaves at most two rising runs: what came up, and all behind it.
      let falls = zip(wished, wished.dropFirst()).count { $0 > $1 }
      isRight = isRight && move.edits.count == falls
      if !isRight {
        Issue.record("trial \(trial): \(rows) to \(target) of \(count): \(move.edits)")
        return
      }
    }
  }
}
