/// Text from elsewhere, made fit for a terminal: nothing in it acts, and its width is known.
enum Printable {
  /// The text with everything that could act on a terminal shown instead: control characters,
  /// line separators, and the marks that turn the direction of writing around.
  static func escaped(_ text: some StringProtocol) -> String {
    guard text.unicodeScalars.contains(where: isUnsafe) else { return String(text) }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if isUnsafe(scalar) {
        result.append(contentsOf: escape(scalar).unicodeScalars)
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }

  /// Whether a terminal or a line-wise reader could take it for more than a letter.
  static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0: true  // C0, DEL, C1
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true  // direction
    case 0x2028, 0x2029: true  // line and paragraph separators
    default: false
    }
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": return "\\n"
    case "\t": return "\\t"
    case "\r": return "\\r"
    default:
      let digits = String(scalar.value, radix: 16)
      return scalar.value < 0x100
        ? "\\x" + (digits.count == 1 ? "0" : "") + digits : "\\u{\(digits)}"
    }
  }

  /// How many columns a text takes on a terminal.
  static func width(_ text: some StringProtocol) -> Int {
    text.reduce(0) { $0 + width(of: $1) }
  }

  /// How many rows a text takes once a terminal of so many columns has wrapped it.
  static func rows(_ text: some StringProtocol, columns: Int) -> Int {
    max(1, (width(text) + columns - 1) / max(1, columns))
  }

  /// The text cut to `columns`, with an ellipsis where something is missing.
  static func truncated(_ text: String, to columns: Int) -> String {
    guard width(text) > columns else { return text }
    guard columns > 0 else { return "" }
    var kept = ""
    var used = 0
    for character in text {
      let next = width(of: character)
      if used + next > columns - 1 { break }
      kept.append(character)
      used += next
    }
    return kept + "…"
  }

  /// The text cut or filled with blanks to exactly `columns`.
  static func padded(_ text: String, to columns: Int, alignment: Alignment = .left) -> String {
    let text = truncated(text, to: columns)
    let blanks = String(repeating: " ", count: max(0, columns - width(text)))
    return alignment == .left ? text + blanks : blanks + text
  }

  /// Where the blanks of a filled text are not.
  enum Alignment {
    case left, right
  }

  private static func width(of character: Character) -> Int {
    if let ascii = character.asciiValue { return ascii < 0x20 || ascii == 0x7F ? 0 : 1 }
    let scalars = character.unicodeScalars
    // The variation selector 16 asks for the picture, which takes two columns.
    if scalars.contains(where: { isWide($0) || $0.value == 0xFE0F }) { return 2 }
    // The half-width voicing marks join the letter before them and take a column of their own.
    let marks = scalars.dropFirst().count { (0xFF9E...0xFF9F).contains($0.value) }
    return scalars.allSatisfy(isZeroWidth) ? 0 : 1 + marks
  }

  private static func isZeroWidth(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: true
    default: false
    }
  }

  /// East Asian wide and full-width characters, and emoji (Unicode Standard Annex 11, by block).
  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C,
      0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x17000...0x18CFF, 0x1B000...0x1B2FF, 0x1F300...0x1F64F,
      0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD:
      true
    default: scalar.properties.isEmojiPresentation
    }
  }
}

/// A number and its noun: `1 track`, `3 tracks`.
func counted(_ count: Int, _ noun: String) -> String {
  "\(count) \(noun)\(count == 1 ? "" : "s")"
}
