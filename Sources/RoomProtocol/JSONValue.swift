/// A JSON value, as it stands on the control socket and as commands print it; members keep their
/// order.
package indirect enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case text(String)
  case list([JSONValue])
  case object([Member])

  /// A name and its value in an object.
  package struct Member: Hashable, Sendable {
    package var key: String
    package var value: JSONValue

    /// Joins a name and its value.
    package init(_ key: String, _ value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  /// The value of a member; null where there is none, or this is no object.
  ///
  /// The last of several with one name counts.
  package subscript(_ key: String) -> JSONValue {
    guard case .object(let members) = self else { return .null }
    return members.last { $0.key == key }?.value ?? .null
  }

  /// The text, nil for anything else.
  package var text: String? { if case .text(let text) = self { text } else { nil } }

  /// The number, whole or not; nil for anything else.
  package var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  /// The whole number; nil for anything else, and for one with a fraction.
  package var integer: Int? {
    switch self {
    case .integer(let value): Int(exactly: value)
    case .number(let value): Int(exactly: value)
    default: nil
    }
  }

  /// The truth, nil for anything else.
  package var truth: Bool? { if case .bool(let truth) = self { truth } else { nil } }
}

extension JSONValue {
  /// The value as JSON on one line.
  ///
  /// Control characters are escaped, so that a line stays a line; a number that is not finite is
  /// null, since JSON has none.
  package var json: String {
    var text = ""
    write(to: &text, number: { $0.isFinite ? "\($0)" : "null" }, quote: Self.quote)
    return text
  }

  /// Writes the value as JSON on one line.
  ///
  /// - Parameters:
  ///   - text: takes it at its end.
  ///   - number: the JSON of a number with a fraction.
  ///   - quote: adds a text with its quotes.
  package func write(
    to text: inout String, number: (Double) -> String, quote: (String, inout String) -> Void
  ) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .integer(let value): text += String(value)
    case .number(let value): text += number(value)
    case .text(let value): quote(value, &text)
    case .list(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += ", " }
        value.write(to: &text, number: number, quote: quote)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += ", " }
        quote(member.key, &text)
        text += ": "
        member.value.write(to: &text, number: number, quote: quote)
      }
      text += "}"
    }
  }

  private static func quote(_ value: String, to text: inout String) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar.value {
      case 0x22: text += "\\\""
      case 0x5C: text += "\\\\"
      case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
