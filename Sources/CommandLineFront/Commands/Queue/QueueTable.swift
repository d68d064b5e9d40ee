extension CommandTable {
  /// The room's queue.
  static let queue: [CommandSpec] = [
    CommandSpec(
      name: .queueList, summary: "the room's queue",
      details: """
        Ends with a revision that edits can be bound to (--rev). On a terminal only the rows around
        the current one are shown, and edits within ten minutes that name rows by number are bound
        to what was listed. A * marks what is in the cache.
        """,
      example: "blastoise queue list",
      run: QueueListCommand.run),
    CommandSpec(
      name: .queueAdd, operands: [.tracks],
      options: [.next, .at, .revision] + OptionSpec.trackChoice, summary: "add tracks to the queue",
      details: """
        One TRACK is an id, a unique beginning of its hash (6 digits and up), @current, @3 or @last
        (a row of the queue), or words that match exactly one track of the library. A - reads
        tracks from standard input, one a line.
        """,
      example: "blastoise queue add --next \"around the world\"",
      run: QueueAddCommand.run),
    CommandSpec(
      name: .queueRemove, operands: [rows], options: [.revision],
      summary: "remove rows from the queue", details: "ROWS are 3, 3-5, @current or @last.",
      example: "blastoise queue remove 3-5",
      run: QueueRemoveCommand.run),
    CommandSpec(
      name: .queueMove, operands: [rows], options: [.to, .revision],
      summary: "move rows to another place",
      details: """
        ROWS are 3, 3-5, @current or @last. Afterwards the first of them stands at the row after
        --to, the others behind it; --to @last is the end.
        """,
      example: "blastoise queue move 5 --to 2",
      run: QueueMoveCommand.run),
    CommandSpec(
      name: .queueSet, operands: [.tracks],
      options: [.revision] + OptionSpec.trackChoice,
      summary: "put other tracks in the place of the whole queue",
      details: """
        TRACK as in queue add; a - reads tracks from standard input. Asks on a terminal.
        """,
      example: "blastoise queue set --yes @current \"around the world\"",
      run: QueueSetCommand.run),
    CommandSpec(
      name: .queueCrop, operands: [.init(name: "ROWS", isRequired: false, isRepeated: true)],
      options: [.revision], summary: "keep only the current row, or those named",
      example: "blastoise queue crop",
      run: QueueCropCommand.run),
    CommandSpec(
      name: .queueClear, options: [.yes, .revision], summary: "remove every row",
      details: "Asks first.",
      example: "blastoise queue clear --yes",
      run: QueueClearCommand.run),
    CommandSpec(
      name: .queueShuffle, options: [.revision],
      summary: "put what is still to come in random order",
      details: "The current row and those before it stay.",
      example: "blastoise queue shuffle",
      run: QueueShuffleCommand.run),
    CommandSpec(
      name: .queueSave, operands: [.init(name: "NAME", isRepeated: true)], options: [.replace],
      summary: "save the queue as a playlist",
      example: "blastoise queue save \"Friday evening\"",
      run: QueueSaveCommand.run),
  ]

  private static let rows = CommandSpec.Operand(name: "ROWS", isRepeated: true)
}
