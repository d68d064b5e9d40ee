/// Which bytes a download asks for next: first those that somebody waits for.
///
/// A pure value: what is there, and where the readers are.
struct DownloadPlan {
  /// The bytes that are there.
  var ranges: ByteRanges
  /// The bytes of the whole file, where they are known.
  var length: Int64?
  /// Where a reader waits for a byte; nil where nobody does.
  var wanted: Int64?
  /// Where the reader was last.
  var cursor: Int64
  /// Whether this version of the file has a name by which the server knows it again.
  ///
  /// Without one what joins two pieces is read twice and compared.
  var hasValidator: Bool

  /// How far ahead of the running request a byte may lie to be waited for: less than a new request
  /// costs on a slow line, little on a fast one.
  static let near: Int64 = 128 * 1024
  /// How much is read twice where two pieces join without a validator.
  static let overlap: Int64 = 64 * 1024

  /// The range to ask for, its end nil where it is open; nil where nothing is missing.
  var next: (start: Int64, end: Int64?)? {
    guard let gap = nextGap else { return nil }
    guard !hasValidator else { return gap }
    var (start, end) = gap
    if start > 0, ranges.end(at: start - 1) != nil {
      start =
        ranges.intersection(max(0, start - Self.overlap)..<start).ranges.last?.lowerBound ?? start
    }
    if let last = end, let next = ranges.end(at: last) { end = min(next, last + Self.overlap) }
    return (start, end)
  }

  /// From where somebody waits; else from the reader's place to the end; else from the start.
  private var nextGap: (start: Int64, end: Int64?)? {
    // What may lie past the end is not asked for.
    guard let length else { return ranges.firstGap(from: 0, of: nil) }
    if let wanted, let gap = ranges.firstGap(from: wanted, of: length) { return gap }
    return ranges.firstGap(from: cursor, of: length) ?? ranges.firstGap(from: 0, of: length)
  }
}
