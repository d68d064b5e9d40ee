/// Words that users of `mpc`, `gh` and `git` type, and what they are here (docs/habits.md).
///
/// A few work: those that mean one command of ours with the same arguments. The others, which mean
/// something a little different, get a hint with the right words; nothing is done for them.
enum Synonyms {
  /// Words that work in the place of a command.
  static let commands: [String: CommandName] = [
    "add": .queueAdd, "del": .queueRemove, "rm": .queueRemove, "crop": .queueCrop,
    "clear": .queueClear, "shuffle": .queueShuffle, "rooms": .channelList,
    "channels": .channelList, "previous": .prev, "skip": .next, "unpause": .play, "resume": .play,
    "vol": .volume, "local": .libraryPlay, "playlists": .playlistList, "lsplaylists": .playlistList,
  ]

  /// Words that work in the place of a verb, the first of these that the noun has: `queue ls`.
  private static let verbs = [
    "ls": ["list"], "mv": ["move"], "view": ["show"], "rm": ["remove", "delete"],
    "del": ["remove", "delete"], "remove": ["delete"], "new": ["create"],
  ]

  /// The command that a noun and a word mean, the noun's own verbs before other words for them; nil
  /// where there is none.
  static func command(_ noun: String, _ word: String) -> CommandName? {
    ([word] + (verbs[word] ?? [])).lazy.compactMap { CommandName(rawValue: "\(noun) \($0)") }.first
  }

  /// What to type instead of a word that means something else elsewhere.
  private static let instead: [String: [String]] = [
    "ls": ["queue list", "library list", "channel list"], "list": ["queue list", "library list"],
    "move": ["queue move 5 --to 1"], "mv": ["queue move 5 --to 1"],
    "insert": ["queue add --next WORDS"], "prio": ["queue add --next WORDS"],
    "current": ["status --format {title}"], "queued": ["status"], "np": ["status"],
    "search": ["library search WORDS"], "find": ["library search WORDS"],
    "listall": ["library list"], "load": ["playlist queue NAME"], "save": ["queue save NAME"],
    "random": ["mode shuffle"], "repeat": ["mode repeat-all"], "single": ["mode repeat-one"],
    "idle": ["events"], "idleloop": ["events"],
    "log": ["events"], "watch": ["status --watch"], "outputs": ["devices"],
    "update": ["library refresh"], "rescan": ["library refresh"], "scan": ["library refresh"],
    "stats": ["server", "status"],
    "import": ["fetch URL", "playlist import FILE"],
    "auth": ["login", "whoami", "logout"], "user": ["whoami"], "remote": ["server"],
    "repo": ["channel list", "playlist list"], "pr": ["channel create NAME"],
    "version": ["--version"], "man": ["--help"], "quit": ["stop"], "exit": ["stop"],
    "kill": ["stop"], "download": ["cache add WORDS"], "precache": ["cache add --queue"],
    "config unset": ["config set KEY \"\""], "config remove": ["config set KEY \"\""],
    "config show": ["config list"], "config edit": ["config path"],
    "cache clear": ["cache remove --all", "cache prune --max 0"],
    "cache purge": ["cache remove --all", "cache prune --max 0"],
    "cache get": ["cache add WORDS"], "cache fetch": ["cache add WORDS"],
    "cache download": ["cache add WORDS"], "cache info": ["cache stats"],
    "cache size": ["cache stats"], "cache check": ["cache verify"], "cache gc": ["cache prune"],
  ]

  /// What to type instead of an option of another program.
  private static let options: [String: [String]] = [
    "C": ["--config FILE status"], "host": ["--server URL status"], "l": ["queue list"],
    "list": ["config list"], "y": ["queue clear --yes"], "V": ["--version"],
    "f": ["status --format {title}"], "format": ["status --format {title}"],
  ]

  /// The hint for an unknown command.
  static func hint(command: String) -> String? { instead[command].map(text) }

  /// The hint for a verb that a noun does not have.
  static func hint(noun: String, verb: String) -> String? { instead["\(noun) \(verb)"].map(text) }

  /// The hint for an option that no command has.
  static func hint(option: String) -> String? { options[option].map(text) }

  /// The hint for a noun without its verb.
  static func hint(noun: String) -> String {
    let help = "blastoise \(noun) --help lists them"
    // `mpc playlist` shows the queue.
    return noun == "playlist" ? "\(help); the queue is blastoise queue list" : help
  }

  /// All command lines that hints name, without the program's name.
  static var lines: [String] { (Array(instead.values) + Array(options.values)).flatMap(\.self) }

  private static func text(_ lines: [String]) -> String {
    "here it is " + lines.map { "blastoise \($0)" }.joined(separator: " or ")
  }
}
