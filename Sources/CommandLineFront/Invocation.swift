/// A command line that has been understood.
struct Invocation: Equatable, Sendable {
  /// What is to be done.
  var command: CommandName
  /// The words after the command.
  var operands: [String] = []
  /// Values by the option's name; an option without a value counts how often it was given.
  var values: [String: String] = [:]
  /// Where a value came from, for messages: `--timeout`, `BLASTOISE_TIMEOUT`, or key and line.
  var origins: [String: String] = [:]

  /// The option's value, nil where it was not given.
  subscript(_ option: OptionSpec) -> String? { values[option.name] }

  /// Whether the option was given.
  func has(_ option: OptionSpec) -> Bool { values[option.name] != nil }

  /// Whether it goes on until it is told to end, so that a signal is its normal end.
  var runsUntilStopped: Bool { command.runsUntilStopped || has(.watch) || has(.follow) }

  /// How often the option was given.
  func count(_ option: OptionSpec) -> Int { values[option.name].flatMap { Int($0) } ?? 0 }

  /// The option's value as a whole number.
  ///
  /// - Parameters:
  ///   - option: the option.
  ///   - limits: what it takes here; nil takes what the table says.
  /// - Returns: the number; nil where nobody gave one.
  /// - Throws: `Diagnostic` where it is none, or out of range.
  func integer(
    _ option: OptionSpec, in limits: ClosedRange<Int>? = nil
  ) throws(Diagnostic) -> Int? {
    guard let text = self[option] else { return nil }
    let range = limits ?? option.range ?? .min ... .max
    guard let value = Int(text), range.contains(value) else {
      throw bad(option, "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  /// The number an option has by the command line, the environment, the configuration or its
  /// standard value, in this order.
  ///
  /// - Throws: `Diagnostic` where it is none, or out of range.
  func number(_ option: OptionSpec) throws(Diagnostic) -> Int {
    guard let value = try integer(option) else {
      return option.standard.flatMap { Int($0) } ?? 0
    }
    return value
  }

  /// The text an option has, in the same order.
  func text(_ option: OptionSpec) -> String { self[option] ?? option.standard ?? "" }

  /// The option's value as a time: `90`, `1:30`, `1:02:03`.
  ///
  /// - Throws: `Diagnostic` where it is none, or 0.
  func duration(_ option: OptionSpec) throws(Diagnostic) -> Duration? {
    guard let text = self[option] else { return nil }
    guard let value = TimeText.duration(text), value > .zero else {
      throw bad(option, "a time such as 90 or 1:30")
    }
    return value
  }

  /// Refuses two options that can't both be meant.
  ///
  /// - Throws: `Diagnostic` of the code `usage` where both were given.
  func checkApart(_ one: OptionSpec, _ other: OptionSpec) throws(Diagnostic) {
    guard has(one), has(other) else { return }
    throw .usage("--\(one.name) and --\(other.name) exclude each other")
  }

  private func bad(_ option: OptionSpec, _ wanted: String) -> Diagnostic {
    let value = Printable.escaped(self[option] ?? "")
    return .usage("\(origins[option.name] ?? "--\(option.name)") takes \(wanted), not \"\(value)\"")
  }
}

/// What a command line asks for.
enum Request: Equatable, Sendable {
  /// Help, on the whole, on a noun's verbs, or on one command.
  case help(HelpTopic)
  /// The version.
  case version
  /// A command.
  case run(Invocation)
}

/// What help is about.
enum HelpTopic: Equatable, Sendable {
  case program
  case options
  case noun(String)
  case command(CommandName)
}
