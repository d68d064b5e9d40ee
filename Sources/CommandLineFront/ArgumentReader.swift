/// Turns the words of a command line into a request; pure.
///
/// Global options stand before or after the command. A dash before a digit is a value (`seek -15`),
/// `--` ends the options, `--name=value` and `--name value` are the same, and one-letter options
/// join (`-vv`). What the command line leaves open the environment may give; an empty variable
/// counts as unset, and so does an empty value of an option that has one.
struct ArgumentReader {
  /// The environment's variables.
  var environment: [String: String] = [:]

  private var words: [String] = []
  private var command: CommandSpec?
  private var noun: String?
  private var operands: [String] = []
  private var values: [String: String] = [:]
  private var origins: [String: String] = [:]
  private var wantsHelp = false
  private var isAboutOptions = false

  init(environment: [String: String] = [:]) {
    self.environment = environment
  }

  /// Reads the words after the program's name.
  ///
  /// - Throws: `Diagnostic` of the code `usage` where they make no sense.
  static func read(
    _ arguments: [String], environment: [String: String] = [:]
  ) throws(Diagnostic) -> Request {
    var reader = ArgumentReader(environment: environment)
    return try reader.read(arguments)
  }

  private mutating func read(_ arguments: [String]) throws(Diagnostic) -> Request {
    words = arguments.reversed()
    while let word = words.popLast() {
      if word == "--" {
        for rest in words.reversed() { try takeOperand(rest) }
        words = []
      } else if word.hasPrefix("--") {
        try takeLong(word.dropFirst(2))
      } else if word.hasPrefix("-"), word != "-", !Self.isNumber(word) {
        try takeShort(word.dropFirst())
      } else {
        try takeOperand(word)
      }
    }
    return try conclude()
  }

  /// Whether a word with a dash is a value: a digit or a point follows.
  private static func isNumber(_ word: String) -> Bool {
    guard let second = word.dropFirst().first else { return false }
    return second.isNumber || second == "."
  }

  // MARK: - Words

  private mutating func takeOperand(_ word: String) throws(Diagnostic) {
    if let command {
      // `fetch URL` is a command, and so is `fetch list`.
      if operands.isEmpty, try takeLaterVerb(word, of: command.name.rawValue) { return }
      operands.append(word)
    } else if let noun {
      try takeVerb(word, of: noun)
    } else if word == "help" {
      wantsHelp = true
    } else if word == "options", wantsHelp {
      isAboutOptions = true
    } else {
      try takeNoun(CommandTable.aliases[word] ?? word, typed: word)
    }
  }

  /// Whether a word makes another command of a whole one, as `list` of `fetch`.
  ///
  /// - Throws: `Diagnostic` of the code `usage` for what is nearly such a word: an address is not.
  private mutating func takeLaterVerb(
    _ word: String, of noun: String
  ) throws(Diagnostic) -> Bool {
    if let name = Synonyms.command(noun, word) {
      command = CommandTable.spec(name)
      return true
    }
    guard let hint = Self.suggestion(for: word, among: CommandTable.verbs(of: noun)) else {
      return false
    }
    throw .usage("unknown command \"\(noun) \(Printable.escaped(word))\"", hint: hint)
  }

  private mutating func takeNoun(_ word: String, typed: String) throws(Diagnostic) {
    if let name = CommandName(rawValue: word) {
      command = CommandTable.spec(name)
    } else if CommandTable.nouns.contains(word) {
      noun = word
    } else if let name = Synonyms.commands[word] {
      command = CommandTable.spec(name)
    } else {
      let candidates = CommandTable.nouns + CommandTable.aliases.keys
      throw .usage(
        "unknown command \"\(Printable.escaped(typed))\"",
        hint: Synonyms.hint(command: typed) ?? Self.suggestion(for: typed, among: candidates)
          ?? "blastoise --help lists all")
    }
  }

  private mutating func takeVerb(_ word: String, of noun: String) throws(Diagnostic) {
    if let name = Synonyms.command(noun, word) {
      command = CommandTable.spec(name)
      return
    }
    let verbs = CommandTable.verbs(of: noun)
    throw .usage(
      "unknown command \"\(noun) \(Printable.escaped(word))\"",
      hint: Synonyms.hint(noun: noun, verb: word) ?? Self.suggestion(for: word, among: verbs)
        ?? "\(noun) knows \(verbs.joined(separator: ", "))")
  }

  // MARK: - Options

  private var known: [OptionSpec] { OptionSpec.global + (command?.options ?? []) }

