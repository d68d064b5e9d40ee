import TestSupport

/// Commands and what they print, as people read it: the golden tests and docs/tour.md.
///
/// ```
/// # a comment
/// @ login                        how the stage is set (Stage.swift lists the words)
/// $ blastoise pause              a line for /bin/sh
/// paused Lobby for 1 listener    what stands on standard output
/// $ blastoise queue remove 99
/// ! blastoise: there is no row 99: the queue has 6
/// = 66                           the exit status, where it is not 0
/// ```
///
/// Standard error has `! ` before each line and comes behind standard output. `<name>` stands for
/// some text without blanks; where the name comes again, also in a command, it is the same text.
/// `<...>` stands for any text at all. With `BLASTOISE_RECORD=1` a test writes down what it saw
/// where that is another thing.
struct Transcript {
  /// A command and what came of it.
  struct Step {
    var command: String
    var expected: [String] = []
    /// The number of the command's line, from 1.
    var line: Int
  }

  var name: String
  /// The words that set the stage.
  var directives: [String] = []
  var steps: [Step] = []

  /// Reads a transcript.
  ///
  /// - Parameters:
  ///   - name: what it is called in messages.
  ///   - lines: its lines, numbered from 1 where they stand in their file.
  init(_ name: String, _ lines: [(number: Int, text: String)]) {
    self.name = name
    for (number, text) in lines {
      if text.hasPrefix("# ") || text.isEmpty && steps.isEmpty { continue }
      if text.hasPrefix("@ ") {
        directives.append(String(text.dropFirst(2)))
      } else if text.hasPrefix("$ ") {
        steps.append(Step(command: String(text.dropFirst(2)), line: number))
      } else if !steps.isEmpty {
        steps[steps.count - 1].expected.append(text)
      }
    }
    // Blank lines between the steps are for the eye.
    for index in steps.indices {
      while steps[index].expected.last?.isEmpty == true { steps[index].expected.removeLast() }
    }
  }

  /// Reads a file of Fixtures/transcripts.
  ///
  /// - Throws: `FixtureError` where there is none.
  static func fixture(_ name: String) throws -> Transcript {
    let text = String(decoding: try Fixture.bytes("transcripts/\(name)"), as: UTF8.self)
    return Transcript(name, numbered(text))
  }

  /// Reads the blocks of a page that are marked as `console`.
  ///
  /// - Throws: `FixtureError` where there is no such page.
  static func page(_ path: String) throws -> Transcript {
    let text = String(decoding: try Fixture.bytes(at: "\(Fixture.root)/\(path)"), as: UTF8.self)
    var isInside = false
    var lines: [(Int, String)] = []
    for (number, line) in numbered(text) {
      if line.hasPrefix("```") {
        isInside = line == "```console"
      } else if isInside || line.hasPrefix("<!-- ") {
        // Comments set the stage and wait, which no reader of the page sees.
        let directive = line.split(separator: " ").dropFirst().dropLast().joined(separator: " ")
        lines.append((number, isInside ? line : directive))
      }
    }
    return Transcript(path, lines)
  }

  private static func numbered(_ text: String) -> [(number: Int, text: String)] {
    text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .map { ($0 + 1, String($1)) }
  }
}

/// What the names in a transcript stand for so far.
struct Bindings {
  private(set) var values: [String: String] = [:]

  /// A command with the names replaced by what they stand for.
  func filled(_ text: String) -> String {
    values.reduce(text) { $0.replacing("<\($1.key)>", with: $1.value) }
  }

  /// A text with what the names stand for replaced by them.
  func hidden(_ text: String) -> String {
    values.reduce(text) { $0.replacing($1.value, with: "<\($1.key)>") }
  }

  /// Whether a line is as expected; new names then stand for what they met.
  mutating func match(_ expected: String, _ actual: String) -> Bool {
    var trial = self
    guard trial.take(expected[...], actual[...]) else { return false }
    self = trial
    return true
  }

  private mutating func take(_ expected: Substring, _ actual: Substring) -> Bool {
    guard let open = expected.firstIndex(of: "<"),
      let close = expected[open...].firstIndex(of: ">")
    else { return expected == actual }
    let name = String(expected[expected.index(after: open)..<close])
    guard Self.isName(name) else { return expected == actual }
    let before = expected[..<open]
    guard actual.hasPrefix(before) else { return false }
    let rest = actual.dropFirst(before.count)
    let after = expected[expected.index(after: close)...]
    for end in rest.indices + [rest.endIndex] where end > rest.startIndex {
      let value = String(rest[..<end])
      if name != "...", value.contains(" ") || values[name] ?? value != value { continue }
      var trial = self
      if name != "..." { trial.values[name] = value }
      if trial.take(after, rest[end...]) {
        self = trial
        return true
      }
      // What a longer text here would leave to the next <...>, that has tried already.
      if name == "...", let literal = Self.textBeforeAny(after), rest[end...].hasPrefix(literal) {
        return false
      }
    }
    return false
  }

  /// What stands before the next name, where that is `<...>`.
  private static func textBeforeAny(_ text: Substring) -> Substring? {
    text.firstIndex(of: "<").flatMap { text[$0...].hasPrefix("<...>") ? text[..<$0] : nil }
  }

  private static func isName(_ text: String) -> Bool {
    text == "..." || !text.isEmpty && text.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" }
  }
}
