import RoomClient
import RoomProtocol

/// `queue add`: tracks into the room's queue.
enum QueueAddCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let names = try await QueueEditing.names(context)
    try context.invocation.checkApart(.next, .at)
    let references = [context.invocation[.at]].compactMap(\.self) + names.filter(TrackChoice.isRow)
    return try await QueueEditing.run(context, "add to the queue of", naming: references) { edit in
      let deed = "to the queue of \(edit.room)"
      guard let tracks = try await edit.tracks(names, deed: { "add \($0) \(deed)" }) else { return }
      let index = try await edit.add(tracks)
      let rows = rowRange(index, tracks.count)
      edit.report(
        "added \(titles(tracks)) to \(edit.room) at \(rows) \(edit.audience)",
        [.init("added", tracks)], row: index + 1)
    }
  }
}

extension QueueEditing {
  /// Adds tracks where `--next` or `--at` says, else at the end.
  ///
  /// - Returns: the index of the first of them.
  func add(_ tracks: [Track]) async throws -> Int {
    if let text = context.invocation[.at] { return try await add(tracks, at: try rows.place(text)) }
    // The room may have gone on while the tracks were looked for.
    let edit = try await renewed()
    let rows = edit.rows
    let isNext = context.invocation.has(.next) && !rows.tracks.isEmpty
    return try await edit.add(
      tracks, at: isNext ? min(rows.currentIndex + 1, rows.tracks.count) : nil)
  }

  /// Adds before an index, or at the end without one.
  private func add(_ tracks: [Track], at place: Int?) async throws -> Int {
    let new = tracks.map(\.id)
    let index = place ?? ids.count
    try await apply(
      [.add(new, insertAt: place)], wishing: ids[..<index] + new + ids[index...])
    return QueueWish.place(of: new, near: index, in: visit.queue?.map(\.id) ?? [])
  }
}

/// `queue set`: other tracks in the place of the whole queue.
enum QueueSetCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let names = try await QueueEditing.names(context)
    let references = names.filter(TrackChoice.isRow)
    return try await QueueEditing.run(context, "set the queue of", naming: references) { edit in
      guard
        let tracks = try await edit.tracks(
          names, deed: { "set the queue of \(edit.room) to \($0)" })
      else { return }
      let wished = tracks.map(\.id)
      guard wished != edit.ids else {
        edit.report("the queue of \(edit.room) is that already", [.init("set", tracks)])
        return
      }
      // Whoever pipes tracks in has no hands free, and has said what is to be there.
      let asks = !edit.rows.tracks.isEmpty && context.console.canAsk
      if asks {
        let question = "replace the \(counted(edit.rows.tracks.count, "row")) of \(edit.room)"
        guard try await context.agrees(to: question) else { return }
      }
      // Whoever was asked has agreed to lose those rows and no others.
      let latest = asks ? edit : try await edit.renewed()
      try await latest.apply([.set(wished)], wishing: wished)
      edit.report(
        "set the queue of \(edit.room) to \(titles(tracks)) \(edit.audience)",
        [.init("set", tracks)], row: 1)
    }
  }
}

extension QueueEditing {
  /// The arguments that name tracks, with standard input read: it may take its time, and nobody
  /// need see us come for it.
  ///
  /// - Throws: `Diagnostic` of the code `usage`.
  static func names(_ context: CommandContext) async throws(Diagnostic) -> [String] {
    try TrackChoice.check(context.invocation.operands, context.invocation)
    return try await TrackChoice.expanded(context.invocation.operands)
  }

  /// The tracks that are named, the rows of this queue among them.
  ///
  /// - Parameters:
  ///   - names: the arguments, standard input read.
  ///   - deed: what would be done with `60 tracks`, for the question.
  /// - Returns: nil where somebody has answered it with no.
  /// - Throws: as `TrackChoice.tracks`.
  func tracks(_ names: [String], deed: (String) -> String) async throws -> [Track]? {
    try await TrackChoice(context, of: session.server, on: session) { rows }.tracks(
      names, deed: deed)
  }
}
