/// A word as bash has it typed to mean itself: nothing in it is expanded, and nothing is run, since
/// names come from elsewhere.
enum BashWord {
  /// The word as it is typed after an opening quote, or none.
  static func typed(_ word: String, in opening: ShellWords.Opening) -> String {
    switch opening {
    case .single: return word.replacing("'", with: #"'\''"#)
    case .double:
      return word.reduce(into: "") { typed, character in
        // Between double quotes no backslash keeps a ! from the history.
        if character == "!" {
          typed += #""'!'""#
        } else {
          typed += #""\$`"#.contains(character) ? "\\\(character)" : "\(character)"
        }
      }
    case .none, .escape:
      return word.reduce(into: "") { typed, character in
        typed += character.isASCII && !isPlain(character) ? "\\\(character)" : "\(character)"
      }
    }
  }

  private static func isPlain(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "_-./,:=@%+".contains(character)
  }
}
