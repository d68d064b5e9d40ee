import Testing
import Transport

@Suite struct ByteRangeTests {
  @Test(
    arguments: [
      (nil, .whole), ("bytes=0-", .part(0..<100)), ("bytes=0-0", .part(0..<1)),
      ("bytes=10-19", .part(10..<20)), ("bytes=99-", .part(99..<100)),
      ("bytes=50-1000", .part(50..<100)), ("bytes=-1", .part(99..<100)),
      ("bytes=-1000", .part(0..<100)), ("BYTES=5-6", .part(5..<7)),
      ("bytes= 5 - 6 ", .part(5..<7)), ("bytes=100-", .unsatisfiable),
      ("bytes=100-200", .unsatisfiable), ("bytes=-0", .unsatisfiable),
      ("bytes=99999999999999999999-", .unsatisfiable),
      ("bytes=0-99999999999999999999", .part(0..<100)),
      ("bytes=9-5", .whole), ("bytes=a-b", .whole), ("bytes=-", .whole), ("bytes=", .whole),
      ("bytes=1--2", .whole), ("lines=1-2", .whole), ("bytes=0-1,5-6", .whole),
    ] as [(String?, ByteRange)])
  func `a header of a hundred bytes' file`(header: String?, expected: ByteRange) {
    #expect(ByteRange(header: header, size: 100) == expected)
  }

  @Test func `an empty file satisfies no range`() {
    #expect(ByteRange(header: "bytes=0-", size: 0) == .unsatisfiable)
    #expect(ByteRange(header: "bytes=-5", size: 0) == .unsatisfiable)
  }
}