  private mutating func takeLong(_ word: Substring) throws(Diagnostic) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let option = known.first(where: { $0.name == name || $0.alias == name }) else {
      throw unknown(option: name)
    }
    if option.takesValue {
      let value = parts.count == 2 ? String(parts[1]) : try followingValue(of: option)
      try set(option, value, origin: "--\(name)")
    } else if parts.count == 2 {
      throw .usage("--\(name) takes no value")
    } else {
      count(option)
    }
  }

  private mutating func takeShort(_ letters: Substring) throws(Diagnostic) {
    for letter in letters {
      guard let option = known.first(where: { $0.short == letter }) else {
        throw unknown(option: String(letter), dashes: "-")
      }
      count(option)
    }
  }

  private mutating func followingValue(of option: OptionSpec) throws(Diagnostic) -> String {
    guard let next = words.last, !next.hasPrefix("-") || next == "-" || Self.isNumber(next) else {
      throw .usage("--\(option.name) needs a value: --\(option.name) \(option.placeholder ?? "")")
    }
    words.removeLast()
    return next
  }

  private mutating func set(
    _ option: OptionSpec, _ value: String, origin: String
  ) throws(Diagnostic) {
    if option.hasVariable, value.allSatisfy(\.isWhitespace) {
      values[option.name] = nil
      origins[option.name] = nil
      return
    }
    if let wanted = option.expectation(of: value) {
      throw .usage("\(origin) takes \(wanted), not \"\(Printable.escaped(value))\"")
    }
    values[option.name] = value
    origins[option.name] = origin
  }

  private mutating func count(_ option: OptionSpec) {
    if option == .help { wantsHelp = true }
    let before = values[option.name].flatMap { Int($0) } ?? 0
    values[option.name] = String(before + 1)
  }

  private func unknown(option name: String, dashes: String = "--") -> Diagnostic {
    let shown = dashes + Printable.escaped(name)
    // Before a command an option of that name is none of ours.
    if command == nil, let hint = Synonyms.hint(option: name) {
      return .usage("unknown option \(shown)", hint: hint)
    }
    if ["password", "pass", "p"].contains(name), command?.options.contains(.passwordStdin) == true {
      return .usage(
        "a password is never an argument",
        hint: "it is asked for; or --password-stdin, or BLASTOISE_PASSWORD")
    }
    let owners = CommandTable.commands.filter { spec in
      spec.options.contains { $0.name == name }
    }
    if let owner = owners.first {
      let hint =
        command == nil
        ? "options of a command stand after it" : "it belongs to blastoise \(owner.name.rawValue)"
      return .usage("unknown option \(shown)", hint: hint)
    }
    let names = known.flatMap { [$0.name, $0.alias].compactMap(\.self) }
    let suggestion = Self.suggestion(for: name, among: names, prefix: "--")
    return .usage("unknown option \(shown)", hint: suggestion ?? helpHint)
  }

  // MARK: - The end

  private var helpHint: String {
    "blastoise \(command.map { $0.name.rawValue + " " } ?? "")--help shows how"
  }

  private mutating func conclude() throws(Diagnostic) -> Request {
    if wantsHelp {
      if let command { return .help(.command(command.name)) }
      return .help(noun.map { .noun($0) } ?? (isAboutOptions ? .options : .program))
    }
    if values[OptionSpec.version.name] != nil { return .version }
    guard let command else {
      if let noun {
        throw .usage("\(noun) needs a command", hint: Synonyms.hint(noun: noun))
      }
      throw .usage("no command", hint: "blastoise --help lists all")
    }
    try checkOperands(of: command)
    try takeEnvironment()
    return .run(
      Invocation(
        command: command.name, operands: operands, values: values, origins: origins))
  }

  private func checkOperands(of command: CommandSpec) throws(Diagnostic) {
    if operands.count < command.operandCount.lowerBound {
      let missing = command.operands[operands.count].name
      throw .usage("\(command.name.rawValue) needs \(missing)", hint: "usage: \(command.synopsis)")
    }
    if operands.count > command.operandCount.upperBound {
      let extra = Printable.escaped(operands[command.operandCount.upperBound])
      throw .usage(
        "\(command.name.rawValue) does not take \"\(extra)\"", hint: "usage: \(command.synopsis)")
    }
  }

  private mutating func takeEnvironment() throws(Diagnostic) {
    for option in known where values[option.name] == nil {
      guard let variable = option.variable, let value = environment[variable], !value.isEmpty
      else { continue }
      if option.takesValue {
        try set(option, value, origin: variable)
      } else if Self.isOn(value) {
        values[option.name] = String(max(1, Int(value) ?? 1))
        origins[option.name] = variable
      }
    }
  }

  /// Whether a variable switches an option on.
  static func isOn(_ value: String?) -> Bool {
    guard let value, !value.isEmpty else { return false }
    return !["0", "no", "off", "false"].contains(value.lowercased())
  }

  private static func suggestion(
    for word: String, among candidates: [String], prefix: String = ""
  ) -> String? {
    Spelling.nearest(to: word, among: candidates).map { "did you mean \(prefix)\($0)?" }
  }
}
