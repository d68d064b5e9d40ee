/// The help texts, made from the table.
enum Usage {
  /// The help on a topic, without a line end.
  static func text(_ topic: HelpTopic) -> String {
    switch topic {
    case .program: program
    case .noun(let noun): self.noun(noun)
    case .command(let name): command(CommandTable.spec(name))
    }
  }

  private static var program: String {
    """
    blastoise plays music rooms in sync, and controls them from the shell.

    usage: blastoise COMMAND [options]

    commands:
    \(list(CommandTable.commands))

    options of every command:
    \(list(OptionSpec.global))

    \("blastoise COMMAND --help shows more, with an example. Try: blastoise demo")
    """
  }

  private static func noun(_ noun: String) -> String {
    """
    usage: blastoise \(noun) COMMAND [options]

    commands:
    \(list(CommandTable.commands.filter { $0.name.words[0] == noun }))
    """
  }

  private static func command(_ spec: CommandSpec) -> String {
    var parts = ["usage: \(spec.synopsis)", "\(capitalised(spec.summary)).\(details(of: spec))"]
    if !spec.options.isEmpty { parts.append("options:\n\(list(spec.options))") }
    parts.append("example:\n  \(spec.example)")
    parts.append("blastoise --help lists the options of every command.")
    return parts.joined(separator: "\n\n")
  }

  private static func details(of spec: CommandSpec) -> String {
    spec.details.isEmpty ? "" : "\n" + spec.details
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

  private static func columns(_ rows: [(String, String)]) -> String {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { left, right in
      "  " + Printable.padded(left, to: width) + "  " + right
    }.joined(separator: "\n")
  }
}
