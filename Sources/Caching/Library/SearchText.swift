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
    guard text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if let plain = plain[scalar] {
        result.append(contentsOf: plain.unicodeScalars)
      } else if (0xFF01...0xFF5E).contains(scalar.value),
        let narrow = Unicode.Scalar(scalar.value - 0xFEE0)
      {
        result.append(narrow)
      } else if isUnspaced(scalar) {
        result.append(" ")
        result.append(scalar)
        result.append(" ")
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }

  /// Letters that are one with a stroke or two in one: Unicode does not take them apart.
  private static let plain: [Unicode.Scalar: String] = [
    "ø": "o", "Ø": "o", "đ": "d", "Đ": "d", "ð": "d", "Ð": "d", "ħ": "h", "Ħ": "h", "ł": "l",
    "Ł": "l", "ŧ": "t", "Ŧ": "t", "ı": "i", "æ": "ae", "Æ": "ae", "œ": "oe", "Œ": "oe",
    "ß": "ss", "ẞ": "ss", "þ": "th", "Þ": "th",
  ]

  /// Letters of scripts without blanks between words: East Asian ones, Thai and its neighbours.
  private static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
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
  /// The words together, in their order.
  private let sentence: String
  /// Words the index does not know, such as `!!!`: a text must hold them as they are.
  let signs: [String]

  /// Takes words apart at blanks.
  init(_ text: String) {
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    let known = words.filter(SearchText.hasWords).map { word in
      // A quote would end the phrase, a NUL the expression.
      String(SearchText.folded(word).map { $0 == "\"" || $0 == "\0" ? " " : $0 })
    }
    phrases = known.map { "\"\($0)\" *" }
    sentence = known.joined(separator: " ")
    signs = words.filter { !SearchText.hasWords($0) }
  }

  /// Whether nothing was typed.
  var isEmpty: Bool { phrases.isEmpty && signs.isEmpty }

  /// Whether the index is of use.
  var hasPhrases: Bool { !phrases.isEmpty }

  /// The expressions of the index, the most telling first: all words at the title's beginning, in
  /// the title, in the artist, in the album, anywhere.
  var tiers: [String] {
    let all = phrases.joined(separator: " AND ")
    return ["title : ^ \"\(sentence)\" *"]
      + ["title", "artist", "album"].map { "\($0) : (\(all))" }
      + [all]
  }
}
