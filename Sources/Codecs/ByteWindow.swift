/// A sliding view of a byte source: the parsers' way of looking at a few bytes at any offset.
///
/// Holds one block of at most `blockSize` bytes (or of the longest view asked for).
struct ByteWindow {
  private static let blockSize = 32768

  let source: any ByteSource
  private var block = [UInt8](repeating: 0, count: blockSize)
  /// The bytes of the block that are there.
  private var filled = 0
  /// The offset of the first of them.
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
    if offset < start || offset > start + Int64(filled) {
      filled = 0
      start = offset
    } else if end > start + Int64(block.count) {
      keep(from: Int(offset - start))
    }
    if count > block.count { block += [UInt8](repeating: 0, count: count - block.count) }
    while end > start + Int64(filled), try load() {}
    let first = Int(offset - start)
    return block[first..<min(first + count, filled)]
  }

  /// Moves what is wanted to the front of the block.
  private mutating func keep(from first: Int) {
    block.withUnsafeMutableBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return }
      base.update(from: base + first, count: filled - first)
    }
    filled -= first
    start += Int64(first)
  }

  /// Appends what one read gives; false at the end of the source.
  private mutating func load() throws(ByteSourceError) -> Bool {
    let at = start + Int64(filled)
    let used = filled
    let source = source
    let got = block.withUnsafeMutableBytes { bytes -> Result<Int, ByteSourceError> in
      let free = UnsafeMutableRawBufferPointer(rebasing: bytes[used...])
      return Result { () throws(ByteSourceError) in try source.read(at: at, into: free) }
    }
    let count = try got.get()
    filled += count
    return count > 0
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
