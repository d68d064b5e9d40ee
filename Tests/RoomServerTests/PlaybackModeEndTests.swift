import RoomProtocol
import TestSupport
import Testing

@testable import RoomServer

@Suite struct PlaybackModeEndTests {
  @Test(
    arguments: [
      (.once, 0, 3, .starts(1)), (.once, 2, 3, .pauses), (.once, 0, 1, .pauses),
      (.repeatAll, 0, 3, .starts(1)), (.repeatAll, 2, 3, .starts(0)),
      (.repeatAll, 0, 1, .starts(0)),
      (.repeatOne, 1, 3, .starts(1)), (.shuffle, 0, 1, .starts(0)),
    ] as [(PlaybackMode, Int, Int, TrackEnd)])
  func `each mode has its rule at the end of a track`(
    mode: PlaybackMode, index: Int, count: Int, expected: TrackEnd
  ) {
    var generator = SeededGenerator(seed: 1)
    #expect(mode.end(of: index, count: count, using: &generator) == expected)
  }

  @Test func `shuffle picks every other row and never the same`() {
    var generator = SeededGenerator(seed: 42)
    for index in 0..<5 {
      var seen: Set<Int> = []
      for _ in 0..<200 {
        guard
          case .starts(let next) = PlaybackMode.shuffle.end(
            of: index, count: 5, using: &generator)
        else { return #expect(Bool(false), "shuffle never pauses") }
        seen.insert(next)
      }
      #expect(seen == Set(0..<5).subtracting([index]))
    }
  }

  @Test func `a seed repeats its shuffle`() {
    var first = SeededGenerator(seed: 7)
    var second = SeededGenerator(seed: 7)
    for index in 0..<50 {
      let one = PlaybackMode.shuffle.end(of: index, count: 100, using: &first)
      #expect(one == PlaybackMode.shuffle.end(of: index, count: 100, using: &second))
    }
  }
}
