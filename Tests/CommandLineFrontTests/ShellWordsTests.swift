import Testing

@testable import CommandLineFront

@Suite struct ShellWordsTests {
  static let lines: [(line: String, words: [String])] = [
    ("", []),
    ("   ", []),
    ("queue list", ["queue", "list"]),
    ("  queue\t add  x ", ["queue", "add", "x"]),
    ("play 'around the world'", ["play", "around the world"]),
    ("play \"it's mine\"", ["play", "it's mine"]),
    ("play it\\'s\\ mine", ["play", "it's mine"]),
    ("a\"b c\"'d e'f", ["ab cd ef"]),
    ("\"\" ''", ["", ""]),
    ("\"a\\\"b\\\\c\\d\"", ["a\"b\\c\\d"]),
    ("'a\\b'", ["a\\b"]),
    ("# * $HOME ~", ["#", "*", "$HOME", "~"]),
    ("日本 \"語 é\"", ["日本", "語 é"]),
  ]

  @Test(arguments: lines)
  func `a line is split as a shell splits it`(line: (line: String, words: [String])) throws {
    #expect(try ShellWords.split(line.line) == line.words)
  }

  @Test(arguments: ["play 'x", "play \"x", "play x\\", "'", "\"a\\\""])
  func `what is left open is a usage error`(line: String) {
    #expect(throws: Diagnostic.self) { try ShellWords.split(line) }
  }

  @Test func `a line cut anywhere tells the word being typed and its length`() {
    let split = ShellWords("queue add \"half a")
    #expect(split.words == ["queue", "add"])
    #expect(split.current == "half a")
    #expect(split.currentLength == 7)
    #expect(split.opening == .double)
    #expect(ShellWords("queue ").current == nil)
  }

  /// A line and what of its last word stands before the part that bash completes.
  static let breaks: [(line: String, broken: Int)] = [
    ("x lob", 0), ("x --channel=lob", 10), ("x --server=http://b", 14), ("x a=b c", 0),
    ("x --channel=\"La", 10), ("x \"a=b", 0), ("x a\\:b", 0), ("x @cu", 0), ("x a@b", 1),
  ]

  @Test(arguments: breaks)
  func `what bash has behind a break is known`(line: (line: String, broken: Int)) {
    #expect(ShellWords(line.line, breaks: "@><=;|&(:").brokenLength == line.broken)
    #expect(ShellWords(line.line).current == ShellWords(line.line, breaks: "=:").current)
  }

  @Test(arguments: ["plain", "two words", "it's", "say \"x\"", "back\\slash", "日本 語"])
  func `a quoted word means itself`(word: String) throws {
    #expect(try ShellWords.split(ShellWords.quoted(word)) == [word])
    #expect(try ShellWords.split("'\(ShellWords.quoted(word, in: .single))'") == [word])
    #expect(try ShellWords.split("\"\(ShellWords.quoted(word, in: .double))\"") == [word])
  }
}

@Suite struct PromptWordsTests {
  static let forms: [(typed: String, meant: String)] = [
    ("queue", "queue list"), ("queue --json", "queue list --json"), ("queue add x", "queue add x"),
    ("room", "channel list"), ("blastoise queue", "queue list"), ("blastoise", ""),
    ("help quit", "help"), ("help queue", "help queue"),
    ("people", "channel people"), ("search x", "library search x"), ("? queue", "help queue"),
    ("server", "server"), ("queue --help", "queue --help"), ("pause", "pause"),
  ]

  @Test(arguments: forms)
  func `short forms are written out`(form: (typed: String, meant: String)) throws {
    let words = PromptWords.meant(try ShellWords.split(form.typed))
    #expect(words.joined(separator: " ") == form.meant)
  }

  @Test(arguments: ["listen", "demo", "serve", "events", "login ada", "signup ada", "queue add -"])
  func `what a prompt can't do is refused`(line: String) throws {
    guard case .run(let invocation) = try ArgumentReader.read(try ShellWords.split(line)) else {
      Issue.record("no command")
      return
    }
    #expect(throws: Diagnostic.self) { try PromptWords.check(invocation) }
  }
}
