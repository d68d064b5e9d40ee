extension CommandTable {
  /// The room's queue.
  static let queue: [CommandSpec] = [
    CommandSpec(
      name: .queueList, summary: "the room's queue",
      details: """
        Ends with a revision that edits can be bound to (--rev). On a terminal only the rows around
        the current one are shown.
        """,
      example: "blastoise queue list",
      run: QueueListCommand.run),
    CommandSpec(
      name: .queueAdd, operands: [.init(name: "TRACK", isRepeated: true)],
      options: [.next, .at, .revision], summary: "add tracks to the queue",
      details: """
        One TRACK is an id, a unique beginning of its hash (6 digits and up), @current, @3 or @last
        (a row of the queue), or words that match exactly one track of the library.
        """,
      example: "blastoise queue add --next \"around the world\"",
      run: QueueAddCommand.run),
    CommandSpec(
      name: .queueRemove, operands: [.init(name: "ROWS", isRepeated: true)], options: [.revision],
      summary: "remove rows from the queue", details: "ROWS are 3, 3-5, @current or @last.",
      example: "blastoise queue remove 3-5",
      run: QueueRemoveCommand.run),
  ]
}
