import Glibc

/// Puts names in the order people expect: `track 2` before `track 10`, whatever the case, and a
/// folder's files together.
///
/// ```swift
/// var order = NaturalOrder()
/// for name in names { order.add(name) }
/// let sorted = order.places.map { names[$0] }
/// ```
///
/// Of each name a key is kept whose order by its bytes is the natural one: a number is written with
/// the count of its digits before it, so that the longer is the larger, and a slash goes before
/// everything.
package struct NaturalOrder {
  private var bytes: [UInt8] = []
  private var entries: [Entry] = []

  private struct Entry {
    /// The key's first eight bytes, which are nearly always enough.
    var head: UInt64
    var start: UInt32
    var count: UInt32
  }

  /// Makes one without names.
  package init() {}

  /// Takes the next name.
  ///
  /// - Parameter name: a file's name or a title.
  package mutating func add(_ name: String) {
    var name = name
    let start = bytes.count
    name.withUTF8 { appendKey(of: $0) }
    let head = bytes[start...].prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let missing = max(0, 8 - (bytes.count - start))
    entries.append(
      Entry(
        head: head << (8 * missing), start: UInt32(start), count: UInt32(bytes.count - start)))
  }

  /// The places of the names, in the order they were added, sorted by the names.
  ///
  /// Names that differ in case or leading zeros alone stay as they came.
  package var places: [Int] {
    bytes.withUnsafeBytes { bytes in
      entries.indices.sorted { isBefore($0, $1, in: bytes) }
    }
  }

  private func isBefore(_ place: Int, _ other: Int, in bytes: UnsafeRawBufferPointer) -> Bool {
    let (left, right) = (entries[place], entries[other])
    guard left.head == right.head else { return left.head < right.head }
    if let base = bytes.baseAddress {
      let shorter = Int(min(left.count, right.count))
      let order = memcmp(base + Int(left.start), base + Int(right.start), shorter)
      if order != 0 { return order < 0 }
    }
    return (left.count, place) < (right.count, other)
  }

  // MARK: - Keys

  private mutating func appendKey(of name: UnsafeBufferPointer<UInt8>) {
    var index = 0
    while index < name.count {
      let byte = name[index]
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        index = appendNumber(at: index, of: name)
        continue
      case UInt8(ascii: "/"): bytes.append(0x01)
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): bytes.append(byte | 0x20)
      case 0x80...:
        index = appendLetter(at: index, of: name)
        continue
      default: bytes.append(byte)
      }
      index += 1
    }
  }

  /// Appends a number; returns where it ends.
  private mutating func appendNumber(at start: Int, of name: UnsafeBufferPointer<UInt8>) -> Int {
    var end = start
    var first = start
    while end < name.count, (0x30...0x39).contains(name[end]) {
      if name[end] == 0x30, first == end { first += 1 }
      end += 1
    }
    bytes.append(0x30 + UInt8(min(end - first, 60)))
    bytes.append(contentsOf: name[first..<end])
    return end
  }

  /// Appends a letter outside of ASCII in lower case; returns where it ends.
  private mutating func appendLetter(at start: Int, of name: UnsafeBufferPointer<UInt8>) -> Int {
    let letter = UTF8Letter(at: start, of: name)
    if let lower = LowerCase.of(letter.value) {
      bytes.append(contentsOf: lower)
    } else {
      bytes.append(contentsOf: name[start..<letter.end])
    }
    return letter.end
  }
}

/// The lower case of letters outside of ASCII.
private enum LowerCase {
  /// Of the two-byte letters, which are Latin, Greek, Cyrillic and their neighbours; empty where it is
  /// the letter itself.
  private static let small = (UInt32(0)..<0x800).map { $0 < 0x80 ? [] : mapped($0) ?? [] }

  /// The UTF-8 of the lower case; nil where it is the letter itself.
  static func of(_ value: UInt32) -> [UInt8]? {
    switch value {
    case ..<0x800: small[Int(value)].isEmpty ? nil : small[Int(value)]
    // East Asian scripts have no case.
    case 0x2E80..<0xA640, 0xAC00..<0xFF00, 0x20000...: nil
    default: mapped(value)
    }
  }

  private static func mapped(_ value: UInt32) -> [UInt8]? {
    guard let scalar = Unicode.Scalar(value) else { return nil }
    let lower = scalar.properties.lowercaseMapping
    return lower == String(scalar) ? nil : Array(lower.utf8)
  }
}
