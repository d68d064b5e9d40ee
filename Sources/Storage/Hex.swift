/// Bytes as lower-case hexadecimal digits, and back.
package enum Hex {
  private static let digits = Array("0123456789abcdef".utf8)

  /// Two digits for each byte.
  package static func string(_ bytes: [UInt8]) -> String {
    bytes.withUnsafeBytes { string($0, after: "") }
  }

  /// A text, and behind it two digits for each byte.
  package static func string(
    _ bytes: UnsafeRawBufferPointer, after prefix: StaticString
  ) -> String {
    let start = prefix.utf8CodeUnitCount
    let digits = digits
    return String(unsafeUninitializedCapacity: start + 2 * bytes.count) { text in
      prefix.withUTF8Buffer { _ = text.update(fromContentsOf: $0) }
      for index in 0..<bytes.count {
        text[start + 2 * index] = digits[Int(bytes[index] >> 4)]
        text[start + 2 * index + 1] = digits[Int(bytes[index] & 15)]
      }
      return start + 2 * bytes.count
    }
  }

  /// The bytes of a text of digits in either case; nil where it is anything else.
  package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    var text = String(text)
    return text.withUTF8 { bytes($0) }
  }

  /// The bytes of digits in either case; nil where there is anything else.
  package static func bytes(_ digits: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard digits.count.isMultiple(of: 2) else { return nil }
    let count = digits.count / 2
    let values = values
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { bytes, done in
      while done < count {
        let (high, low) = (values[Int(digits[2 * done])], values[Int(digits[2 * done + 1])])
        guard high | low < 16 else { return }
        bytes[done] = high << 4 | low
        done += 1
      }
    }
    return bytes.count == count ? bytes : nil
  }

  /// What each byte stands for as a digit; 255 for those that are none.
  private static let values = (UInt8.min...UInt8.max).map { byte -> UInt8 in
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: .max
    }
  }
}
