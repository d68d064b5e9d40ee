import FoundationEssentials

/// JSON as it goes over the wire, to and from bytes.
///
/// Decoding is bounded: more than 512 levels of nesting are an error, not a stack overflow.
package enum WireJSON {
  /// Reads one value.
  ///
  /// - Parameters:
  ///   - type: what to read.
  ///   - bytes: the whole JSON text, UTF-8.
  /// - Returns: the value.
  /// - Throws: `DecodingError` when it is no JSON, or none of this type.
  package static func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, from bytes: [UInt8]
  ) throws -> Value {
    try JSONDecoder().decode(type, from: Data(bytes))
  }

  /// Writes one value, with sorted keys: equal values give equal bytes.
  ///
  /// - Parameter value: what to write.
  /// - Returns: UTF-8 without line breaks.
  /// - Throws: `EncodingError`, for a number that is not finite.
  package static func encode(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return [UInt8](try encoder.encode(value))
  }
}
