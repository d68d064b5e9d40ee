import RoomProtocol

/// Which entries of a list to import are wanted: `1-5,8`; pure.
struct ImportChoice {
  /// Rows, from 1; none of the ranges is known to be in the list.
  private var ranges: [ClosedRange<Int>] = []

  /// Reads a choice.
  ///
  /// - Parameter text: rows and ranges, joined by commas.
  /// - Throws: `Diagnostic` of the code `usage`.
  init(_ text: String) throws(Diagnostic) {
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false).map(Self.number)
      guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1],
        first <= last
      else {
        throw .usage("--only takes rows such as 1-5,8, not \"\(Printable.escaped(text))\"")
      }
      ranges.append(first...last)
    }
  }

  /// The entries' indices, each once, in order.
  ///
  /// - Parameter count: how many entries there are.
  /// - Returns: from 0.
  /// - Throws: `Diagnostic` of the code `out_of_range`.
  func indices(of count: Int) throws(Diagnostic) -> [Int] {
    for range in ranges where range.lowerBound < 1 || range.upperBound > count {
      let row = range.lowerBound < 1 ? range.lowerBound : range.upperBound
      throw Diagnostic(
        .outOfRange, "there is no row \(row) to import", why: "the list has \(count)")
    }
    return Set(ranges.joined()).sorted().map { $0 - 1 }
  }

  private static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    // Nobody has a list that long: what is larger is past its end.
    return min(Int(text) ?? .max, 1_000_000)
  }
}
