import Listening
import RoomProtocol
import TestSupport
import Testing

/// Where the list goes at an end, at next and at previous (protocol.md 7).
@Suite struct LocalQueueTests {
  private static func tracks(_ count: Int) -> [Track] {
    (0..<count).map { Track(id: TrackID("t\($0)")) }
  }

  @Test(
    arguments: [
      (PlaybackMode.once, 0, 1, 1, 3), (.once, 3, nil, 0, 2), (.repeatAll, 0, 1, 1, 3),
      (.repeatAll, 3, 0, 0, 2), (.repeatOne, 1, 1, 2, 0), (.unknown("party"), 3, 0, 0, 2),
    ] as [(PlaybackMode, Int, Int?, Int, Int)])
  func `each mode has its own end; next and previous walk the list`(
    mode: PlaybackMode, index: Int, following: Int?, next: Int, previous: Int
  ) throws {
    var chance = SeededGenerator(seed: 1)
    let queue = try #require(LocalQueue(Self.tracks(4), at: index, mode: mode))
    #expect(queue.following(by: &chance) == following)
    #expect(queue.next(by: &chance) == next)
    #expect(queue.previous(by: &chance) == previous)
  }

  @Test func `a list needs a row to begin at`() {
    #expect(LocalQueue([]) == nil)
    #expect(LocalQueue(Self.tracks(2), at: 2) == nil)
    #expect(LocalQueue([], from: nil, mode: .shuffle) == nil)
    #expect(LocalQueue(Self.tracks(5), from: "t3", mode: .shuffle)?.index == 3)
    #expect(LocalQueue(Self.tracks(5), from: "gone", mode: .once)?.index == 0)
  }

  @Test func `what can't be played is passed over, and nothing is left where all of it is so`()
    throws
  {
    var chance = SeededGenerator(seed: 2)
    for mode in PlaybackMode.known {
      let queue = try #require(LocalQueue(Self.tracks(5), at: 1, mode: mode))
      let all = Set(queue.tracks.map(\.id))
      #expect(queue.following(by: &chance, avoiding: all) == nil, "\(mode)")
      let only = queue.following(by: &chance, avoiding: all.subtracting(["t3"]))
      #expect(only == (mode == .repeatOne ? nil : 3), "\(mode)")
    }
    let single = try #require(LocalQueue(Self.tracks(1), mode: .shuffle))
    #expect(single.following(by: &chance) == 0)
    #expect(single.next(by: &chance) == 0)
    #expect(single.previous(by: &chance) == 0)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `shuffle never stays, leads everywhere, and previous goes back the way`(seed: UInt64) throws
  {
    var chance = SeededGenerator(seed: seed)
    let count = Int.random(in: 2...12, using: &chance)
    var queue = try #require(LocalQueue(Self.tracks(count), mode: .shuffle))
    var way = [queue.index]
    for step in 0..<400 {
      let row =
        step % 2 == 0 ? queue.next(by: &chance) : queue.following(by: &chance) ?? queue.index
      #expect(row != queue.index, "seed \(seed)")
      queue.go(to: row)
      way.append(row)
    }
    #expect(Set(way) == Set(0..<count), "seed \(seed)")
    for row in way.dropLast().reversed() {
      #expect(queue.previous(by: &chance) == row, "seed \(seed)")
      queue.go(to: queue.previous(by: &chance), isBack: true)
    }
    // Nothing is left to go back to: another one.
    #expect(queue.previous(by: &chance) != queue.index)
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func `any steps stay in the list`(seed: UInt64) throws {
    var chance = SeededGenerator(seed: seed)
    let count = Int.random(in: 1...6, using: &chance)
    var queue = try #require(LocalQueue(Self.tracks(count), mode: .once))
    for _ in 0..<500 {
      switch Int.random(in: 0..<5, using: &chance) {
      case 0: queue.mode = PlaybackMode.known.randomElement(using: &chance) ?? .once
      case 1: queue.go(to: queue.next(by: &chance))
      case 2: queue.go(to: queue.previous(by: &chance), isBack: true)
      case 3: queue.append([Track(id: TrackID("more\(queue.tracks.count)"))])
      default: if let row = queue.following(by: &chance) { queue.go(to: row) }
      }
      #expect(queue.tracks.indices.contains(queue.index), "seed \(seed)")
    }
    queue.go(to: -1)
    queue.go(to: queue.tracks.count)
    #expect(queue.tracks.indices.contains(queue.index))
  }
}
