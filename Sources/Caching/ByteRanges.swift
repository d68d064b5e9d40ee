/// Which bytes of a file are there: sorted, disjoint, half-open ranges that do not touch.
package struct ByteRanges: Equatable, Sendable {
  /// The ranges from the first to the last; none is empty, none touches the next.
  package private(set) var ranges: [Range<Int64>] = []

  /// Makes one of no bytes.
  package init() {}

  /// Makes one of a single range.
  package init(_ range: Range<Int64>) { insert(range) }

  /// How many bytes there are in all.
  package var count: Int64 { ranges.reduce(0) { $0 + Int64($1.count) } }

  /// Whether there are none.
  package var isEmpty: Bool { ranges.isEmpty }

  /// How many bytes there are from the first byte of the file on without a gap.
  package var prefix: Int64 { end(at: 0) ?? 0 }

  /// The end of the range that holds a byte; nil where it is missing.
  package func end(at offset: Int64) -> Int64? {
    let index = firstIndex(endingAfter: offset)
    guard index < ranges.count, ranges[index].lowerBound <= offset else { return nil }
    return ranges[index].upperBound
  }

  /// Whether all bytes of a range are there; an empty one always is.
  package func contains(_ range: Range<Int64>) -> Bool {
    range.isEmpty || (end(at: range.lowerBound) ?? range.lowerBound) >= range.upperBound
  }

  /// The first run of missing bytes at or after an offset.
  ///
  /// - Parameters:
  ///   - offset: where to begin to look; it is the gap's start where it is missing itself.
  ///   - length: the bytes of the file; nil where nobody knows, and the last gap has no end.
  /// - Returns: the gap, its end nil where it is open; nil where nothing is missing.
  package func firstGap(from offset: Int64, of length: Int64?) -> (start: Int64, end: Int64?)? {
    var start = offset
    var index = firstIndex(endingAfter: offset)
    if index < ranges.count, ranges[index].lowerBound <= offset {
      start = ranges[index].upperBound
      index += 1
    }
    if let length, start >= length { return nil }
    guard index < ranges.count else { return (start, length) }
    return (start, min(ranges[index].lowerBound, length ?? .max))
  }

  /// The parts of a range that are there, in order.
  package func intersection(_ range: Range<Int64>) -> ByteRanges {
    var common = ByteRanges()
    for index in firstIndex(endingAfter: range.lowerBound)..<ranges.count {
      guard ranges[index].lowerBound < range.upperBound else { break }
      common.ranges.append(ranges[index].clamped(to: range))
    }
    common.ranges.removeAll(where: \.isEmpty)
    return common
  }

  /// Adds the bytes of a range.
  package mutating func insert(_ range: Range<Int64>) {
    guard !range.isEmpty else { return }
    // What it overlaps or touches becomes one with it.
    let first = firstIndex(endingAfter: range.lowerBound - 1)
    var last = first
    var joined = range
    while last < ranges.count, ranges[last].lowerBound <= range.upperBound {
      joined =
        min(
          joined.lowerBound, ranges[last].lowerBound)..<max(
          joined.upperBound, ranges[last].upperBound)
      last += 1
    }
    ranges.replaceSubrange(first..<last, with: CollectionOfOne(joined))
  }

  /// Adds the bytes of others.
  package mutating func formUnion(_ others: ByteRanges) {
    for range in others.ranges { insert(range) }
  }

  /// Takes the bytes of a range away.
  package mutating func remove(_ range: Range<Int64>) {
    guard !range.isEmpty else { return }
    let first = firstIndex(endingAfter: range.lowerBound)
    var last = first
    var kept: [Range<Int64>] = []
    while last < ranges.count, ranges[last].lowerBound < range.upperBound {
      let old = ranges[last]
      if old.lowerBound < range.lowerBound { kept.append(old.lowerBound..<range.lowerBound) }
      if old.upperBound > range.upperBound { kept.append(range.upperBound..<old.upperBound) }
      last += 1
    }
    ranges.replaceSubrange(first..<last, with: kept)
  }

  /// How full each of `count` equal parts of a file is, from 0 to 1.
  ///
  /// - Parameters:
  ///   - count: how many parts, 1 or more.
  ///   - length: the bytes of the file.
  /// - Returns: one share a part; a part of no bytes is full.
  package func segments(_ count: Int, of length: Int64) -> [Double] {
    func bound(_ index: Int) -> Int64 { Int64(Double(length) * Double(index) / Double(count)) }
    return (0..<count).map { index in
      let part = bound(index)..<max(bound(index), bound(index + 1))
      return part.isEmpty ? 1 : Double(intersection(part).count) / Double(part.count)
    }
  }

  /// The first range that ends after an offset; the number of ranges where none does.
  private func firstIndex(endingAfter offset: Int64) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound > offset { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

// MARK: - As text

extension ByteRanges {
  /// The ranges as text: `0-65536,131072-200000`, each with its start and the byte after its end.
  package var text: String {
    ranges.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ",")
  }

  /// Reads the text form; nil where it is none.
  package init?(text: String) {
    for part in text.split(separator: ",", omittingEmptySubsequences: !text.contains(",")) {
      let bounds = part.split(separator: "-", omittingEmptySubsequences: false)
      guard bounds.count == 2, let start = Int64(digits: bounds[0]),
        let end = Int64(digits: bounds[1]), start < end
      else { return nil }
      insert(start..<end)
    }
  }
}

extension Int64 {
  /// Reads a number that has nothing but digits, and is no larger than any file: 2^53 at most.
  init?(digits: some StringProtocol) {
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }),
      let value = Int64(digits), value <= 1 << 53
    else { return nil }
    self = value
  }
}
