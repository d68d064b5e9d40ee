import RoomProtocol
import TestSupport
import Testing

@testable import CommandLineFront

@Suite struct QueueWishTests {
  /// Ids of one letter each.
  private static func ids(_ letters: String) -> [TrackID] { letters.map { TrackID(String($0)) } }

  private static func wish(_ edit: QueueEdit, _ before: String, _ wished: String) -> QueueWish {
    QueueWish(before: ids(before), edits: [edit], wished: ids(wished))
  }

  private static let removal = wish(.remove([1]), "abcd", "acd")
  private static let append = wish(.add(ids("xx")), "ab", "abxx")
  private static let insertion = wish(.add(ids("x"), insertAt: 1), "abc", "axbc")
  private static let move = wish(.move([1, 2], to: 0), "abcd", "bcad")
  private static let whole = wish(.set(ids("ba")), "ab", "ba")

  /// A wish, rows, and whether its positions mean there what they meant.
  static let bases: [(QueueWish, String, Bool)] = [
    (removal, "abcd", true), (removal, "abcdz", true), (removal, "ab", true),
    (removal, "zabcd", false), (removal, "acd", false), (removal, "a", false),
    (append, "", true), (append, "zab", true),
    (insertion, "azc", true), (insertion, "zabc", false),
    (move, "abcz", true), (move, "acbd", false),
    (whole, "ab", true), (whole, "abz", false),
  ]

  @Test(arguments: bases)
  func `positions must mean what they meant`(wish: QueueWish, rows: String, holds: Bool) {
    #expect(wish.holds(in: Self.ids(rows)) == holds)
  }

  /// A wish, the rows before, the rows now, the length that the server tells, and whether it is done.
  static let queues: [(QueueWish, String, String, Int?, Bool)] = [
    (removal, "abcd", "acd", nil, true), (removal, "abcd", "abcd", nil, false),
    // Beside others' edits, which were seen before or came with it.
    (removal, "abcdz", "acdz", 4, true), (removal, "abcd", "acdz", 4, true),
    // Somebody else has taken out the same row: another one went for ours.
    (removal, "abcd", "acd", 2, false), (removal, "acd", "ad", 2, false),
    // A duplicate is not the row.
    (wish(.remove([0]), "aba", "ba"), "aba", "ba", nil, true),
    (wish(.remove([0]), "aba", "ba"), "ba", "b", 1, true),
    (append, "ab", "abxx", nil, true), (append, "abz", "abzxx", nil, true),
    (append, "ab", "abzxxy", nil, true), (append, "ab", "abx", nil, false),
    // Tracks that were there already are not those that were added.
    (append, "abxx", "abxxz", nil, false), (append, "abxx", "abxxxx", nil, true),
    (insertion, "zabc", "zaxbc", nil, true), (insertion, "abc", "abcz", nil, false),
    (move, "abcd", "bcad", nil, true), (move, "abcdz", "bcadz", nil, true),
    (move, "abcd", "bacd", nil, false), (move, "zabcd", "abzcd", nil, false),
    (whole, "ab", "ba", nil, true), (whole, "abz", "ba", nil, true),
    (whole, "ab", "baz", nil, false),
  ]

  @Test(arguments: queues)
  func `an edit shows in the rows, whoever else edits`(
    wish: QueueWish, last: String, now: String, length: Int?, isDone: Bool
  ) {
    #expect(wish.isDone(in: Self.ids(now), since: Self.ids(last), length: length) == isDone)
  }

  @Test func `two who edit at once, one after the other, are both told the truth`() {
    var generator = SeededGenerator(seed: 75)
    for trial in 0..<5000 {
      let count = Int.random(in: 2...9, using: &generator)
      let rows = (0..<count).map { TrackID("t\($0 % 6)") }
      let (first, second) = (Self.random(rows, &generator), Self.random(rows, &generator))
      let between = first.wished
      // What the second does to the rows that the first has left.
      guard let after = Self.apply(second.edits[0], to: between) else { continue }
      let isDone =
        second.isDone(in: between, since: rows, length: after.count)
        || second.isDone(in: after, since: between, length: after.count)
      // An edit that still means the same is done, and so is one that adds.
      if second.holds(in: between) { #expect(isDone, "trial \(trial)") }
      guard case .remove(let positions) = second.edits[0], isDone else { continue }
      // Whoever is told that rows are out has lost those and no others.
      let named = positions.map { rows[$0].rawValue }.sorted()
      let gone = positions.map { between[$0].rawValue }.sorted()
      #expect(gone == named, "trial \(trial)")
    }
  }

  @Test(arguments: [
    ("ab", 2, "zzab", 2), ("ab", 2, "zzzab", 3), ("ab", 5, "abzzzzzab", 7), ("ab", 1, "aab", 1),
    ("ab", 1, "ba", 1), ("a", 0, "", 0), ("a", 3, "bbacccca", 7), ("a", 3, "bacb", 1),
  ])
  func `what was added is found where others have pushed it`(
    added: String, wished: Int, rows: String, place: Int
  ) {
    #expect(QueueWish.place(of: Self.ids(added), near: wished, in: Self.ids(rows)) == place)
  }

  /// An edit of rows as the commands send it.
  private static func random(
    _ rows: [TrackID], _ generator: inout SeededGenerator
  ) -> QueueWish {
    let row = Int.random(in: 0..<rows.count, using: &generator)
    let edit: QueueEdit =
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: .add(ids("x"), insertAt: row)
      case 1: .add(ids("xy"))
      case 2: .remove(Array((row..<rows.count).prefix(2).reversed()))
      default: .move([row], to: Int.random(in: 0...row, using: &generator))
      }
    return QueueWish(before: rows, edits: [edit], wished: apply(edit, to: rows) ?? rows)
  }

  /// What a server makes of rows; nil where it refuses.
  private static func apply(_ edit: QueueEdit, to rows: [TrackID]) -> [TrackID]? {
    var rows = rows
    switch edit {
    case .set(let ids): rows = ids
    case .add(let ids, let place):
      guard place ?? 0 <= rows.count else { return nil }
      rows.insert(contentsOf: ids, at: place ?? rows.count)
    case .remove(let positions):
      for position in positions {
        guard rows.indices.contains(position) else { return nil }
        rows.remove(at: position)
      }
    case .move(let positions, let target):
      guard let position = positions.first, rows.indices.contains(position) else { return nil }
      rows.insert(rows.remove(at: position), at: target)
    }
    return rows
  }
}
