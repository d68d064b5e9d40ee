/// What may stand where a word is being typed; pure, and made from the one table of commands.
struct Completion: Equatable, Sendable {
  /// A word that may stand there.
  struct Candidate: Equatable, Sendable {
    var text: String
    /// What it means, in a few words.
    var help: String?
  }

  /// What values are known by name.
  enum Names: Equatable, Sendable {
    case channels, playlists, servers, instances, tracks, albums, artists, settings, outputs
  }

  /// What is to be looked up before a word can be completed.
  struct Wanted: Sendable {
    /// The kinds of names that may stand there.
    var kinds: [Names] = []
    /// The value as far as it is typed, without an option's name before it.
    var typed = ""
    /// The options given so far.
    var options: [String: String] = [:]
  }

  /// What may stand where no candidate can be listed.
  enum Paths: String, Sendable {
    case file, folder
  }

  /// The words that may stand there, those that begin as what is typed alone.
  var candidates: [Candidate] = []
  /// Whether the name of a file or folder may stand there.
  var paths: Paths?

  /// Looks for what may stand at the end of a command line.
  ///
  /// - Parameters:
  ///   - words: the words before, without the program's name.
  ///   - typed: the word being typed, as far as it is.
  ///   - names: the names known of a kind.
  init(after words: [String], typing typed: String, names: (Names) -> [String]) {
    var line = CompletionLine()
    for word in words { line.take(word) }
    let sources = line.sources(for: typed)
    var found: [Candidate] = []
    for source in sources {
      switch source {
      case .candidates(let candidates): found += candidates
      case .names(let kind, let prefix):
        // A name that begins with a dash would be taken for an option.
        let known = names(kind).filter { !prefix.isEmpty || line.isEnded || !$0.hasPrefix("-") }
        found += known.map { Candidate(text: prefix + $0) }
      case .paths(let kind): paths = kind
      }
    }
    var seen: Set<String> = []
    candidates = found.filter { candidate in
      // Nobody types what a terminal could take for a command, and no shell is to show it.
      Self.begins(candidate.text, with: typed) && seen.insert(candidate.text).inserted
        && !candidate.text.unicodeScalars.contains(where: Printable.isUnsafe)
    }
  }

  /// What must be known to complete a word; the arguments are those of `init`.
  static func wanted(after words: [String], typing typed: String) -> Wanted {
    var line = CompletionLine()
    for word in words { line.take(word) }
    var wanted = Wanted(typed: typed, options: line.values)
    for case .names(let kind, let prefix) in line.sources(for: typed) {
      wanted.kinds.append(kind)
      wanted.typed = String(typed.dropFirst(prefix.count))
    }
    return wanted
  }

  /// Whether a word begins with what is typed, capitals or not.
  private static func begins(_ word: String, with typed: String) -> Bool {
    word.hasPrefix(typed) || word.lowercased().hasPrefix(typed.lowercased())
  }
}

/// A command line as far as it is known, read as `ArgumentReader` reads it, but forgiving.
struct CompletionLine {
  /// Where candidates come from.
  enum Source {
    case candidates([Completion.Candidate])
    case names(Completion.Names, prefix: String)
    case paths(Completion.Paths)
  }

  /// The values of the options given so far, by their name.
  private(set) var values: [String: String] = [:]

  private var command: CommandSpec?
  private var noun: String?
  private var isHelp = false
  /// Whether a word was none of ours, so that nothing is known of those behind it.
  private var isLost = false
  private var operands: [String] = []
  /// Whether `--` has ended the options.
  private(set) var isEnded = false
  private var awaiting: OptionSpec?

  private var options: [OptionSpec] { (command?.options ?? []) + OptionSpec.global }

  /// Goes on over a complete word.
  mutating func take(_ word: String) {
    if let option = awaiting {
      values[option.name] = word
      awaiting = nil
    } else if word == "--", !isEnded {
      isEnded = true
    } else if word.hasPrefix("--"), !isEnded {
      takeOption(word.dropFirst(2))
    } else if isEnded || !Self.isShort(word) {
      takeOperand(word)
    }
  }

  private static func isShort(_ word: String) -> Bool {
    word.hasPrefix("-") && word.dropFirst().first?.isLetter == true
  }

