import RoomProtocol

/// `queue remove`: rows out of the room's queue.
enum QueueRemoveCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let names = context.invocation.operands
    return try await QueueEditing.run(context, "remove from the queue of", naming: names) { edit in
      let indices = try edit.rows.indices(of: names)
      let tracks = indices.map { edit.rows.tracks[$0] }
      try await edit.remove(indices)
      edit.report(
        "removed \(titles(tracks)) from \(edit.room) \(edit.audience)", [.init("removed", tracks)])
    }
  }
}

/// `queue crop`: only the current row stays, or those that are named.
enum QueueCropCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let names = context.invocation.operands
    return try await QueueEditing.run(context, "crop the queue of", naming: names) { edit in
      let kept = try edit.rows.indices(of: names.isEmpty ? ["@current"] : names)
      let stays = Set(kept)
      let gone = edit.rows.tracks.indices.filter { !stays.contains($0) }
      let tracks = kept.map { edit.rows.tracks[$0] }
      if !gone.isEmpty { try await edit.remove(gone) }
      let done = gone.isEmpty ? "it has no other" : "removed \(counted(gone.count, "row"))"
      edit.report(
        "kept \(titles(tracks)) in \(edit.room), \(done) \(edit.audience)",
        [.init("kept", tracks), .init("removed", gone.map { edit.rows.tracks[$0] })])
    }
  }
}

/// `queue move`: rows to another place, keeping their order.
enum QueueMoveCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let names = context.invocation.operands
    guard let place = context.invocation[.to] else {
      // `mpc move 5 1` means from and to.
      let guess =
        names.count == 2 ? "queue move \(names[0]) --to \(names[1])" : "queue move 5 --to 1"
      throw Diagnostic.usage(
        "queue move needs --to ROW", hint: "blastoise \(Printable.escaped(guess))")
    }
    let references = names + [place]
    return try await QueueEditing.run(
      context, "move rows in the queue of", naming: references
    ) { edit in
      let indices = try edit.rows.indices(of: names)
      let target = try edit.rows.target(place, for: indices.count)
      let move = QueueMove(indices, to: target, of: edit.rows.tracks.count)
      let tracks = indices.map { edit.rows.tracks[$0] }
      let row = "row \(target + 1)"
      guard !move.edits.isEmpty else {
        let stands = "\(titles(tracks)) stand\(tracks.count == 1 ? "s" : "")"
        edit.report(
          "\(stands) at \(row) of \(edit.room) already", [.init("moved", [])], row: target + 1)
        return
      }
      try await edit.apply(move.edits, wishing: move.order.map { edit.ids[$0] })
      edit.report(
        "moved \(titles(tracks)) to \(row) of \(edit.room) \(edit.audience)",
        [.init("moved", tracks)], row: target + 1)
    }
  }
}

extension QueueEditing {
  /// Takes rows out.
  ///
  /// - Parameter indices: in order, each once.
  /// - Throws: as `apply`.
  func remove(_ indices: [Int]) async throws {
    let gone = Set(indices)
    let wished = ids.indices.filter { !gone.contains($0) }.map { ids[$0] }
    // Highest first: read one by one or as a set, the result is the same (protocol.md 4).
    try await apply([.remove(indices.reversed())], wishing: wished)
  }
}
