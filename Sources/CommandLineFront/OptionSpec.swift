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
  /// One line of help, without a full stop.
  var help: String
  /// Whether an environment variable can give it too.
  var hasVariable = false

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
}

// MARK: - Options of every command

extension OptionSpec {
  static let server = OptionSpec(
    name: "server", placeholder: "URL", help: "the room server", hasVariable: true)
  static let channel = OptionSpec(
    name: "channel", alias: "room", placeholder: "ROOM",
    help: "the room, by id, name or a unique beginning", hasVariable: true)
  static let json = OptionSpec(
    name: "json", help: "print JSON for programs (docs/json.md)", hasVariable: true)
  static let quiet = OptionSpec(
    name: "quiet", short: "q", help: "only results and errors", hasVariable: true)
  static let verbose = OptionSpec(
    name: "verbose", short: "v", help: "say more", hasVariable: true)
  static let cacert = OptionSpec(
    name: "cacert", placeholder: "FILE", help: "trust the certificates in this file too",
    hasVariable: true)
  static let insecure = OptionSpec(
    name: "insecure", help: "take any certificate: anybody can listen in", hasVariable: true)
  static let timeout = OptionSpec(
    name: "timeout", placeholder: "SECONDS", help: "how long a request may take",
    hasVariable: true)
  static let version = OptionSpec(name: "version", help: "print the version")
  static let help = OptionSpec(name: "help", short: "h", help: "print this help")

  /// The options that stand before or after any command.
  static let global: [OptionSpec] = [
    server, channel, json, quiet, verbose, cacert, insecure, timeout, version, help,
  ]
}

// MARK: - Options of single commands

extension OptionSpec {
  static let duration = OptionSpec(
    name: "for", placeholder: "TIME", help: "end by itself after so long")
  static let output = OptionSpec(
    name: "output", placeholder: "SINK",
    help: "alsa[:DEVICE] (default), null, wav:PATH, stdout, pipe:PATH", hasVariable: true)
  static let events = OptionSpec(
    name: "events", placeholder: "FILE", help: "write events as JSON lines to this file")
  static let sync = OptionSpec(
    name: "sync", placeholder: "MODE", choices: ["tight", "reference"],
    help: "how closely to follow the room: tight (default) or reference", hasVariable: true)
  static let buffer = OptionSpec(
    name: "buffer", placeholder: "MS", help: "how much sound the device holds (default 200)",
    hasVariable: true)
  static let latency = OptionSpec(
    name: "latency", placeholder: "MS", help: "what the device adds after ALSA", hasVariable: true)
  static let rate = OptionSpec(
    name: "rate", placeholder: "HZ", help: "the device's sample rate (default 44100)",
    hasVariable: true)
  static let volume = OptionSpec(
    name: "volume", placeholder: "N", help: "0 to 100", hasVariable: true)
  static let noWait = OptionSpec(
    name: "no-wait", help: "end at once where the server or the device is missing")
  static let replayGain = OptionSpec(
    name: "replaygain", placeholder: "MODE", choices: ["off", "track"],
    help: "even out loudness: off (default) or track", hasVariable: true)
  static let port = OptionSpec(
    name: "port", placeholder: "N", help: "the port (default 3001; 0 picks a free one)")
  static let host = OptionSpec(
    name: "host", placeholder: "ADDRESS", help: "where to listen (default 127.0.0.1)")
  static let certificate = OptionSpec(
    name: "cert", placeholder: "FILE", help: "the PEM certificate, for https")
  static let key = OptionSpec(name: "key", placeholder: "FILE", help: "its PEM private key")
  static let passwordStdin = OptionSpec(
    name: "password-stdin", help: "read the password from standard input")
  static let next = OptionSpec(name: "next", help: "after the track that plays now")
  static let at = OptionSpec(name: "at", placeholder: "ROW", help: "before this row")
  static let revision = OptionSpec(
    name: "rev", placeholder: "REV", help: "only if the queue is still this revision")
  static let yes = OptionSpec(name: "yes", help: "answer the question with yes")
  static let test = OptionSpec(name: "test", help: "play a short tone on each")
}
