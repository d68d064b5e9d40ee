/// The man page, made from the same tables as the help: `blastoise __man`, which `make install` runs.
enum ManualPage {
  /// What the hidden command is called.
  static let command = "__man"

  /// The page in the language of man(7), without its last line end.
  static var text: String {
    ([head] + commands + [options, exitStatus, environment, files, examples, seeAlso])
      .joined(separator: "\n")
  }

  private static let head = #"""
    .TH BLASTOISE 1 \#(Front.date) "blastoise \#(Front.version)" "User Commands"
    .\" Titles and options are long words: no gaps to fill the lines, no hyphens of groff's own.
    .ad l
    .nh
    .SH NAME
    blastoise \- play music rooms in sync, and control them from the shell
    .SH SYNOPSIS
    .B blastoise
    .I COMMAND
    .RI [ options ]
    .SH DESCRIPTION
    A room server owns a queue and a clock;
    .B blastoise
    downloads the tracks, decodes them itself, plays them through ALSA, and stays
    in time with the room.
    .B blastoise listen
    does this; all other commands control rooms, queues, playlists and what is
    kept on this machine.
    .PP
    Rooms and playlists are named by id, name, or a unique beginning of either;
    .B room
    is another word for
    .BR channel .
    A track is an id, a unique beginning of its hash (6 digits and up), a row of the
    queue (@current, @3, @last), or words that fit exactly one track.
    Rows are counted from 1.
    Times are 90, 1:30, +15, \-15 or 50%.
    .PP
    Nothing but results goes to standard output.
    Questions are asked only on a terminal; elsewhere
    .B \-\-yes
    answers them.
    .SH COMMANDS
    """#

  // MARK: - Commands

  private static var commands: [String] {
    CommandTable.nouns.map { noun in
      let specs = CommandTable.commands.filter { $0.name.words[0] == noun }
      let heading =
        specs.count == 1 ? "" : ".SS \(noun) \\- \(escaped(CommandTable.summary(ofNoun: noun)))\n"
      return heading + specs.map(entry).joined(separator: "\n")
    }
  }

  private static func entry(_ spec: CommandSpec) -> String {
    let words = spec.operands.map { operand in
      let text = "\\fI\(escaped(operand.name))\\fR" + (operand.isRepeated ? "..." : "")
      return operand.isRequired ? text : "[\(text)]"
    }
    let title = (["\\fB\(escaped(spec.name.rawValue))\\fR"] + words).joined(separator: " ")
    var lines = [".TP", title, filled(sentence(spec.summary))]
    if !spec.details.isEmpty { lines.append(filled(spec.details)) }
    if !spec.options.isEmpty {
      lines += [".RS"] + spec.options.map(option) + [".RE"]
    }
    return lines.joined(separator: "\n")
  }

  private static func option(_ option: OptionSpec) -> String {
    let names = (option.short.map { ["\\-\($0)"] } ?? []) + ["\\-\\-\(escaped(option.name))"]
    let value = option.placeholder.map { " \\fI\(escaped($0))\\fR" } ?? ""
    let standard = option.standard.map { " (default \($0))" } ?? ""
    return """
      .TP
      \(names.map { "\\fB\($0)\\fR" }.joined(separator: ", "))\(value)
      \(filled(sentence(option.help + standard)))
      """
  }

  private static var options: String {
    ".SH OPTIONS\nThese stand before or after any command.\n"
      + OptionSpec.global.map(option).joined(separator: "\n")
  }

  // MARK: - The rest

  private static var exitStatus: String {
    let rows = ExitStatus.allCases.map { status in
      let codes = FailureCode.allCases.filter { $0.status == status }.map(\.rawValue)
      let names = codes.isEmpty ? "" : " (\(codes.joined(separator: ", ")))"
      return ".TP\n.B \(status.rawValue)\n\(filled(status.meaning + names + "."))"
    }
    return """
      .SH EXIT STATUS
      The codes of sysexits.h; in brackets the \\(lqcode\\(rq of a failure under
      .BR \\-\\-json .
      \(rows.joined(separator: "\n"))
      """
  }

  private static var environment: String {
    let all = OptionSpec.global + CommandTable.commands.flatMap(\.options)
    var seen: Set<String> = []
    let options = all.filter { $0.variable.map { seen.insert($0).inserted } ?? false }
    let rows = options.map { option in
      ".TP\n.B \(option.variable ?? "")\nAs \\fB\\-\\-\(escaped(option.name))\\fR."
    }
    return """
      .SH ENVIRONMENT
      What the command line leaves open the environment may give; an empty variable
      counts as unset.
      \(rows.joined(separator: "\n"))
      .TP
      .B BLASTOISE_PASSWORD
      The password for \\fBlogin\\fR and \\fBsignup\\fR.
      .TP
      .BR TERM ", " COLUMNS
      As everywhere.
      .TP
      .BR XDG_CONFIG_HOME ", " XDG_STATE_HOME ", " XDG_CACHE_HOME ", " XDG_RUNTIME_DIR
      Where the files below are.
      """
  }

  private static let files = #"""
    .SH FILES
    .TP
    .I ~/.config/blastoise/blastoise.conf
    The configuration: saved servers and outputs, and what holds for all commands.
    .TP
    .I ~/.local/state/blastoise/
    Sessions with servers, the prompt's history, names for completion; for the eyes
    of their owner alone.
    .TP
    .I ~/.cache/blastoise/
    Tracks and library listings.
    .TP
    .I $XDG_RUNTIME_DIR/blastoise/
    The sockets of running listeners.
    """#

  private static var examples: String {
    let specs = CommandTable.commands.map { spec in
      ".TP\n.B \(escaped(spec.example))\n\(escaped(sentence(spec.summary)))"
    }
    return ".SH EXAMPLES\n" + specs.joined(separator: "\n")
  }

  private static let seeAlso = #"""
    .SH SEE ALSO
    .BR mpc (1),
    .BR aplay (1),
    .BR yt\-dlp (1)
    """#

  // MARK: - Letters

  /// Text as it stands, whatever man(7) would take it for.
  private static func escaped(_ text: String) -> String {
    let text = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
    return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
  }

  /// A sentence; where it begins with a value, that stays as it is typed.
  private static func sentence(_ text: String) -> String {
    let isValue = text.prefix { $0 != " " }.contains("[")
    return (isValue ? text : text.prefix(1).uppercased() + text.dropFirst()) + "."
  }

  /// Text in lines of 80 bytes at most, each sentence on a new one, as pages in man(7) are written.
  private static func filled(_ text: String) -> String {
    var lines: [String] = []
    var line: [String] = []
    func end() {
      if !line.isEmpty { lines.append(escaped(line.joined(separator: " "))) }
      line = []
    }
    for word in text.split(whereSeparator: \.isWhitespace).map(String.init) {
      if escaped((line + [word]).joined(separator: " ")).utf8.count > 78 { end() }
      line.append(word)
      if word.hasSuffix(".") { end() }
    }
    end()
    return lines.joined(separator: "\n")
  }
}
