import RoomProtocol

extension JSONValue {
  /// The value as JSON text, as commands print it.
  ///
  /// Whatever a terminal could take for a command is escaped, as everywhere; a number that is not
  /// finite is null.
  var description: String {
    var text = ""
    write(to: &text, number: Self.printed, quote: Self.printedQuote)
    return text
  }

  private static func printed(_ value: Double) -> String {
    guard value.isFinite else { return "null" }
    return value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : "\(value)"
  }

  private static func printedQuote(_ value: String, to text: inout String) {
    // Most texts are ids and plain titles, and a queue has thousands.
    let isPlain = value.utf8.allSatisfy { byte in
      (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
    text += "\""
    if isPlain { text += value } else { escape(value, to: &text) }
    text += "\""
  }

  private static func escape(_ value: String, to text: inout String) {
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case "\r": text += "\\r"
      case _ where Printable.isUnsafe(scalar):
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}

extension JSONValue {
  /// Text, or null.
  init(_ text: String?) { self = text.map(JSONValue.text) ?? .null }

  /// A whole number, or null.
  init(_ number: Int?) { self = number.map { .integer(Int64($0)) } ?? .null }

  /// A number rounded to milli-units, or null.
  init(_ number: Double?) {
    self = number.map { .number(($0 * 1000).rounded() / 1000) } ?? .null
  }

  /// A truth, or null where it is unknown.
  init(_ truth: Bool?) { self = truth.map(JSONValue.bool) ?? .null }
}

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
  ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral
{
  init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }

  init(arrayLiteral elements: JSONValue...) { self = .list(elements) }
  init(stringLiteral value: String) { self = .text(value) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(integerLiteral value: Int64) { self = .integer(value) }
}

extension JSONValue.Member {
  /// Joins a name and its value.
  init(key: String, value: JSONValue) { self.init(key, value) }
}
