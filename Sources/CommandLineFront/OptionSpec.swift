import RoomClient

/// One option of the command line.
struct OptionSpec: Hashable, Sendable {
  /// The long name, without dashes; also its key.
  var name: String
  /// The one-letter name.
  var short: Character?
  /// Another long name it goes by.
  var alias: String?
  /// What its value is called in the help; nil for an option without one.
  var placeholder: String?
  /// The values it takes; nil where any will do.
  var choices: [String]?
  /// The whole numbers it takes; nil where it is no number.
  var range: ClosedRange<Int>?
  /// Whether it is an amount of bytes.
  var isSize = false
  /// One line of help, without a full stop.
  var help: String
  /// Whether an environment variable can give it too.
  var hasVariable = false
  /// Its key in the configuration file, such as `listen.volume`; nil for what can't stand there.
  var key: String?
  /// The kind of named section where it can stand too, under its plain name.
  var scope: SettingKey.Scope?
  /// What holds where nobody says otherwise, as one would write it.
  var standard: String?

  /// The environment variable that gives it: `BLASTOISE_` and its name.
  var variable: String? {
    guard hasVariable else { return nil }
    let upper = name.utf8.map { byte -> UInt8 in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "_")
      case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 32
      default: byte
      }
    }
    return "BLASTOISE_" + String(decoding: upper, as: UTF8.self)
  }

  /// Whether it is followed by a value.
  var takesValue: Bool { placeholder != nil }

  /// What a value should have been, in words; nil where it is fine.
  func expectation(of value: String) -> String? {
    if let choices, !choices.contains(value) { return choices.joined(separator: " or ") }
    if let range, Int(value).map(range.contains) != true {
      return "a whole number from \(range.lowerBound) to \(range.upperBound)"
    }
    if isSize, SizeText.bytes(value) == nil { return "a size such as 4G or 500M" }
    return nil
  }
}

// MARK: - Options of every command

extension OptionSpec {
  static let server = OptionSpec(
    name: "server", placeholder: "URL", help: "the room server, or the name of a saved one",
    hasVariable: true, key: "server", standard: ServerAddress.standard.description)
  static let channel = OptionSpec(
    name: "channel", alias: "room", placeholder: "ROOM",
    help: "the room, by id, name or a unique beginning", hasVariable: true, key: "channel",
    scope: .server)
  static let config = OptionSpec(
    name: "config", placeholder: "FILE", help: "the configuration (docs/configuration.md)",
    hasVariable: true)
  static let instance = OptionSpec(
    name: "instance", placeholder: "NAME", help: "the listener that is meant, where several run",
    hasVariable: true)
  static let json = OptionSpec(
    name: "json", help: "print JSON for programs (docs/json.md)", hasVariable: true)
  static let quiet = OptionSpec(
    name: "quiet", short: "q", help: "only results and errors", hasVariable: true)
  static let verbose = OptionSpec(
    name: "verbose", short: "v", help: "say more; twice: of each request too", hasVariable: true)
  static let cacert = OptionSpec(
    name: "cacert", placeholder: "FILE", help: "trust the certificates in this file too",
    hasVariable: true, key: "cacert", scope: .server)
  static let insecure = OptionSpec(
    name: "insecure", help: "take any certificate: anybody can listen in", hasVariable: true)
  static let timeout = OptionSpec(
    name: "timeout", placeholder: "SECONDS", range: 1...86400,
    help: "how long a request may take", hasVariable: true, key: "timeout", standard: "60")
  static let version = OptionSpec(name: "version", help: "print the version")
  static let help = OptionSpec(name: "help", short: "h", help: "print this help")

  /// The options that stand before or after any command.
  static let global: [OptionSpec] = [
    server, channel, instance, config, json, quiet, verbose, cacert, insecure, timeout, version,
    help,
  ]
}

// MARK: - Options of single commands

