/// The help texts, made from the table.
enum Usage {
  /// The help on a topic, without a line end.
  static func text(_ topic: HelpTopic) -> String {
    switch topic {
    case .program: program
    case .options: options
    case .noun(let noun): self.noun(noun)
    case .command(let name): command(CommandTable.spec(name))
    }
  }

  private static var program: String {
    """
    blastoise plays music rooms in sync, and controls them from the shell.

    usage: blastoise COMMAND [options]

    \(overview())

    options of every command (blastoise help options):
    \(wrapped(OptionSpec.global.map { "--\($0.name)" }, indent: 2))

    blastoise COMMAND --help shows more, with an example. Try: blastoise demo
    """
  }

  /// The commands, a line each; the verbs of a noun in one.
  private static func overview(without absent: Set<CommandName> = []) -> String {
    let nouns = CommandTable.nouns.filter { noun in
      CommandName(rawValue: noun).map { !absent.contains($0) } ?? true
    }
    return nouns.map { noun in
      let left = "  " + Printable.padded(noun, to: 12) + " "
      let verbs = CommandTable.verbs(of: noun)
      if CommandName(rawValue: noun) != nil {
        let more = verbs.isEmpty ? "" : "; \(verbs.joined(separator: ", "))"
        return left + CommandTable.summary(ofNoun: noun) + more
      }
      return left + wrapped(verbs, indent: left.count).drop { $0 == " " }
    }.joined(separator: "\n")
  }

  private static var options: String { "options of every command:\n\(list(OptionSpec.global))" }

  /// Words as lines of 80 columns at most, as far as a word is no longer than a line.
  private static func wrapped(
    _ words: [some StringProtocol], indent: Int, separator: String = ", "
  ) -> String {
    let blanks = String(repeating: " ", count: indent)
    var lines: [String] = []
    for word in words {
      if let last = lines.last, last.count + separator.count + word.count < 80 {
        lines[lines.count - 1] = last + separator + word
      } else {
        if separator == ", ", !lines.isEmpty { lines[lines.count - 1] += "," }
        lines.append(blanks + word)
      }
    }
    return lines.joined(separator: "\n")
  }

  /// The help at a listener's prompt.
  static var prompt: String {
    """
    Commands are those of the shell, without blastoise before them:
    \(overview(without: PromptWords.absent))
    help COMMAND shows more. queue alone is queue list, and so on.
    quit, exit and q end the listener.
    """
  }

  private static func noun(_ noun: String) -> String {
    """
    usage: blastoise \(noun) COMMAND [options]

    \(capitalised(CommandTable.summary(ofNoun: noun))).

    commands:
    \(list(CommandTable.commands.filter { $0.name.words[0] == noun }))

    blastoise \(noun) COMMAND --help shows more, with an example.
    """
  }

  private static func command(_ spec: CommandSpec) -> String {
    var parts = ["usage: \(spec.synopsis)", "\(capitalised(spec.summary)).\(details(of: spec))"]
    if !spec.options.isEmpty { parts.append("options:\n\(list(spec.options))") }
    parts.append("example:\n  \(spec.example)")
    parts.append("blastoise help options lists the options of every command.")
    return parts.joined(separator: "\n\n")
  }

  private static func details(of spec: CommandSpec) -> String {
    let words = spec.details.split(whereSeparator: \.isWhitespace)
    return words.isEmpty ? "" : "\n" + wrapped(words, indent: 0, separator: " ")
  }

  private static func capitalised(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst()
  }

  private static func list(_ commands: [CommandSpec]) -> String {
    columns(
      commands.map { spec in
        let synopsis = spec.synopsis.replacing("blastoise ", with: "").replacing(
          "[options] ", with: "")
        return (synopsis.replacing(" [options]", with: ""), spec.summary)
      })
  }

  private static func list(_ options: [OptionSpec]) -> String {
    columns(
      options.map { option in
        let short = option.short.map { "-\($0), " } ?? ""
        let value = option.placeholder.map { " \($0)" } ?? ""
        let variable = option.variable.map { " [\($0)]" } ?? ""
        let standard = option.standard.map { " (default \($0))" } ?? ""
        return ("\(short)--\(option.name)\(value)", option.help + standard + variable)
      })
  }

  /// Two columns; what does not fit into a line goes on below, in the right one.
  private static func columns(_ rows: [(String, String)]) -> String {
    let width = rows.map(\.0.count).max() ?? 0
    let indent = width + 4
    return rows.map { left, right in
      let text = wrapped(right.split(separator: " "), indent: indent, separator: " ")
      return "  " + Printable.padded(left, to: width) + "  " + text.dropFirst(indent)
    }.joined(separator: "\n")
  }
}
