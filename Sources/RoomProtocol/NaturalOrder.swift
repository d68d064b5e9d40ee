/// Orders names as people do: `track 2` before `track 10`, whatever the case.
package enum NaturalOrder {
  /// A text whose order by its bytes is the natural order of the names.
  ///
  /// A number is written with the count of its digits before it, so that the longer is the larger; a
  /// slash goes before everything, so that a folder's files stay together.
  ///
  /// - Parameter name: a file's name or a title.
  /// - Returns: for comparing only; names that differ in case or leading zeros alone give the same.
  package static func key(_ name: String) -> String {
    var bytes: [UInt8] = []
    let folded = name.utf8.allSatisfy { $0 < 0x80 } ? name : name.lowercased()
    bytes.reserveCapacity(folded.utf8.count + 4)
    var number: [UInt8] = []
    func endNumber() {
      guard !number.isEmpty else { return }
      let digits = number.drop { $0 == 0x30 }
      bytes.append(0x30 + UInt8(min(digits.count, 60)))
      bytes.append(contentsOf: digits)
      number.removeAll(keepingCapacity: true)
    }
    for byte in folded.utf8 {
      if (0x30...0x39).contains(byte) {
        number.append(byte)
        continue
      }
      endNumber()
      switch byte {
      case UInt8(ascii: "/"): bytes.append(0x01)
      case 0x41...0x5A: bytes.append(byte | 0x20)
      default: bytes.append(byte)
      }
    }
    endNumber()
    return String(decoding: bytes, as: UTF8.self)
  }
}
