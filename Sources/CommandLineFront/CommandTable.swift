/// The one table of commands: the reader, the help and the documents are made from it.
///
/// Each family has its rows in its own folder, beside its code: Commands/Queue/QueueTable.swift.
enum CommandTable {
  /// All commands, in the order in which the help lists them.
  static let commands: [CommandSpec] =
    applications + listener + transport + account + channels + queue + library + playlists + fetch
    + cache + configuration

  /// The noun that another noun stands for: `room list` is `channel list`.
  static let aliases = ["room": "channel"]

  /// The specification of a command.
  static func spec(_ name: CommandName) -> CommandSpec {
    guard let spec = commands.first(where: { $0.name == name }) else {
      preconditionFailure("\(name) is not in the table")
    }
    return spec
  }

  /// Does what a command line asks for.
  ///
  /// - Throws: whatever `Diagnostic(describing:)` can put into words.
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    try await spec(context.invocation.command).run(context)
  }

  /// What the commands of a noun are about; the summary of a command that is one word.
  static func summary(ofNoun noun: String) -> String {
    if let name = CommandName(rawValue: noun) { return spec(name).summary }
    return nounSummaries[noun] ?? ""
  }

  /// What the nouns with several verbs are about.
  private static let nounSummaries = [
    "channel": "the server's rooms",
    "queue": "the room's queue",
    "library": "the server's tracks, known offline",
    "playlist": "playlists, yours and shared ones",
    "fetch": "imports from elsewhere",
    "cache": "the tracks kept on this machine",
    "config": "the configuration",
  ]

  /// The verbs of a noun, in the order of the table.
  static func verbs(of noun: String) -> [String] {
    commands.map(\.name.words).filter { $0[0] == noun && $0.count > 1 }.map { $0[1] }
  }

  /// The first words of all commands, each once.
  static var nouns: [String] {
    commands.reduce(into: []) { nouns, spec in
      let noun = spec.name.words[0]
      if !nouns.contains(noun) { nouns.append(noun) }
    }
  }
}
