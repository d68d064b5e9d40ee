extension JSONValue {
  /// Reads a JSON text; nil where it is none.
  ///
  /// Bytes that are no UTF-8 are repaired, nesting deeper than 64 is refused, and a whole number
  /// too large for 64 bits becomes a fraction, one too large for that null: whatever comes, it ends and takes no more memory
  /// than a few times the text.
  ///
  /// - Parameter bytes: the text, blanks around it allowed.
  package init?(json bytes: some Collection<UInt8>) {
    let value = Array(bytes).withUnsafeBytes { text -> JSONValue? in
      var parser = JSONParser(text: text)
      guard let value = parser.value(depth: 0) else { return nil }
      parser.skipBlanks()
      return parser.index == text.count ? value : nil
    }
    guard let value else { return nil }
    self = value
  }
}

/// One pass over a JSON text.
private struct JSONParser {
  let text: UnsafeRawBufferPointer
  var index = 0

  private static let depthLimit = 64

  mutating func value(depth: Int) -> JSONValue? {
    guard depth < Self.depthLimit else { return nil }
    skipBlanks()
    guard index < text.count else { return nil }
    switch text[index] {
    case UInt8(ascii: "{"): return object(depth: depth)
    case UInt8(ascii: "["): return list(depth: depth)
    case UInt8(ascii: "\""): return string().map { .text($0) }
    case UInt8(ascii: "t"): return word("true", .bool(true))
    case UInt8(ascii: "f"): return word("false", .bool(false))
    case UInt8(ascii: "n"): return word("null", .null)
    default: return number()
    }
  }

  mutating func skipBlanks() {
    while index < text.count {
      switch text[index] {
      case 0x20, 0x09, 0x0A, 0x0D: index += 1
      default: return
      }
    }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard index < text.count, text[index] == byte else { return false }
    index += 1
    return true
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue) -> JSONValue? {
    let length = word.utf8CodeUnitCount
    let isThere = word.withUTF8Buffer { letters in
      text.count - index >= length && text[index..<index + length].elementsEqual(letters)
    }
    index += length
    return isThere ? value : nil
  }

  private mutating func object(depth: Int) -> JSONValue? {
    index += 1
    var members: [JSONValue.Member] = []
    skipBlanks()
    if take(UInt8(ascii: "}")) { return .object([]) }
    while true {
      skipBlanks()
      guard index < text.count, text[index] == UInt8(ascii: "\""), let key = string() else {
        return nil
      }
      skipBlanks()
      guard take(UInt8(ascii: ":")), let value = value(depth: depth + 1) else { return nil }
      members.append(.init(key, value))
      skipBlanks()
      if take(UInt8(ascii: "}")) { return .object(members) }
      guard take(UInt8(ascii: ",")) else { return nil }
    }
  }

  private mutating func list(depth: Int) -> JSONValue? {
    index += 1
    var values: [JSONValue] = []
    skipBlanks()
    if take(UInt8(ascii: "]")) { return .list([]) }
    while true {
      guard let value = value(depth: depth + 1) else { return nil }
      values.append(value)
      skipBlanks()
      if take(UInt8(ascii: "]")) { return .list(values) }
      guard take(UInt8(ascii: ",")) else { return nil }
    }
  }

  private mutating func number() -> JSONValue? {
    let start = index
    var isWhole = true
    while index < text.count {
      switch text[index] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): break
      case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "+"):
        isWhole = false
      default: return finished(start, isWhole)
      }
      index += 1
    }
    return finished(start, isWhole)
  }

  private func finished(_ start: Int, _ isWhole: Bool) -> JSONValue? {
    // Swift's numbers take a plus sign at the front; JSON's don't.
    guard start < index, text[start] != UInt8(ascii: "+") else { return nil }
    let digits = String(decoding: text[start..<index], as: UTF8.self)
    if isWhole, let value = Int64(digits) { return .integer(value) }
    guard let value = Double(digits) else { return nil }
    // Nothing can be done with a number that is too large; what stands beside it is good.
    return value.isFinite ? .number(value) : .null
  }

  private mutating func string() -> String? {
    index += 1
    var bytes: [UInt8] = []
    var start = index
    while index < text.count {
      switch text[index] {
      case UInt8(ascii: "\""):
        let end = UnsafeRawBufferPointer(rebasing: text[start..<index])
        index += 1
        // Most texts are plain, and need no copy.
        if bytes.isEmpty { return String(decoding: end, as: UTF8.self) }
        bytes += end
        return String(decoding: bytes, as: UTF8.self)
      case UInt8(ascii: "\\"):
        bytes += text[start..<index]
        index += 1
        guard let scalar = escape() else { return nil }
        bytes += Array(String(Character(scalar)).utf8)
        start = index
      case 0..<0x20: return nil
      default: index += 1
      }
    }
    return nil
  }

  /// What follows a backslash.
  private mutating func escape() -> Unicode.Scalar? {
    guard index < text.count else { return nil }
    let letter = text[index]
    index += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(letter)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return unicode()
    default: return nil
    }
  }

  private mutating func unicode() -> Unicode.Scalar? {
    guard let first = hexadecimal() else { return nil }
    guard (0xD800..<0xDC00).contains(first) else {
      // Half a pair alone means nothing.
      return Unicode.Scalar(first) ?? "\u{FFFD}"
    }
    let place = index
    guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")), let second = hexadecimal(),
      (0xDC00..<0xE000).contains(second)
    else {
      index = place
      return "\u{FFFD}"
    }
    return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
  }

  private mutating func hexadecimal() -> UInt32? {
    guard text.count - index >= 4 else { return nil }
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = Character(Unicode.Scalar(text[index])).hexDigitValue else { return nil }
      value = value << 4 | UInt32(digit)
      index += 1
    }
    return value
  }
}
