/// A value that is read from JSON the way protocol.md section 2 demands.
package protocol WireReadable {
  /// Reads the value.
  ///
  /// - Parameter wire: the JSON it stands in.
  /// - Throws: `WireError` where nothing of this kind can be made of it.
  init(wire: JSONValue) throws(WireError)
}

/// A value that is written as JSON.
package protocol WireWritable {
  /// The value as JSON.
  var wire: JSONValue { get }
}

/// Why JSON from the wire, or for it, is of no use.
package enum WireError: Error, Equatable {
  /// The text is no JSON.
  case notJSON
  /// The value under these names is missing or of another kind; without a name it is all of it.
  case unreadable(path: [String])
  /// A number that is not finite can't be written.
  case notFinite

  /// The same of a value that stands under a name.
  func under(_ name: String) -> WireError {
    if case .unreadable(let path) = self { .unreadable(path: [name] + path) } else { self }
  }
}

/// JSON as it goes over the wire, to and from bytes.
package enum WireJSON {
  /// Reads one value.
  ///
  /// - Parameters:
  ///   - type: what to read.
  ///   - bytes: the whole JSON text; see `JSONValue.init(json:)` for its bounds.
  /// - Returns: the value.
  /// - Throws: `WireError` when it is no JSON, or none of this type.
  package static func decode<Value: WireReadable>(
    _ type: Value.Type = Value.self, from bytes: some Collection<UInt8>
  ) throws(WireError) -> Value {
    guard let value = JSONValue(json: bytes) else { throw .notJSON }
    return try Value(wire: value)
  }

  /// Writes one value, with sorted keys and without blanks: equal values give equal bytes.
  ///
  /// - Parameter value: what to write.
  /// - Returns: UTF-8 without line breaks.
  /// - Throws: `WireError.notFinite`.
  package static func encode(_ value: some WireWritable) throws(WireError) -> [UInt8] {
    var writer = CompactWriter()
    try writer.write(value.wire)
    return writer.bytes
  }
}

/// Writes JSON as short as it can be.
private struct CompactWriter {
  var bytes: [UInt8] = []

  mutating func write(_ value: JSONValue) throws(WireError) {
    switch value {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .integer(let value): bytes += String(value).utf8
    case .number(let value): try write(value)
    case .text(let value): write(value)
    case .list(let values):
      bytes.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        try write(value)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        write(member.key)
        bytes.append(UInt8(ascii: ":"))
        try write(member.value)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private mutating func write(_ number: Double) throws(WireError) {
    guard number.isFinite else { throw .notFinite }
    // As other servers write it: without a point where there is no fraction.
    if let whole = Int64(exactly: number), abs(number) < 0x1p53 {
      bytes += String(whole).utf8
    } else {
      bytes += "\(number)".utf8
    }
  }

  private mutating func write(_ text: String) {
    var isPlain = true
    for byte in text.utf8 where byte < 0x20 || byte == 0x22 || byte == 0x5C { isPlain = false }
    guard isPlain else {
      bytes += JSONValue.text(text).json.utf8
      return
    }
    bytes.append(UInt8(ascii: "\""))
    bytes += text.utf8
    bytes.append(UInt8(ascii: "\""))
  }
}

// MARK: - Plain values

extension JSONValue: WireReadable, WireWritable {
  /// Takes the value as it is.
  ///
  /// - Parameter wire: the value.
  package init(wire: JSONValue) { self = wire }

  /// Itself.
  package var wire: JSONValue { self }
}

extension String: WireReadable, WireWritable {
  /// Reads a text.
  ///
  /// - Parameter wire: the value.
  /// - Throws: `WireError` where it is no text.
  package init(wire: JSONValue) throws(WireError) {
    guard let text = wire.text else { throw .unreadable(path: []) }
    self = text
  }

  /// The text.
  package var wire: JSONValue { .text(self) }
}

extension Int: WireReadable, WireWritable {
  /// Reads a whole number.
  ///
  /// - Parameter wire: the value.
  /// - Throws: `WireError` where it is none, or has a fraction.
  package init(wire: JSONValue) throws(WireError) {
    guard let number = wire.integer else { throw .unreadable(path: []) }
    self = number
  }

  /// The number.
  package var wire: JSONValue { .integer(Int64(self)) }
}

extension Double: WireReadable, WireWritable {
  /// Reads a finite number.
  ///
  /// - Parameter wire: the value.
  /// - Throws: `WireError` where it is none.
  package init(wire: JSONValue) throws(WireError) {
    guard let number = wire.number, number.isFinite else { throw .unreadable(path: []) }
    self = number
  }

  /// The number.
  package var wire: JSONValue { .number(self) }
}

extension Bool: WireReadable, WireWritable {
  /// Reads true or false.
  ///
  /// - Parameter wire: the value.
  /// - Throws: `WireError` where it is neither.
  package init(wire: JSONValue) throws(WireError) {
    guard let truth = wire.truth else { throw .unreadable(path: []) }
    self = truth
  }

  /// True or false.
  package var wire: JSONValue { .bool(self) }
}

extension Array: WireReadable where Element: WireReadable {
  /// Reads a list, strictly: every element must be readable.
  ///
  /// - Parameter wire: the value.
  /// - Throws: `WireError` where it is no list of these.
  package init(wire: JSONValue) throws(WireError) {
    guard case .list(let values) = wire else { throw .unreadable(path: []) }
    self = []
    reserveCapacity(values.count)
    for value in values { append(try Element(wire: value)) }
  }
}

extension Array: WireWritable where Element: WireWritable {
  /// The list.
  package var wire: JSONValue { .list(map(\.wire)) }
}
