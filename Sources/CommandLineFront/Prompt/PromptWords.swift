/// The words of the prompt where they differ from a command line's; pure.
enum PromptWords {
  /// Short forms of what is typed most.
  static let shortForms: [String: CommandName] = [
    "add": .queueAdd, "people": .channelPeople, "search": .librarySearch,
  ]

  /// Whether a line ends the listener.
  static func isQuit(_ line: String) -> Bool {
    ["quit", "exit", "q"].contains(line.filter { $0 != " " })
  }

  /// The command line that typed words stand for: short forms are written out, a noun alone lists.
  static func meant(_ words: [String]) -> [String] {
    guard let first = words.first else { return [] }
    if first == "?" { return ["help"] + words.dropFirst() }
    if let name = shortForms[first] { return name.words + words.dropFirst() }
    let noun = CommandTable.aliases[first] ?? first
    let isBare = words.count == 1 || words[1].hasPrefix("-") && words[1] != "--help"
    if isBare, CommandName(rawValue: "\(noun) list") != nil, CommandName(rawValue: noun) == nil {
      return [noun, "list"] + words.dropFirst()
    }
    return words
  }

  /// Refuses what can't be done at a prompt.
  ///
  /// - Throws: `Diagnostic` of the code `usage`.
  static func check(_ invocation: Invocation) throws(Diagnostic) {
    let name = invocation.command.rawValue
    switch invocation.command {
    case .listen, .demo, .serve, .events:
      throw .usage("\(name) is not for the prompt", hint: "run it in another shell")
    case .login, .signup:
      throw .usage(
        "\(name) is not for the prompt: a password would be typed on an open line",
        hint: "run it in another shell")
    default: break
    }
    if invocation.has(.follow) {
      throw .usage("--follow is not for the prompt", hint: "run it in another shell")
    }
    if invocation.operands.contains("-") || invocation.has(.passwordStdin) {
      throw .usage("standard input is the prompt's here", hint: "run it in another shell")
    }
  }
}
