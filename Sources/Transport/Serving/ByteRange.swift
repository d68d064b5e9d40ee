/// What a `Range` header asks of a file of known size.
package enum ByteRange: Equatable, Sendable {
  /// No range, one of another unit, several, or a malformed one: the whole file, with 200.
  case whole
  /// One satisfiable range, with 206.
  case part(Range<Int64>)
  /// A range that starts at or past the end, with 416.
  case unsatisfiable

  /// Reads a header's value (RFC 9110, section 14).
  ///
  /// - Parameters:
  ///   - header: the value, nil where there is no such header.
  ///   - size: the bytes of the file.
  package init(header: String?, size: Int64) {
    self = .whole
    guard let header, header.lowercased().hasPrefix("bytes=") else { return }
    let spec = header.dropFirst(6).filter { $0 != " " && $0 != "\t" }
    guard !spec.contains(","), let dash = spec.firstIndex(of: "-") else { return }
    let first = spec[..<dash]
    let last = spec[spec.index(after: dash)...]
    guard Self.isNumber(first) || Self.isNumber(last) else { return }

    if first.isEmpty {
      let count = Int64(last) ?? .max
      let start = size - min(count, size)
      self = count == 0 || size == 0 ? .unsatisfiable : .part(start..<size)
      return
    }
    guard Self.isNumber(first), last.isEmpty || Self.isNumber(last) else { return }
    // A number too big for 64 bits is past every end.
    let start = Int64(first) ?? .max
    let end = last.isEmpty ? .max : Int64(last) ?? .max
    guard start <= end else { return }
    self = start >= size ? .unsatisfiable : .part(start..<(min(end, size - 1) + 1))
  }

  private static func isNumber(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
  }
}
