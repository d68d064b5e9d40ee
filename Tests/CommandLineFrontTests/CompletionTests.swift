import Testing

@testable import CommandLineFront

@Suite struct CompletionTests {
  private static func names(_ kind: Completion.Names) -> [String] {
    switch kind {
    case .channels: ["Lobby", "Late Night", "late show"]
    case .playlists: ["Evening", "-loud", "Red \u{1B}[31m", "two\nlines"]
    case .outputs: ["kitchen"]
    case .servers: ["home", "http://localhost:3001"]
    case .instances: ["kitchen"]
    case .tracks: ["Around the World", "Aerodynamic"]
    case .albums: ["Discovery"]
    case .artists: ["Daft Punk"]
    case .settings: ["volume"]
    }
  }

  /// What is typed, the last word being the unfinished one, and what may stand there.
  static let lines: [(line: String, candidates: [String])] = [
    ("que", ["queue"]),
    ("queue re", ["remove"]),
    ("room l", ["list"]),
    ("queue nonsense ", []),
    ("--channel lob", ["Lobby"]),
    ("--channel=lob", ["--channel=Lobby"]),
    ("--room late", ["Late Night", "late show"]),
    ("queue list --channel La", ["Late Night", "late show"]),
    ("--server ht", ["http://localhost:3001"]),
    ("listen L", ["Lobby", "Late Night", "late show"]),
    ("listen Lobby L", []),
    ("listen --sync ", ["tight", "reference"]),
    ("listen --sync=t", ["--sync=tight"]),
    ("mode sh", ["shuffle"]),
    ("queue add ar", ["Around the World"]),
    ("queue add x Ae", ["Aerodynamic"]),
    ("queue add --ne", ["--next"]),
    ("queue add --next --ne", []),
    ("queue add -- --ne", []),
    ("help que", ["queue"]),
    ("help queue re", ["remove"]),
    ("seek -1", []),
    // Other words for a command or a verb do as well.
    ("add ar", ["Around the World"]),
    ("rooms --js", ["--json"]),
    ("fetch ls --js", ["--json"]),
    ("vol --lat", []),
    // Names that are options, or act on a terminal, are left out.
    ("playlist show ", ["Evening"]),
    ("playlist show -- -", ["-loud"]),
    ("fetch x --playlist=-", ["--playlist=-loud"]),
    // Values of settings are those of their options.
    ("listen --output ", ["alsa", "null", "stdout", "kitchen"]),
    ("config set sync.mode ", ["tight", "reference"]),
    ("config set server ", ["home", "http://localhost:3001"]),
    ("config set timeout ", []),
    ("queue rm --re", ["--rev"]),
  ]

  @Test(arguments: lines)
  func `candidates fit what is typed`(line: (line: String, candidates: [String])) {
    let split = ShellWords(line.line)
    let completion = Completion(
      after: split.words, typing: split.current ?? "", names: Self.names)
    #expect(completion.candidates.map(\.text) == line.candidates)
  }

  @Test func `every noun, verb and option is offered`() {
    for spec in CommandTable.commands {
      let words = spec.name.words
      let offered = Completion(after: Array(words.dropLast()), typing: "", names: Self.names)
      #expect(offered.candidates.contains { $0.text == words.last }, "\(spec.name)")
      let options = Completion(after: words, typing: "--", names: Self.names)
      #expect(
        options.candidates.map(\.text)
          == (spec.options + OptionSpec.global).map { "--\($0.name)" }, "\(spec.name)")
    }
  }

  @Test func `files are asked of the shell`() {
    #expect(Completion(after: ["serve"], typing: "", names: Self.names).paths == .folder)
    #expect(Completion(after: ["--cacert"], typing: "", names: Self.names).paths == .file)
  }

  /// A typed line, what is put into it, and what is shown to choose from.
  static let tabs: [(line: String, result: String, choices: Int)] = [
    ("que", "queue ", 0),
    ("listen la", "listen Late\\ Night ", 0),
    ("listen \"late n", "listen \"Late Night\" ", 0),
    ("queue add a", "queue add a", 2),
    ("queue list --chan", "queue list --channel ", 0),
    ("qui", "quit ", 0),
    ("add aro", "add Around\\ the\\ World ", 0),
    ("search aro", "search Around\\ the\\ World ", 0),
    ("people lob", "people Lobby ", 0),
    ("blastoise que", "blastoise queue ", 0),
    ("join la", "join Late\\ Night ", 0),
    ("playlist show eve", "playlist show Evening ", 0),
  ]

  @Test func `Tab puts in what is sure, and shows the rest`() throws {
    let names: (Completion.Names) -> [String] = { kind in
      switch kind {
      case .channels: ["Lobby", "Late Night"]
      case .playlists: ["Evening"]
      default: ["Around the World", "Aerodynamic"]
      }
    }
    for tab in Self.tabs {
      let completion = try #require(LineCompletion(of: tab.line, names: names))
      let kept = tab.line.unicodeScalars.dropLast(completion.deletion)
      #expect(String(kept) + completion.insertion == tab.result)
      #expect(completion.choices.count == tab.choices)
    }
    #expect(LineCompletion(of: "queue nonsense", names: names) == nil)
    #expect(LineCompletion(of: "lis", names: names) == nil, "listen is for another shell")
  }

  @Test(arguments: ["\u{1B}[2Jevil", "evil\nqueue clear", "evil\u{202E}", "evil\u{9B}31m"])
  func `a name that could act on a terminal is never put into a line`(name: String) {
    let completion = Completion(after: ["queue", "add"], typing: "") { _ in [name, "even"] }
    #expect(completion.candidates.map(\.text) == ["even"])
    #expect(LineCompletion(of: "queue add e") { _ in [name, "even"] }?.insertion == "even ")
  }
}
