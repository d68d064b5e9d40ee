import RoomProtocol

/// Texts as the full-text index holds them, and what is typed as it asks for them.
///
/// The index takes words apart at everything that is no letter or digit, and folds case and accents
/// by itself (`unicode61 remove_diacritics 2`). What it does not know is done here, on both sides
/// alike: scripts that write no blanks between words are cut into letters, so that any part of them
/// is found; full-width letters become plain ones; letters that only look like one with an accent
/// (`ø`, `ł`, `ß`) lose it.
enum SearchText {
  /// The text as it goes into the index.
  static func folded(_ text: String) -> String {
    var text = text
    return text.withUTF8 { bytes in
      guard bytes.contains(where: { $0 >= 0x80 }) else { return nil }
      // A letter of three bytes may get a blank on both sides; no other grows.
      return String(unsafeUninitializedCapacity: 2 * bytes.count) { fold(bytes, into: $0) }
    } ?? text
  }

  /// Writes the folded bytes; returns how many they are.
  private static func fold(
    _ text: UnsafeBufferPointer<UInt8>, into result: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    var count = 0
    func put(_ byte: UInt8) {
      result[count] = byte
      count += 1
    }
    var index = 0
    while index < text.count {
      guard text[index] >= 0x80 else {
        put(text[index])
        index += 1
        continue
      }
      let letter = UTF8Letter(at: index, of: text)
      if let plain = plain(letter.value) {
        plain.withUTF8Buffer { for byte in $0 { put(byte) } }
      } else if (0xFF01...0xFF5E).contains(letter.value) {
        // Full width: the same signs as ASCII's.
        put(UInt8(letter.value - 0xFEE0))
      } else {
        let isUnspaced = isUnspaced(letter.value)
        if isUnspaced { put(UInt8(ascii: " ")) }
        for byte in text[index..<letter.end] { put(byte) }
        if isUnspaced { put(UInt8(ascii: " ")) }
      }
      index = letter.end
    }
    return count
  }

  /// Letters that are one with a stroke or two in one: Unicode does not take them apart.
  private static func plain(_ value: UInt32) -> StaticString? {
    // Nearly every letter is none of them.
    guard value < 0x180 || value == 0x1E9E, let scalar = Unicode.Scalar(value) else { return nil }
    return switch scalar {
    case "ø", "Ø": "o"
    case "đ", "Đ", "ð", "Ð": "d"
    case "ħ", "Ħ": "h"
    case "ł", "Ł": "l"
    case "ŧ", "Ŧ": "t"
    case "ı": "i"
    case "æ", "Æ": "ae"
    case "œ", "Œ": "oe"
    case "ß", "ẞ": "ss"
    case "þ", "Þ": "th"
    default: nil
    }
  }

  /// Letters of scripts without blanks between words: East Asian ones, Thai and its neighbours.
  private static func isUnspaced(_ value: UInt32) -> Bool {
    switch value {
    case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1100...0x11FF, 0x1780...0x17FF, 0x2E80...0x2FDF,
      0x3005...0x3007, 0x3041...0x30FF, 0x3130...0x318F, 0x31F0...0x31FF, 0x3400...0x4DBF,
      0x4E00...0x9FFF, 0xA960...0xA97F, 0xAC00...0xD7FF, 0xF900...0xFAFF, 0xFF66...0xFFDC,
      0x1B000...0x1B16F, 0x20000...0x3FFFD:
      true
    default: false
    }
  }

  /// Whether the index has a word for any of the text: a letter or a digit is in it.
  static func hasWords(_ text: String) -> Bool {
    text.unicodeScalars.contains { scalar in
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
        .decimalNumber, .letterNumber, .otherNumber, .privateUse:
        true
      default: false
      }
    }
  }
}

/// What was typed to search for, as the index is asked.
struct SearchQuery {
  /// Each word as a phrase whose end is open.
  private let phrases: [String]
  /// Words the index does not know, such as `!!!`: a text must hold them as they are.
  let signs: [String]

  /// Takes words apart at blanks.
  init(_ text: String) {
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    phrases = words.filter(SearchText.hasWords).map { word in
      // A quote would end the phrase, a NUL the expression.
      let text = String(SearchText.folded(word).map { $0 == "\"" || $0 == "\0" ? " " : $0 })
      return "\"\(text)\" *"
    }
    signs = words.filter { !SearchText.hasWords($0) }
  }

  /// Whether nothing was typed.
  var isEmpty: Bool { phrases.isEmpty && signs.isEmpty }

  /// Whether the index is of use.
  var hasPhrases: Bool { !phrases.isEmpty }

  /// The expression of the index: all words, anywhere.
  var expression: String { phrases.joined(separator: " AND ") }
}
