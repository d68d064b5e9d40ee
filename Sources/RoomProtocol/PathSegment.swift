/// Percent-encoding of one segment of a path.
package enum PathSegment {
  /// Encodes a text so that it stays one segment, whatever it holds.
  ///
  /// All bytes but `A-Z a-z 0-9 - . _ ~` become `%XX`; `.` and `..`, which would climb, are
  /// encoded as a whole.
  package static func encode(_ text: String) -> String {
    let climbs = text == "." || text == ".."
    var encoded = ""
    for byte in text.utf8 {
      if isUnreserved(byte), !climbs {
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        encoded += "%"
        encoded.unicodeScalars.append(hexDigit(byte >> 4))
        encoded.unicodeScalars.append(hexDigit(byte & 15))
      }
    }
    return encoded
  }

  /// Decodes a segment.
  ///
  /// - Returns: nil where a `%` is not followed by two hex digits, or the bytes are no UTF-8.
  package static func decode(_ segment: some StringProtocol) -> String? {
    var bytes: [UInt8] = []
    var rest = segment.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(value), let low = rest.popFirst().flatMap(value)
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static func hexDigit(_ value: UInt8) -> Unicode.Scalar {
    Unicode.Scalar(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10)
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
