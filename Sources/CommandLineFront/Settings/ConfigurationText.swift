/// The lines of a configuration file: what they say, and how one is changed while the others stay.
///
/// A line is blank, a comment (`#`), the head of a section (`[listen]`, `[server home]`) or
/// `key = value`. A `#` behind a blank begins a comment there too; quotes protect it.
struct ConfigurationText: Equatable, Sendable {
  /// One `key = value`.
  struct Entry: Equatable, Sendable {
    /// The key with its section: `listen.volume`.
    var key: String
    var value: String
    /// The line's number, from 1.
    var line: Int
  }

  /// What is wrong with a line.
  struct Flaw: Equatable, Sendable {
    var line: Int
    /// Why it can't be read.
    var reason: String
  }

  /// What the lines say, in their order; where a key stands twice the last counts.
  private(set) var entries: [Entry] = []
  /// The lines that say nothing.
  private(set) var flaws: [Flaw] = []

  private var lines: [String]
  /// The section each line stands in, its own head included.
  private var sections: [String] = []

  /// Reads a file's text.
  init(_ text: String) {
    // By bytes: to Swift "\r\n" is one character.
    lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    if lines.last == "" { lines.removeLast() }
    read()
  }

  /// The whole text, with a line end at its end.
  var text: String { lines.map { $0 + "\n" }.joined() }

  private mutating func read() {
    (entries, flaws, sections) = ([], [], [])
    var section = ""
    for (index, line) in lines.enumerated() {
      switch Line(line) {
      case .nothing: break
      case .head(let name): section = name
      case .entry(let key, let value, _):
        let full = section.isEmpty ? key : "\(section).\(key)"
        entries.append(Entry(key: full, value: value, line: index + 1))
      case .flaw(let reason): flaws.append(Flaw(line: index + 1, reason: reason))
      }
      sections.append(section)
    }
  }

  // MARK: - Changing

  /// Gives a key a value: in its own line, else behind the comment that documents it, else at its
  /// section's end, else in a new section.
  mutating func set(_ key: SettingKey, to value: String) {
    defer { read() }
    let line = "\(key.word) = \(Self.quoted(value))"
    if let last = entries.last(where: { $0.key == key.description }) {
      let rest = if case .entry(_, _, let rest) = Line(lines[last.line - 1]) { rest } else { "" }
      lines[last.line - 1] = rest.isEmpty ? line : "\(line)  \(rest)"
    } else if let place = place(for: key) {
      lines.insert(line, at: place)
    } else {
      let head = key.section.split(separator: ".").joined(separator: " ")
      lines += (lines.isEmpty ? [] : [""]) + ["[\(head)]", line]
    }
  }

  /// Removes a key, and the section of a saved thing with its last one.
  mutating func remove(_ key: SettingKey) {
    for entry in entries.reversed() where entry.key == key.description {
      lines.remove(at: entry.line - 1)
    }
    read()
    guard key.owner != nil else { return }
    let own = lines.indices.filter { sections[$0] == key.section }
    let isEmpty = own.allSatisfy { index in
      if case .head = Line(lines[index]) { return true }
      return lines[index].allSatisfy(\.isWhitespace)
    }
    guard isEmpty else { return }
    for index in own.reversed() { lines.remove(at: index) }
    read()
  }

  /// Where a line of a section is to be put in; nil where there is no such section.
  private func place(for key: SettingKey) -> Int? {
    var last: Int? = key.section.isEmpty ? 0 : nil
    for (index, line) in lines.enumerated() where sections[index] == key.section {
      let bare = line.drop { $0 == "#" || $0 == " " }
      switch Line(line) {
      case .nothing where bare.hasPrefix("\(key.word) ="): return index + 1
      case .head, .entry: last = index + 1
      default: break
      }
    }
    return last
  }

  private static func quoted(_ value: String) -> String {
    let isPlain =
      !value.contains(where: { "#\"\\".contains($0) }) && value.first?.isWhitespace != true
      && value.last?.isWhitespace != true
    if isPlain { return value }
    return "\"" + value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}

extension ConfigurationText {
  /// What one line is.
  private enum Line {
    case nothing
    /// The section, its words joined by a dot.
    case head(String)
    /// The rest is the comment behind it.
    case entry(key: String, value: String, rest: String)
    case flaw(String)

    init(_ line: String) {
      var text = ConfigurationText.trimmed(line[...])
      if text.first == "\u{FEFF}" { text = text.dropFirst() }
      if text.isEmpty || text.first == "#" {
        self = .nothing
      } else if text.first == "[" {
        self = Self.head(of: text)
      } else if let equals = text.firstIndex(of: "=") {
        let key = ConfigurationText.trimmed(text[..<equals])
        guard !key.isEmpty, !key.contains(where: \.isWhitespace) else {
          self = .flaw("\"\(Printable.escaped(key))\" is no key")
          return
        }
        self = Self.entry(String(key), text[text.index(after: equals)...])
      } else {
        self = .flaw("it is neither a [section] nor key = value")
      }
    }

    private static func head(of text: Substring) -> Line {
      guard let end = text.firstIndex(of: "]") else { return .flaw("the section has no ]") }
      let rest = ConfigurationText.trimmed(text[text.index(after: end)...])
      let words = text[text.index(after: text.startIndex)..<end].split(
        whereSeparator: \.isWhitespace
      )
      .map { $0.filter { $0 != "\"" } }
      guard rest.isEmpty || rest.first == "#", (1...2).contains(words.count),
        words.allSatisfy(SettingKey.isName)
      else {
        return .flaw("a section is [WORD] or [WORD NAME], in letters, digits, - and _")
      }
      return .head(words.joined(separator: "."))
    }

    private static func entry(_ key: String, _ text: Substring) -> Line {
      let text = ConfigurationText.trimmed(text)
      guard text.first == "\"" else {
        var before: Character = " "
        for index in text.indices {
          if text[index] == "#", before.isWhitespace {
            let value = ConfigurationText.trimmed(text[..<index])
            return .entry(key: key, value: String(value), rest: String(text[index...]))
          }
          before = text[index]
        }
        return .entry(key: key, value: String(text), rest: "")
      }
      var value = ""
      var isEscaped = false
      for index in text.indices.dropFirst() {
        let character = text[index]
        if isEscaped || (character != "\"" && character != "\\") {
          value.append(character)
          isEscaped = false
        } else if character == "\\" {
          isEscaped = true
        } else {
          let rest = ConfigurationText.trimmed(text[text.index(after: index)...])
          guard rest.isEmpty || rest.first == "#" else { return .flaw("text follows the quotes") }
          return .entry(key: key, value: value, rest: String(rest))
        }
      }
      return .flaw("the quotes do not end")
    }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}
