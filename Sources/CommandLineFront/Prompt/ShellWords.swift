/// A typed line as words, split as a shell splits it; pure.
///
/// Blanks part words. Between single quotes everything stands for itself, between double quotes
/// all but a backslash before `"` or `\`; elsewhere a backslash takes the next character as it is.
/// Nothing is expanded: `*`, `$` and `#` are letters.
struct ShellWords: Equatable {
  /// What a line or its last word leaves open.
  enum Opening: Equatable {
    case none, single, double, escape
  }

  /// The words that are complete: a blank has followed.
  private(set) var words: [String] = []
  /// The word at the end of the line; nil after a blank.
  private(set) var current: String?
  /// What is open at the end of the line.
  private(set) var opening = Opening.none
  /// How many characters of the line belong to `current`, quotes and backslashes included.
  private(set) var currentLength = 0
  /// How many characters of `current` stand before its last break or quote: what bash completes
  /// begins there.
  private(set) var brokenLength = 0

  private let breaks: String

  /// Splits a line, finished or not.
  ///
  /// - Parameters:
  ///   - line: the line.
  ///   - breaks: the letters behind which bash takes the rest for a word of its own.
  init(_ line: some StringProtocol, breaks: String = "") {
    self.breaks = breaks
    for character in line { take(character) }
  }

  /// The words of a finished line.
  ///
  /// - Throws: `Diagnostic` of the code `usage` for a quote that is not closed.
  static func split(_ line: some StringProtocol) throws(Diagnostic) -> [String] {
    let split = ShellWords(line)
    switch split.opening {
    case .none: break
    case .single: throw .usage("a ' is not closed")
    case .double: throw .usage("a \" is not closed")
    case .escape: throw .usage("nothing follows the last \\")
    }
    return split.words + (split.current.map { [$0] } ?? [])
  }

  private var isEscapedInDouble = false

  private mutating func take(_ character: Character) {
    let isBlank = character == " " || character == "\t"
    if isBlank, opening == .none {
      if let current { words.append(current) }
      current = nil
      (currentLength, brokenLength) = (0, 0)
      return
    }
    currentLength += 1
    let word = current ?? ""
    current = word
    switch opening {
    case .escape:
      if isEscapedInDouble, character != "\"", character != "\\" { current = word + "\\" }
      current?.append(character)
      opening = isEscapedInDouble ? .double : .none
    case .single where character == "'": opening = .none
    case .double where character == "\"": opening = .none
    case .double where character == "\\": begin(escapeIn: true)
    case .none where character == "\\": begin(escapeIn: false)
    case .none where character == "'" || character == "\"":
      opening = character == "'" ? .single : .double
      brokenLength = word.count
    default:
      current?.append(character)
      // bash takes an @ for the first letter of the rest.
      if opening == .none, breaks.contains(character) {
        brokenLength = word.count + (character == "@" ? 0 : 1)
      }
    }
  }

  private mutating func begin(escapeIn double: Bool) {
    opening = .escape
    isEscapedInDouble = double
  }

  /// A word as it is typed to mean itself, after an opening quote or none.
  static func quoted(_ word: String, in opening: Opening = .none) -> String {
    switch opening {
    case .single: return word.replacing("'", with: "'\\''")
    case .double, .escape:
      return word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    case .none:
      var result = ""
      for character in word {
        if " \t'\"\\".contains(character) { result.append("\\") }
        result.append(character)
      }
      return result
    }
  }
}
