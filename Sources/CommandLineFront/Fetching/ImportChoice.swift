import RoomProtocol

/// Which entries of a list to import are wanted: `1-5,8`; pure.
enum ImportChoice {
  /// The entries' indices, each once, in order.
  ///
  /// - Parameters:
  ///   - text: rows and ranges, joined by commas.
  ///   - count: how many entries there are.
  /// - Returns: from 0.
  /// - Throws: `Diagnostic`: `usage`, `out_of_range`.
  static func indices(_ text: String, of count: Int) throws(Diagnostic) -> [Int] {
    var wanted: Set<Int> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false).map(number)
      guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1],
        first <= last
      else {
        throw .usage(
          "--only takes rows such as 1-5,8, not \"\(Printable.escaped(text))\"")
      }
      guard (1...count).contains(first), last <= count else {
        throw Diagnostic(
          .outOfRange, "there is no row \(first < 1 ? first : last) to import",
          why: count == 1 ? "the list has 1" : "the list has \(count)")
      }
      wanted.formUnion(first...last)
    }
    return wanted.sorted().map { $0 - 1 }
  }

  private static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int(text) ?? .max
  }
}