extension OptionSpec {
  static let duration = OptionSpec(
    name: "for", placeholder: "TIME", help: "end by itself after so long")
  static let output = OptionSpec(
    name: "output", placeholder: "SINK",
    help: "alsa[:DEV], null, wav:PATH, stdout, pipe:PATH, NAME",
    hasVariable: true, key: "listen.output", standard: "alsa")
  static let events = OptionSpec(
    name: "events", placeholder: "FILE", help: "write events as JSON lines to this file")
  static let sync = OptionSpec(
    name: "sync", placeholder: "MODE", choices: ["tight", "reference"],
    help: "how closely to follow the room: tight or reference", hasVariable: true,
    key: "sync.mode", standard: "tight")
  static let buffer = OptionSpec(
    name: "buffer", placeholder: "MS", range: 20...5000, help: "how much sound the device holds",
    hasVariable: true, key: "listen.buffer", scope: .output, standard: "200")
  static let latency = OptionSpec(
    name: "latency", placeholder: "MS", range: -10000...10000,
    help: "what the device adds after ALSA", hasVariable: true, key: "listen.latency",
    scope: .output, standard: "0")
  static let rate = OptionSpec(
    name: "rate", placeholder: "HZ", range: 8000...192_000, help: "the device's sample rate",
    hasVariable: true, key: "listen.rate", scope: .output, standard: "44100")
  static let volume = OptionSpec(
    name: "volume", placeholder: "N", range: 0...100, help: "0 to 100", hasVariable: true,
    key: "listen.volume", scope: .output, standard: "100")
  static let noWait = OptionSpec(
    name: "no-wait", help: "end at once where the server or the device is missing")
  static let replayGain = OptionSpec(
    name: "replaygain", placeholder: "MODE", choices: ["off", "track"],
    help: "even out loudness: off or track", hasVariable: true, key: "listen.replaygain",
    standard: "off")
  static let cacheSize = OptionSpec(
    name: "cache-max-size", placeholder: "SIZE", isSize: true,
    help: "what the cache may take; 0 keeps nothing", hasVariable: true,
    key: "cache.max-size", standard: "4G")
  static let cacheReserve = OptionSpec(
    name: "cache-reserve", placeholder: "SIZE", isSize: true,
    help: "what it leaves free on its disk", hasVariable: true, key: "cache.reserve")
  static let port = OptionSpec(
    name: "port", placeholder: "N", help: "the port (default 3001; 0 picks a free one)")
  static let host = OptionSpec(
    name: "host", placeholder: "ADDRESS", help: "where to listen (default 127.0.0.1)")
  static let certificate = OptionSpec(
    name: "cert", placeholder: "FILE", help: "the PEM certificate, for https")
  static let key = OptionSpec(name: "key", placeholder: "FILE", help: "its PEM private key")
  static let importProgram = OptionSpec(
    name: "yt-dlp", placeholder: "PROGRAM",
    help: "what imports by URL are made with, or off", standard: "yt-dlp")
  static let uploadLimit = OptionSpec(
    name: "max-upload", placeholder: "MIB", range: 1...1_048_576,
    help: "the largest file people may send", standard: "512")
  static let passwordStdin = OptionSpec(
    name: "password-stdin", help: "read the password from standard input")
  static let next = OptionSpec(name: "next", help: "after the track that plays now")
  static let at = OptionSpec(name: "at", placeholder: "ROW", help: "before this row")
  static let to = OptionSpec(
    name: "to", placeholder: "ROW", help: "where the first of them stands afterwards")
  static let replace = OptionSpec(
    name: "replace", help: "in the place of the one of that name, if there is one")
  static let revision = OptionSpec(
    name: "rev", placeholder: "REV", help: "only if the queue is still this revision")
  static let yes = OptionSpec(name: "yes", help: "answer the question with yes")
  static let newName = OptionSpec(name: "name", placeholder: "NAME", help: "what it is called")
  static let description = OptionSpec(
    name: "description", placeholder: "TEXT", help: "what it is for")
  static let isPublic = OptionSpec(name: "public", help: "everyone may see it")
  static let isPrivate = OptionSpec(name: "private", help: "only its owner may see it")
  static let file = OptionSpec(
    name: "output", placeholder: "FILE", help: "write to this file (default: standard output)")
  static let addTo = OptionSpec(
    name: "add", placeholder: "PLAYLIST", help: "add to this playlist instead of making one")
  static let toQueue = OptionSpec(name: "queue", help: "into the room's queue, at its end")
  static let toPlaylist = OptionSpec(
    name: "playlist", placeholder: "PLAYLIST", help: "into this playlist, new or not")
  static let only = OptionSpec(
    name: "only", placeholder: "ROWS", help: "of a list these alone: 1-5,8")
  static let noWatch = OptionSpec(name: "no-wait", help: "don't wait for the end")
  static let all = OptionSpec(name: "all", help: "all of them")
  static let watch = OptionSpec(name: "watch", help: "go on, and show each change")
  static let format = OptionSpec(
    name: "format", placeholder: "TEMPLATE", help: "show this text, with fields in braces")
  static let test = OptionSpec(name: "test", help: "play a short tone on each")
}
