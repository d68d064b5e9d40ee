import Control
import TestSupport
import Testing

@Suite struct LineSplitterTests {
  @Test(arguments: 0..<50) func `whole lines come out, however they are cut`(seed: UInt64) {
    var luck = SeededGenerator(seed: seed)
    let lines = (0..<20).map { _ in
      (0..<Int.random(in: 0...90, using: &luck)).map { _ in UInt8.random(in: 32...255, using: &luck)
      }
    }
    let ends: [[UInt8]] = [[10], [13, 10]]
    let stream = lines.flatMap { $0 + (ends.randomElement(using: &luck) ?? [10]) }
    var splitter = LineSplitter(limit: 91)
    var found: [[UInt8]] = []
    var rest = stream[...]
    while !rest.isEmpty {
      let count = Int.random(in: 1...40, using: &luck)
      splitter.append(rest.prefix(count))
      rest = rest.dropFirst(count)
      while let line = splitter.next() { found.append(line) }
    }
    #expect(found == lines.filter { !$0.isEmpty }, "seed \(seed)")
    #expect(!splitter.isOverrun)
  }

  @Test func `a line that is too long ends the stream, also before its end has come`() {
    var splitter = LineSplitter(limit: 4)
    splitter.append(Array("abcd\nabcde".utf8))
    #expect(splitter.next() == Array("abcd".utf8))
    #expect(splitter.next() == nil)
    #expect(splitter.isOverrun)
    splitter.append(Array("\nab\n".utf8))
    #expect(splitter.next() == nil)
  }

  @Test func `a long line with its end is refused too`() {
    var splitter = LineSplitter(limit: 4)
    splitter.append(Array("abcde\nab\n".utf8))
    #expect(splitter.next() == nil)
    #expect(splitter.isOverrun)
  }
}
