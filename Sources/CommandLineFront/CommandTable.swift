/// The one table of commands: the reader, the help and the documents are made from it.
enum CommandTable {
  /// All commands, in the order in which the help lists them.
  static let commands: [CommandSpec] = applications + transport + account + rooms

  /// The noun that another noun stands for: `room list` is `channel list`.
  static let aliases = ["room": "channel"]

  /// The specification of a command.
  static func spec(_ name: CommandName) -> CommandSpec {
    guard let spec = commands.first(where: { $0.name == name }) else {
      preconditionFailure("\(name) is not in the table")
    }
    return spec
  }

  /// The first words of all commands, each once.
  static var nouns: [String] {
    commands.reduce(into: []) { nouns, spec in
      let noun = spec.name.words[0]
      if !nouns.contains(noun) { nouns.append(noun) }
    }
  }

  private static let applications = [
    CommandSpec(
      name: .demo, options: [.duration, .output, .buffer, .volume],
      summary: "an embedded room with built-in tracks, joined and played",
      details: "Needs no server, no music and no sound card.",
      example: "blastoise demo --for 10 --output null"),
    CommandSpec(
      name: .serve, operands: [.init(name: "DIR", isRequired: false)],
      options: [.port, .host, .certificate, .key],
      summary: "a room server over a folder of music",
      details: "DIR is the current folder where it is left out.",
      example: "blastoise serve ~/Music --port 3001"),
    CommandSpec(
      name: .listen, operands: [.init(name: "ROOM", isRequired: false)],
      options: [
        .output, .duration, .events, .sync, .buffer, .latency, .rate, .volume, .noWait, .replayGain,
      ],
      summary: "join a room, play in sync, take typed commands",
      details: """
        Waits for a server or a device that is missing, and goes on when it is back. Ends with
        Ctrl-C.
        """,
      example: "blastoise listen Lobby --output alsa"),
    CommandSpec(
      name: .devices, options: [.test], summary: "the sound devices and the other outputs",
      example: "blastoise devices --test"),
  ]

  private static let transport = [
    CommandSpec(
      name: .play, operands: [.init(name: "ROW|WORDS", isRequired: false, isRepeated: true)],
      summary: "let the room play, from a row where one is named",
      details: "Concerns everyone in the room. WORDS must match one row of the queue.",
      example: "blastoise play around the world"),
    CommandSpec(
      name: .pause, summary: "pause the room", details: "Concerns everyone in the room.",
      example: "blastoise pause --channel Lobby"),
    CommandSpec(
      name: .seek, operands: [.init(name: "POS")], summary: "move within the track",
      details: """
        POS is 90, 1:30, 1:02:03, +15, -15 or 50%. Concerns everyone in the room.
        """,
      example: "blastoise seek -15"),
    CommandSpec(
      name: .next, summary: "the next row of the queue",
      details: "Concerns everyone in the room. In shuffle another row at random.",
      example: "blastoise next"),
    CommandSpec(
      name: .prev, summary: "the row before", details: "Concerns everyone in the room.",
      example: "blastoise prev"),
    CommandSpec(
      name: .jump, operands: [.init(name: "ROW|WORDS", isRepeated: true)],
      summary: "to a row of the queue",
      details: "Concerns everyone in the room. WORDS must match one row of the queue.",
      example: "blastoise jump 3"),
    CommandSpec(
      name: .mode, operands: [.init(name: "MODE", isRequired: false)],
      summary: "show or set the playback mode",
      details: "MODE is once, repeat-all, repeat-one, shuffle, or next to step through them.",
      example: "blastoise mode shuffle"),
  ]

  private static let account = [
    CommandSpec(
      name: .server, summary: "what the server is and allows", example: "blastoise server"),
    CommandSpec(
      name: .login, operands: [.init(name: "USER", isRequired: false)], options: [.passwordStdin],
      summary: "sign in",
      details: """
        The password is asked for without showing it, or comes from --password-stdin or
        BLASTOISE_PASSWORD; never from an argument. It is not kept, the session is.
        """,
      example: "blastoise login ada --server http://localhost:3001"),
    CommandSpec(
      name: .signup, operands: [.init(name: "USER", isRequired: false)],
      options: [.passwordStdin], summary: "make an account and sign in",
      details: "The password comes as with login.",
      example: "blastoise signup ada --server http://localhost:3001"),
    CommandSpec(name: .logout, summary: "end the session", example: "blastoise logout"),
    CommandSpec(name: .whoami, summary: "who the server takes us for", example: "blastoise whoami"),
  ]

  private static let rooms = [
    CommandSpec(
      name: .channelList, summary: "the server's rooms", example: "blastoise channel list --json"),
    CommandSpec(
      name: .queueList, summary: "the room's queue",
      details: """
        Ends with a revision that edits can be bound to (--rev). On a terminal only the rows around
        the current one are shown.
        """,
      example: "blastoise queue list"),
    CommandSpec(
      name: .queueAdd, operands: [.init(name: "TRACK", isRepeated: true)],
      options: [.next, .at, .revision], summary: "add tracks to the queue",
      details: """
        One TRACK is an id, a unique beginning of its hash (6 digits and up), @current, @3 or @last
        (a row of the queue), or words that match exactly one track of the library.
        """,
      example: "blastoise queue add --next \"around the world\""),
    CommandSpec(
      name: .queueRemove, operands: [.init(name: "ROWS", isRepeated: true)], options: [.revision],
      summary: "remove rows from the queue", details: "ROWS are 3, 3-5, @current or @last.",
      example: "blastoise queue remove 3-5"),
  ]
}
