/// The name of a field on the wire.
///
/// Our types name their fields as text, not as a closed enum, because one field may come under
/// several names (camelCase, snake_case).
struct WireKey: CodingKey, ExpressibleByStringLiteral {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringLiteral name: String) { stringValue = name }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// Reading fields the way protocol.md section 2 demands: what is absent, null or of another type
/// is nil, never an error.
extension KeyedDecodingContainer<WireKey> {
  /// A text, nil where there is none.
  func text(_ name: WireKey) -> String? {
    (try? decodeIfPresent(String.self, forKey: name)) ?? nil
  }

  /// A finite number, also one written as a text, nil where there is none.
  func number(_ name: WireKey) -> Double? {
    if let number = try? decodeIfPresent(Double.self, forKey: name) {
      return number.isFinite ? number : nil
    }
    guard let text = text(name), let number = Double(text), number.isFinite else { return nil }
    return number
  }

  /// A whole number, saturated at +-2^53 so that arithmetic on it can't overflow.
  func integer(_ name: WireKey) -> Int? {
    number(name).map { Int(max(-0x1p53, min(0x1p53, $0))) }
  }

  /// A truth value: true, false, a number (0 is false) or either written as a text.
  func flag(_ name: WireKey) -> Bool? {
    if let flag = try? decodeIfPresent(Bool.self, forKey: name) { return flag }
    if let number = number(name) { return number != 0 }
    return text(name).flatMap(Bool.init)
  }

  /// A text, or a number as text: names given by the server come as either.
  func label(_ name: WireKey) -> String? {
    if let text = text(name) { return text }
    return ((try? decodeIfPresent(Int.self, forKey: name)) ?? nil).map(String.init)
  }

  /// A value of one of our types, nil where it is absent, null or not readable.
  func value<Value: Decodable>(_ name: WireKey, as type: Value.Type = Value.self) -> Value? {
    (try? decodeIfPresent(type, forKey: name)) ?? nil
  }

  /// A list without its unreadable elements, nil where there is none.
  func list<Element: Codable>(
    _ name: WireKey, of type: Element.Type = Element.self
  ) -> TolerantList<Element>? {
    value(name)
  }

  /// Whether the field is there and is not null.
  func has(_ name: WireKey) -> Bool {
    contains(name) && (try? decodeNil(forKey: name)) == false
  }
}
