import RoomProtocol
import TestSupport
import Testing

@testable import RoomServer

/// An edit of the queue `abcdef` and what it leaves.
struct QueueRow: CustomTestStringConvertible {
  var edit: QueueEdit
  var playing = 2
  var rows: String
  var current: Int
  var effect = ChannelQueue.Effect.playsOn

  var testDescription: String { "\(edit) while \(playing) plays" }
}

@Suite struct ChannelQueueTests {
  private static func ids(_ letters: String) -> [TrackID] { letters.map { TrackID(String($0)) } }

  private static func letters(_ queue: ChannelQueue) -> String {
    queue.tracks.map(\.rawValue).joined()
  }

  @Test(arguments: [
    QueueRow(edit: .add(ids("x")), rows: "abcdefx", current: 2),
    QueueRow(edit: .add(ids("xy"), insertAt: 0), rows: "xyabcdef", current: 4),
    QueueRow(edit: .add(ids("x"), insertAt: 2), rows: "abxcdef", current: 3),
    QueueRow(edit: .add(ids("x"), insertAt: 3), rows: "abcxdef", current: 2),
    QueueRow(edit: .add(ids("x"), insertAt: 6), rows: "abcdefx", current: 2),
    QueueRow(edit: .add([]), rows: "abcdef", current: 2),
    QueueRow(edit: .remove([0]), rows: "bcdef", current: 1),
    QueueRow(edit: .remove([5, 0, 1]), rows: "cde", current: 0),
    QueueRow(edit: .remove([]), rows: "abcdef", current: 2),
    QueueRow(edit: .remove([2]), rows: "abdef", current: 2, effect: .startsOther),
    QueueRow(edit: .remove([1, 2, 3]), rows: "aef", current: 1, effect: .startsOther),
    QueueRow(edit: .remove([5]), playing: 5, rows: "abcde", current: 0, effect: .startsOther),
    QueueRow(edit: .remove([0, 1, 2, 3, 4, 5]), rows: "", current: 0, effect: .startsOther),
    QueueRow(edit: .move([4, 5], to: 1), rows: "aefbcd", current: 4),
    QueueRow(edit: .move([2], to: 0), rows: "cabdef", current: 0),
    QueueRow(edit: .move([0], to: 3), rows: "bcadef", current: 1),
    QueueRow(edit: .move([0, 4], to: 2), rows: "baecdf", current: 3),
    QueueRow(edit: .move([1, 2], to: 6), rows: "adefbc", current: 5),
    QueueRow(edit: .move([1, 2], to: 1), rows: "abcdef", current: 2),
    QueueRow(edit: .move([5, 4], to: 0), rows: "efabcd", current: 4),
    QueueRow(edit: .set(ids("fedcba")), rows: "fedcba", current: 3),
    QueueRow(edit: .set(ids("ccc")), rows: "ccc", current: 2),
    QueueRow(edit: .set(ids("xyz")), rows: "xyz", current: 2, effect: .startsOther),
    QueueRow(edit: .set(ids("x")), rows: "x", current: 0, effect: .startsOther),
    QueueRow(edit: .set([]), rows: "", current: 0, effect: .startsOther),
  ])
  func `an edit keeps the playing row`(row: QueueRow) throws {
    var queue = ChannelQueue(tracks: Self.ids("abcdef"), currentIndex: row.playing)
    let effect = try queue.apply(row.edit) { _ in true }
    #expect(Self.letters(queue) == row.rows)
    #expect(queue.currentIndex == row.current)
    #expect(effect == row.effect)
  }

  @Test(
    arguments: [
      (.add(ids("?")), .unknownTrack("?")), (.set(ids("a?")), .unknownTrack("?")),
      (.add(ids("x"), insertAt: 7), .noSuchPosition(7)),
      (.add(ids("x"), insertAt: -1), .noSuchPosition(-1)),
      (.remove([0, 6]), .noSuchPosition(6)), (.remove([-1]), .noSuchPosition(-1)),
      (.move([6], to: 0), .noSuchPosition(6)), (.move([0], to: 7), .noSuchPosition(7)),
      (.move([1, 1], to: 0), .repeatedPosition(1)),
    ] as [(QueueEdit, ChannelQueue.Refusal)])
  func `a bad edit changes nothing`(edit: QueueEdit, refusal: ChannelQueue.Refusal) {
    var queue = ChannelQueue(tracks: Self.ids("abcdef"), currentIndex: 2)
    let before = queue
    #expect(throws: refusal) { try queue.apply(edit) { $0 != "?" } }
    #expect(queue == before)
  }

  @Test func `the first track of an empty queue starts`() throws {
    var queue = ChannelQueue()
    #expect(try queue.apply(.add(Self.ids("ab"))) { _ in true } == .startsOther)
    #expect(queue.current == "a")
  }

  @Test func `duplicates keep their row apart`() throws {
    var queue = ChannelQueue(tracks: Self.ids("aaa"), currentIndex: 1)
    #expect(try queue.apply(.remove([0])) { _ in true } == .playsOn)
    #expect(queue.currentIndex == 0)
    queue = ChannelQueue(tracks: Self.ids("axaya"), currentIndex: 2)
    #expect(try queue.apply(.set(Self.ids("xaaya"))) { _ in true } == .playsOn)
    #expect(queue.currentIndex == 2)
  }

  @Test func `a jump is clamped`() {
    var queue = ChannelQueue(tracks: Self.ids("abc"), currentIndex: 1)
    queue.jump(to: 99)
    #expect(queue.currentIndex == 2)
    queue.jump(to: -4)
    #expect(queue.currentIndex == 0)
  }

  /// Removal and move against the plainest description of them, on queues of marked rows.
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `random edits agree with marked rows`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let count = Int.random(in: 1...12, using: &generator)
      let marks = (0..<count).map { TrackID("row\($0)") }
      let playing = Int.random(in: 0..<count, using: &generator)
      var queue = ChannelQueue(tracks: marks, currentIndex: playing)
      let positions = (0..<count).filter { _ in Bool.random(using: &generator) }
      let target = Int.random(in: 0...count, using: &generator)
      if Bool.random(using: &generator) {
        _ = try queue.apply(.move(positions.shuffled(using: &generator), to: target)) { _ in true }
        // The block stands together, in its order, before the first unmoved row from `to` on.
        let block = positions.map { marks[$0] }
        let rest = marks.enumerated().filter { !positions.contains($0.offset) }
        let head = rest.filter { $0.offset < target }.map(\.element)
        let tail = rest.filter { $0.offset >= target }.map(\.element)
        #expect(queue.tracks == head + block + tail, "seed \(seed)")
        #expect(queue.current == marks[playing], "seed \(seed)")
      } else {
        _ = try queue.apply(.remove(positions)) { _ in true }
        #expect(
          queue.tracks == marks.filter { !positions.map { marks[$0] }.contains($0) },
          "seed \(seed)")
        if !positions.contains(playing) { #expect(queue.current == marks[playing], "seed \(seed)") }
      }
    }
  }
}
