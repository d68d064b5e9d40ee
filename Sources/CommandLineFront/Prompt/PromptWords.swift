/// The words of the prompt where they differ from a command line's; pure.
enum PromptWords {
  /// Short forms of what is typed most, beside the words that work in every shell (`Synonyms`).
  static let shortForms: [String: CommandName] = [
    "people": .channelPeople, "search": .librarySearch,
  ]

  /// What ends the listener.
  static let endings = ["quit", "exit", "q"]

  /// What is for another shell alone.
  static let absent: Set<CommandName> = [.listen, .demo, .serve, .events, .login, .signup]

  /// Whether a line ends the listener.
  static func isQuit(_ line: String) -> Bool {
    endings.contains(line.filter { $0 != " " })
  }

  /// Typed words with short forms written out; the program's name, typed from habit, is left out.
  static func expanded(_ words: [String]) -> [String] {
    let words = words.first == "blastoise" ? Array(words.dropFirst()) : words
    guard let first = words.first else { return [] }
    if first == "?" { return ["help"] + words.dropFirst() }
    return (shortForms[first]?.words ?? [first]) + words.dropFirst()
  }

  /// The command line that typed words stand for: a noun alone lists.
  static func meant(_ words: [String]) -> [String] {
    let words = expanded(words)
    guard let first = words.first else { return [] }
    if first == "help", words.count == 2, endings.contains(words[1]) { return ["help"] }
    let noun = CommandTable.aliases[first] ?? first
    let isBare = words.count == 1 || words[1].hasPrefix("-") && words[1] != "--help"
    if isBare, CommandName(rawValue: "\(noun) list") != nil, CommandName(rawValue: noun) == nil {
      return [noun, "list"] + words.dropFirst()
    }
    return words
  }

  /// What may be the first word at a prompt.
  ///
  /// - Parameters:
  ///   - candidates: what may be it in a shell.
  ///   - typed: the word as far as it is typed.
  /// - Returns: those that work here, and the prompt's own.
  static func candidates(
    _ candidates: [Completion.Candidate], typing typed: String
  ) -> [Completion.Candidate] {
    let here = candidates.filter { candidate in
      CommandName(rawValue: candidate.text).map { !absent.contains($0) } ?? true
    }
    let short = shortForms.sorted { $0.key < $1.key }.map { word, name in
      Completion.Candidate(text: word, help: CommandTable.spec(name).summary)
    }
    let quit = Completion.Candidate(text: "quit", help: "end the listener")
    return here + (short + [quit]).filter { $0.text.hasPrefix(typed) }
  }

  /// Refuses what can't be done at a prompt.
  ///
  /// - Throws: `Diagnostic` of the code `usage`.
  static func check(_ invocation: Invocation) throws(Diagnostic) {
    let name = invocation.command.rawValue
    if absent.contains(invocation.command) {
      let wantsPassword = [.login, .signup].contains(invocation.command)
      throw Diagnostic(
        .usage, "\(name) is not for the prompt",
        why: wantsPassword ? "a password would be typed on an open line" : nil,
        hint: "run it in another shell")
    }
    if invocation.has(.follow) {
      throw .usage("--follow is not for the prompt", hint: "run it in another shell")
    }
    if invocation.operands.contains("-") || invocation.has(.passwordStdin) {
      throw .usage("standard input is the prompt's here", hint: "run it in another shell")
    }
  }
}
