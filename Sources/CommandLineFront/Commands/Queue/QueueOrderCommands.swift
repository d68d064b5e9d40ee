import RoomProtocol

/// `queue clear`: nothing stays.
enum QueueClearCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    try await QueueEditing.run(context, "clear the queue of") { edit in
      let tracks = edit.rows.tracks
      guard !tracks.isEmpty else {
        edit.report("the queue of \(edit.room) is empty already", [.init("removed", [])])
        return
      }
      let question = "clear the \(counted(tracks.count, "row")) of \(edit.room)"
      guard try await context.agrees(to: question) else { return }
      try await edit.apply([.set([])], wishing: [])
      edit.report(
        "cleared the queue of \(edit.room) \(edit.audience): \(counted(tracks.count, "row")) removed",
        [.init("removed", tracks)])
    }
  }
}

/// `queue shuffle`: what is still to come, in another order.
enum QueueShuffleCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    try await QueueEditing.run(context, "shuffle the queue of") { edit in
      let start = edit.rows.tracks.isEmpty ? 0 : edit.rows.currentIndex + 1
      let coming = edit.rows.tracks.dropFirst(start)
      guard coming.count > 1 else {
        edit.report(
          "\(edit.room) has \(counted(coming.count, "row")) to come: nothing to shuffle",
          [.init("shuffled", Array(coming))])
        return
      }
      var generator = SystemRandomNumberGenerator()
      let tracks = edit.rows.shuffled(using: &generator)
      let wished = tracks.map(\.id)
      // Chance may leave them as they are.
      if wished != edit.ids { try await edit.apply([.set(wished)], wishing: wished) }
      let shuffled = Array(tracks[start...])
      edit.report(
        "shuffled the \(counted(coming.count, "row")) to come in \(edit.room) \(edit.audience); "
          + "next is \(titles(Array(shuffled.prefix(1))))",
        [.init("shuffled", shuffled)], row: start + 1)
    }
  }
}
