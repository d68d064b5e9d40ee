/// A line being typed on a terminal that hands over each byte: the plain prompt.
///
/// Letters are added, Backspace and Ctrl-U take away, Enter gives the line. What arrow and function
/// keys send is swallowed: nothing of it ends up in the line.
struct TypedLine {
  /// What a byte led to.
  enum Outcome: Equatable {
    /// The line looks different, or the same.
    case changed
    /// The line is complete.
    case line(String)
    /// Ctrl-D on an empty line.
    case end
  }

  private var bytes: [UInt8] = []
  private var escape = Escape.none

  private enum Escape {
    case none, begun, sequence
  }

  /// The line so far, as it is shown.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Takes the next byte.
  mutating func take(_ byte: UInt8) -> Outcome {
    if swallows(byte) { return .changed }
    switch byte {
    case 0x0A, 0x0D:
      defer { bytes = [] }
      return .line(text)
    case 0x04:
      return bytes.isEmpty ? .end : .changed
    case 0x7F, 0x08: bytes = Array(text.dropLast().utf8)
    case 0x15: bytes = []
    case 0x1B: escape = .begun
    case 0x20...: bytes.append(byte)
    default: break
    }
    return .changed
  }

  /// Whether a byte belongs to a key's escape sequence (ECMA-48: ESC, `[` or `O`, a final byte).
  private mutating func swallows(_ byte: UInt8) -> Bool {
    switch escape {
    case .none: return false
    case .begun: escape = byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") ? .sequence : .none
    case .sequence: if (0x40...0x7E).contains(byte) { escape = .none }
    }
    return true
  }
}
