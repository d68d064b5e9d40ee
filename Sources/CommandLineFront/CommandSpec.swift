/// Every command the program has; the raw value is what is typed.
enum CommandName: String, CaseIterable, Sendable {
  case demo
  case serve
  case listen
  case status
  case events
  case join
  case stop
  case resync
  case volume
  case mute
  case unmute
  case latency
  case play
  case pause
  case toggle
  case seek
  case next
  case prev
  case jump
  case mode
  case server
  case login
  case signup
  case logout
  case whoami
  case kickOthers = "kick-others"
  case channelList = "channel list"
  case channelShow = "channel show"
  case channelPeople = "channel people"
  case channelCreate = "channel create"
  case channelEdit = "channel edit"
  case channelDelete = "channel delete"
  case queueList = "queue list"
  case queueAdd = "queue add"
  case queueRemove = "queue remove"
  case queueMove = "queue move"
  case queueSet = "queue set"
  case queueCrop = "queue crop"
  case queueClear = "queue clear"
  case queueShuffle = "queue shuffle"
  case queueSave = "queue save"
  case playlistList = "playlist list"
  case playlistShow = "playlist show"
  case playlistCreate = "playlist create"
  case playlistEdit = "playlist edit"
  case playlistDelete = "playlist delete"
  case playlistAdd = "playlist add"
  case playlistRemove = "playlist remove"
  case playlistMove = "playlist move"
  case playlistSet = "playlist set"
  case playlistQueue = "playlist queue"
  case playlistShare = "playlist share"
  case playlistUnshare = "playlist unshare"
  case playlistOpen = "playlist open"
  case playlistCopy = "playlist copy"
  case playlistExport = "playlist export"
  case playlistImport = "playlist import"
  case fetch
  case fetchList = "fetch list"
  case fetchCancel = "fetch cancel"
  case libraryList = "library list"
  case librarySearch = "library search"
  case libraryShow = "library show"
  case libraryRefresh = "library refresh"
  case libraryPlay = "library play"
  case upload
  case cacheAdd = "cache add"
  case cacheList = "cache list"
  case cacheShow = "cache show"
  case cachePath = "cache path"
  case cacheVerify = "cache verify"
  case cachePin = "cache pin"
  case cacheUnpin = "cache unpin"
  case cacheRemove = "cache remove"
  case cachePrune = "cache prune"
  case cacheStats = "cache stats"
  case devices
  case completions
  case configList = "config list"
  case configGet = "config get"
  case configSet = "config set"
  case configPath = "config path"

  /// The words that are typed: one, or a noun and a verb.
  var words: [String] { rawValue.split(separator: " ").map(String.init) }

  /// Whether it goes on until it is told to end, so that a signal is its normal end.
  var runsUntilStopped: Bool { [.demo, .serve, .listen, .events, .libraryPlay].contains(self) }

  /// Whether it works where the configuration file is broken, so that it can be mended.
  var mendsConfiguration: Bool { [.configSet, .configPath].contains(self) }
}

/// What the command line knows of one command.
struct CommandSpec: Sendable {
  /// A word that follows a command.
  struct Operand: Sendable {
    var name: String
    var isRequired = true
    var isRepeated = false
    /// The words it may be, for completion; nil where any will do.
    var choices: [String]?
  }

  var name: CommandName
  var operands: [Operand] = []
  var options: [OptionSpec] = []
  /// One line for the list of commands, without a full stop.
  var summary: String
  /// More for its own help: whole sentences.
  var details = ""
  /// A command line that works as it stands.
  var example: String
  /// Does it; throws whatever `Diagnostic(describing:)` can put into words.
  var run: @Sendable (CommandContext) async throws -> ExitStatus

  /// The number of operands it takes.
  var operandCount: ClosedRange<Int> {
    let least = operands.count { $0.isRequired }
    return least...(operands.contains { $0.isRepeated } ? .max : operands.count)
  }

  /// How it is typed: `blastoise queue add [options] TRACK...`.
  var synopsis: String {
    let words = operands.map { operand in
      let text = operand.name + (operand.isRepeated ? "..." : "")
      return operand.isRequired ? text : "[\(text)]"
    }
    return (["blastoise", name.rawValue] + (options.isEmpty ? [] : ["[options]"]) + words)
      .joined(separator: " ")
  }
}
