/// A sliding view of a byte source: the parsers' way of looking at a few bytes at any offset.
///
/// Holds one block of at most `blockSize` bytes (or of the longest view asked for).
struct ByteWindow {
  private static let blockSize = 32768

  let source: any ByteSource
  private var block: [UInt8] = []
  private var start: Int64 = 0

  init(_ source: any ByteSource) {
    self.source = source
  }

  /// The bytes from `offset` on: `count` of them, fewer at the end of the source.
  ///
  /// - Parameters:
  ///   - offset: bytes from the start of the source.
  ///   - count: how many are wanted.
  /// - Returns: a slice whose indices start anywhere; drop it before the next call, or the block is
  ///   copied.
  /// - Throws: `ByteSourceError` as the source does.
  mutating func view(at offset: Int64, count: Int) throws(ByteSourceError) -> ArraySlice<UInt8> {
    let (end, overflow) = offset.addingReportingOverflow(Int64(count))
    guard offset >= 0, !overflow else { return [] }
    if offset < start || offset > start + Int64(block.count) {
      block.removeAll(keepingCapacity: true)
      start = offset
    } else if end > start + Int64(block.count) {
      block.removeFirst(Int(offset - start))
      start = offset
    }
    while end > start + Int64(block.count), try load(atLeast: count) {}
    let first = Int(offset - start)
    return block[first..<min(first + count, block.count)]
  }

  /// Appends what one read gives; false at the end of the source.
  private mutating func load(atLeast count: Int) throws(ByteSourceError) -> Bool {
    let filled = block.count
    let room = max(Self.blockSize, count)
    guard filled < room else { return false }
    block.append(contentsOf: repeatElement(0, count: room - filled))
    let at = start + Int64(filled)
    let source = source
    var got = 0
    var failure: ByteSourceError?
    block.withUnsafeMutableBytes { bytes in
      let free = UnsafeMutableRawBufferPointer(rebasing: bytes[filled...])
      do throws(ByteSourceError) {
        got = try source.read(at: at, into: free)
      } catch {
        failure = error
      }
    }
    block.removeLast(block.count - filled - got)
    if let failure { throw failure }
    return got > 0
  }
}

extension Collection where Element == UInt8 {
  /// The first bytes as a big-endian number (at most 8 of them are taken).
  func bigEndian(_ count: Int) -> UInt64 {
    prefix(count).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The first bytes as a little-endian number (at most 8 of them are taken).
  func littleEndian(_ count: Int) -> UInt64 {
    prefix(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Whether the bytes start with the ASCII text.
  func starts(with text: StaticString) -> Bool {
    text.withUTF8Buffer { starts(with: $0) }
  }
}
