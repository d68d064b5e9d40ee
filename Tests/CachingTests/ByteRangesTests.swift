import TestSupport
import Testing

@testable import Caching

struct ByteRangesTests {
  /// What is meant, byte by byte.
  private struct Model {
    var bytes: Set<Int64> = []
    static let size: Int64 = 200

    func firstGap(from offset: Int64, of length: Int64?) -> (Int64, Int64?)? {
      let limit = length ?? Self.size + 50
      guard let start = (offset..<max(offset, limit)).first(where: { !bytes.contains($0) }) else {
        return nil
      }
      return (start, (start..<limit).first(where: bytes.contains) ?? length)
    }
  }

  @Test(arguments: UInt64(1)...40) func `it agrees with a set of bytes`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var (ranges, model) = (ByteRanges(), Model())
    for _ in 0..<60 {
      let start = Int64.random(in: 0..<Model.size, using: &random)
      let range = start..<Int64.random(in: start...Model.size, using: &random)
      if Int.random(in: 0..<3, using: &random) > 0 {
        ranges.insert(range)
        model.bytes.formUnion(range)
      } else {
        ranges.remove(range)
        model.bytes.subtract(range)
      }
      #expect(Set(ranges.ranges.flatMap { Array($0) }) == model.bytes)
      for (one, next) in zip(ranges.ranges, ranges.ranges.dropFirst()) {
        #expect(one.upperBound < next.lowerBound)
      }
      #expect(ranges.ranges.allSatisfy { !$0.isEmpty })
      #expect(ranges.count == Int64(model.bytes.count))
      #expect(ranges.prefix == (0...Model.size).first { !model.bytes.contains($0) })
      #expect(ByteRanges(text: ranges.text) == ranges)
      try ask(ranges, model, &random)
    }
  }

  private func ask(
    _ ranges: ByteRanges, _ model: Model, _ random: inout SeededGenerator
  ) throws {
    let start = Int64.random(in: 0...Model.size, using: &random)
    let range = start..<Int64.random(in: start...Model.size, using: &random)
    #expect(ranges.contains(range) == model.bytes.isSuperset(of: range))
    #expect(ranges.contains(range) == (ranges.intersection(range) == ByteRanges(range)))
    #expect(ranges.intersection(range).count == Int64(model.bytes.intersection(range).count))
    #expect((ranges.end(at: start) != nil) == model.bytes.contains(start))
    for length in [nil, Model.size, Int64.random(in: 0...Model.size, using: &random)] {
      let (gap, meant) = (
        ranges.firstGap(from: start, of: length), model.firstGap(from: start, of: length)
      )
      #expect(gap?.start == meant?.0 && gap?.end == meant?.1, "from \(start) of \(length ?? -1)")
    }
    let parts = Int.random(in: 1...30, using: &random)
    let filled = ranges.segments(parts, of: Model.size)
    #expect(filled.count == parts)
    #expect(filled.allSatisfy { (0...1).contains($0) })
    #expect(filled.allSatisfy { $0 == 1 } == ranges.contains(0..<Model.size))
  }

  @Test(arguments: [
    "-", "1", "5-5", "9-3", "0-1,", ",", "0-1,x-2", "-1-5", "0-99999999999999999999",
  ])
  func `text that is none is refused`(text: String) {
    #expect(ByteRanges(text: text) == nil)
  }

  @Test func `twenty segments of a file show what is there`() {
    var ranges = ByteRanges(0..<100)
    ranges.insert(950..<1000)
    let bar = ranges.segments(20, of: 1000)
    #expect(bar == [1, 1] + [Double](repeating: 0, count: 17) + [1])
  }
}
