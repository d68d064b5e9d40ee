/// Bytes from a keyboard as scalars; what is not UTF-8 becomes U+FFFD.
struct UTF8Collector {
  private var bytes: [UInt8] = []

  /// Takes what came.
  mutating func add(_ more: some Sequence<UInt8>) { bytes += more }

  /// The next scalar that is complete; nil until more has come.
  mutating func next() -> Unicode.Scalar? {
    guard let lead = bytes.first else { return nil }
    let length = lead < 0x80 ? 1 : lead < 0xC2 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
    // A byte that can't go on ends the sequence early.
    let tail = bytes.dropFirst().prefix(length - 1).prefix { $0 & 0xC0 == 0x80 }
    guard tail.count == length - 1 || bytes.count > tail.count + 1 else { return nil }
    let piece = bytes.prefix(1 + tail.count)
    bytes.removeFirst(piece.count)
    return String(decoding: piece, as: UTF8.self).unicodeScalars.first
  }
}
