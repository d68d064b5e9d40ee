extension CommandTable {
  /// What everyone in the room hears.
  static let transport: [CommandSpec] = [
    CommandSpec(
      name: .play, operands: [.init(name: "ROW|WORDS", isRequired: false, isRepeated: true)],
      summary: "let the room play, from a row where one is named",
      details: "Concerns everyone in the room. WORDS must match one row of the queue.",
      example: "blastoise play around the world",
      run: PlayCommand.run),
    CommandSpec(
      name: .pause, summary: "pause the room", details: "Concerns everyone in the room.",
      example: "blastoise pause --channel Lobby",
      run: PauseCommand.run),
    CommandSpec(
      name: .toggle, summary: "pause the room, or let it play",
      details: "Concerns everyone in the room.", example: "blastoise toggle",
      run: ToggleCommand.run),
    CommandSpec(
      name: .seek, operands: [.init(name: "POS")], summary: "move within the track",
      details: """
        POS is 90, 1:30, 1:02:03, +15, -15 or 50%; past an end means to the end. Concerns everyone
        in the room.
        """,
      example: "blastoise seek -15",
      run: SeekCommand.run),
    CommandSpec(
      name: .next, summary: "the next row of the queue",
      details: "Concerns everyone in the room. In shuffle another row at random.",
      example: "blastoise next",
      run: { try await JumpCommand.run($0, step: 1) }),
    CommandSpec(
      name: .prev, summary: "the row before", details: "Concerns everyone in the room.",
      example: "blastoise prev",
      run: { try await JumpCommand.run($0, step: -1) }),
    CommandSpec(
      name: .jump, operands: [.init(name: "ROW|WORDS", isRepeated: true)],
      summary: "to a row of the queue",
      details: "Concerns everyone in the room. WORDS must match one row of the queue.",
      example: "blastoise jump 3",
      run: { try await JumpCommand.run($0) }),
    CommandSpec(
      name: .mode, operands: [.init(name: "MODE", isRequired: false, choices: modes)],
      summary: "show or set the playback mode",
      details: "MODE is once, repeat-all, repeat-one, shuffle, or next to step through them.",
      example: "blastoise mode shuffle",
      run: ModeCommand.run),
  ]

  private static let modes = ["once", "repeat-all", "repeat-one", "shuffle", "next"]
}
