/// Completes a line: what is asked for with Tab.
///
/// The argument is the line up to the cursor; nil where nothing can be added.
///
/// Threading: called on the prompt's own thread, which it must not keep waiting.
typealias LineCompleter = @Sendable (_ line: String) -> LineCompletion?

/// What Tab changes in a line, and what there is to choose from; pure.
struct LineCompletion: Equatable, Sendable {
  /// How many scalars before the cursor are to go.
  var deletion = 0
  /// What comes in their place.
  var insertion = ""
  /// What there is to choose from, a line each, where nothing could be added.
  var choices: [String] = []

  /// How many choices are shown.
  private static let limit = 20

  /// Completes a line; nil where nothing begins like this.
  ///
  /// - Parameters:
  ///   - line: what is typed up to the cursor.
  ///   - names: as `Completion` takes them.
  init?(of line: String, names: (Completion.Names) -> [String]) {
    let split = ShellWords(line)
    let typed = split.current ?? ""
    let words = PromptWords.expanded(split.words)
    var candidates = Completion(after: words, typing: typed, names: names).candidates
    if words.isEmpty { candidates = PromptWords.candidates(candidates, typing: typed) }
    guard let first = candidates.first else { return nil }
    deletion = String(line.suffix(split.currentLength)).unicodeScalars.count
    let common = candidates.dropFirst().reduce(first.text) { $0.commonPrefix(with: $1.text) }
    if candidates.count == 1 {
      insertion = Self.typed(common, split.opening) + " "
    } else if common.count > typed.count {
      insertion = ShellWords.quoted(common)
    } else {
      (deletion, insertion) = (0, "")
      choices = Self.lines(candidates)
    }
  }

  /// A whole word as it is typed, in quotes where that was begun.
  private static func typed(_ word: String, _ opening: ShellWords.Opening) -> String {
    switch opening {
    case .single: return "'" + ShellWords.quoted(word, in: .single) + "'"
    case .double: return "\"" + ShellWords.quoted(word, in: .double) + "\""
    case .none, .escape: return ShellWords.quoted(word)
    }
  }

  private static func lines(_ candidates: [Completion.Candidate]) -> [String] {
    let shown = candidates.prefix(limit)
    let width = shown.map { Printable.width($0.text) }.max() ?? 0
    var lines = shown.map { candidate in
      let text = candidate.text
      return "  " + (candidate.help.map { Printable.padded(text, to: width) + "  " + $0 } ?? text)
    }
    if candidates.count > limit { lines.append("  … and \(candidates.count - limit) more") }
    return lines
  }
}

extension String {
  /// The characters at the start that two words share.
  fileprivate func commonPrefix(with other: String) -> String {
    String(zip(self, other).prefix { $0 == $1 }.map(\.0))
  }
}