  private mutating func takeOption(_ word: Substring) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let option = options.first(where: { $0.name == name || $0.alias == name }) else { return }
    if !option.takesValue {
      values[option.name] = ""
    } else if parts.count == 2 {
      values[option.name] = String(parts[1])
    } else {
      awaiting = option
    }
  }

  private mutating func takeOperand(_ word: String) {
    if let spec = command {
      // `fetch` is a command, and `fetch list` another.
      let longer = operands.isEmpty ? Synonyms.command(spec.name.rawValue, word) : nil
      if let longer { command = CommandTable.spec(longer) } else { operands.append(word) }
    } else if let noun {
      command = Synonyms.command(noun, word).map(CommandTable.spec)
      isLost = command == nil
    } else if word == "help" {
      isHelp = true
    } else {
      let word = CommandTable.aliases[word] ?? word
      command = (CommandName(rawValue: word) ?? Synonyms.commands[word]).map(CommandTable.spec)
      guard command == nil else { return }
      if CommandTable.nouns.contains(word) { noun = word } else { isLost = true }
    }
  }

  // MARK: - The word being typed

  /// Where the candidates for a word come from.
  func sources(for typed: String) -> [Source] {
    if let awaiting { return Self.sources(of: awaiting, prefix: "") }
    if !isEnded, typed.hasPrefix("--"), let end = typed.firstIndex(of: "=") {
      let name = typed[..<end].dropFirst(2)
      guard let option = options.first(where: { $0.name == name || $0.alias ?? "" == name }) else {
        return []
      }
      return Self.sources(of: option, prefix: "--\(name)=")
    }
    if !isEnded, typed.hasPrefix("-"), typed == "-" || !Self.isNumber(typed) {
      return [.candidates(optionCandidates)]
    }
    if isLost { return [] }
    let words = Source.candidates(wordCandidates)
    return isHelp ? [words] : [words] + (command.map(operandSources) ?? [])
  }

  private static func isNumber(_ typed: String) -> Bool {
    typed.dropFirst().first?.isNumber == true
  }

  private var optionCandidates: [Completion.Candidate] {
    options.filter { values[$0.name] == nil }.map { option in
      .init(text: "--\(option.name)", help: option.help)
    }
  }

  private var wordCandidates: [Completion.Candidate] {
    if let noun = command?.name.rawValue ?? noun {
      guard operands.isEmpty else { return [] }
      return CommandTable.commands.filter { $0.name.words[0] == noun && $0.name.words.count > 1 }
        .map { .init(text: $0.name.words[1], help: $0.summary) }
    }
    let nouns = CommandTable.nouns.map { noun in
      Completion.Candidate(text: noun, help: CommandTable.summary(ofNoun: noun))
    }
    return nouns + (isHelp ? [] : [.init(text: "help", help: "help on a command")])
  }

  private func operandSources(of command: CommandSpec) -> [Source] {
    guard let last = command.operands.last else { return [] }
    let count = operands.count
    guard count < command.operands.count || last.isRepeated else { return [] }
    let operand = count < command.operands.count ? command.operands[count] : last
    if let choices = operand.choices { return [.candidates(choices.map { .init(text: $0) })] }
    if command.name == .configSet, let key = operands.last.flatMap({ SettingKey($0) }) {
      return Self.sources(of: key.option, prefix: "")
    }
    return Self.sources(named: operand.name, prefix: "")
  }

  private static func sources(of option: OptionSpec, prefix: String) -> [Source] {
    if let choices = option.choices {
      return [.candidates(choices.map { .init(text: prefix + $0) })]
    }
    switch option.name {
    case OptionSpec.server.name: return [.names(.servers, prefix: prefix)]
    case "instance": return [.names(.instances, prefix: prefix)]
    case "album": return [.names(.albums, prefix: prefix)]
    case "artist": return [.names(.artists, prefix: prefix)]
    default: return sources(named: option.placeholder ?? "", prefix: prefix)
    }
  }

  /// What a value is, by what the help calls it.
  private static func sources(named placeholder: String, prefix: String) -> [Source] {
    placeholder.split(separator: "|").flatMap { part -> [Source] in
      switch part {
      case "ROOM": [.names(.channels, prefix: prefix)]
      case "PLAYLIST", "P": [.names(.playlists, prefix: prefix)]
      case "TRACK", "WORDS": [.names(.tracks, prefix: prefix)]
      case "KEY": [.names(.settings, prefix: prefix)]
      case "SINK":
        [
          .candidates(["alsa", "null", "stdout"].map { .init(text: prefix + $0) }),
          .names(.outputs, prefix: prefix),
        ]
      case "FILE", "PATH": [.paths(.file)]
      case "DIR", "FOLDER": [.paths(.folder)]
      default: []
      }
    }
  }
}
