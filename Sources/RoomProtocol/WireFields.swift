/// An object from the wire, whose fields are read the way protocol.md section 2 demands: what is
/// absent, null or of another type is nil, never an error.
///
/// Fields are named by text, not by a closed enum, because one may come under several names
/// (camelCase, snake_case).
struct WireFields {
  private let members: [JSONValue.Member]

  /// Looks at an object.
  ///
  /// - Throws: `WireError` where it is none.
  init(_ wire: JSONValue) throws(WireError) {
    guard case .object(let members) = wire else { throw .unreadable(path: []) }
    self.members = members
  }

  /// The names of all fields, as they come.
  var names: [String] { members.map(\.key) }

  /// The last of this name, as others read JSON too; nil where there is none.
  private func member(_ name: String) -> JSONValue? { members.last { $0.key == name }?.value }

  /// Whether the field is there, be it null.
  func contains(_ name: String) -> Bool { member(name) != nil }

  /// Whether the field is there and is not null.
  func has(_ name: String) -> Bool { (member(name) ?? .null) != .null }

  /// A text, nil where there is none.
  func text(_ name: String) -> String? { member(name)?.text }

  /// A finite number, also one written as a text, nil where there is none.
  func number(_ name: String) -> Double? {
    guard let value = member(name), let number = value.number ?? value.text.flatMap(Double.init)
    else { return nil }
    return number.isFinite ? number : nil
  }

  /// A whole number, saturated at +-2^53 so that arithmetic on it can't overflow.
  func integer(_ name: String) -> Int? {
    number(name).map { Int(max(-0x1p53, min(0x1p53, $0))) }
  }

  /// A truth value: true, false, a number (0 is false) or either written as a text.
  func flag(_ name: String) -> Bool? {
    if let flag = member(name)?.truth { return flag }
    if let number = number(name) { return number != 0 }
    return text(name).flatMap(Bool.init)
  }

  /// A text, or a number as text: names given by the server come as either.
  func label(_ name: String) -> String? {
    guard let value = member(name) else { return nil }
    return value.text ?? value.integer.map(String.init)
  }

  /// A value of one of our types, nil where it is absent, null or not readable.
  func value<Value: WireReadable>(_ name: String, as type: Value.Type = Value.self) -> Value? {
    member(name).flatMap { try? Value(wire: $0) }
  }

  /// A list without its unreadable elements, nil where there is none.
  func list<Element: WireReadable>(
    _ name: String, of type: Element.Type = Element.self
  ) -> TolerantList<Element>? {
    value(name)
  }

  /// A value that must be there.
  ///
  /// - Throws: `WireError` where it is absent, null or not readable.
  func required<Value: WireReadable>(
    _ name: String, as type: Value.Type = Value.self
  ) throws(WireError) -> Value {
    do { return try Value(wire: member(name) ?? .null) } catch { throw error.under(name) }
  }

  /// A value that may be absent or null, but not unreadable.
  ///
  /// - Throws: `WireError`.
  func optional<Value: WireReadable>(
    _ name: String, as type: Value.Type = Value.self
  ) throws(WireError) -> Value? {
    has(name) ? try required(name) : nil
  }
}

extension JSONValue {
  /// An object for the wire; a field without a value is null.
  ///
  /// - Parameter fields: the names and what stands under them.
  /// - Returns: the object.
  package static func fields(_ fields: KeyValuePairs<String, (any WireWritable)?>) -> JSONValue {
    .object(fields.map { Member($0.key, $0.value?.wire ?? .null) })
  }

  /// The object with fields added, those without a value left out.
  func adding(_ fields: KeyValuePairs<String, (any WireWritable)?>) -> JSONValue {
    guard case .object(let members) = self else { return self }
    return .object(
      members + fields.compactMap { field in field.value.map { Member(field.key, $0.wire) } })
  }
}
