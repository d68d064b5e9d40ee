import RoomClient
import RoomProtocol

/// `playlist queue`: a playlist's tracks into the room's queue.
enum PlaylistQueueCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let invocation = context.invocation
    try invocation.checkApart(.next, .at)
    try QueueEditing.checkRevision(of: invocation)
    return try await context.withRoomServer { session in
      let desk = try await PlaylistDesk(invocation.operands[0], on: session, context)
      let playlist = desk.playlist
      guard !playlist.trackIDs.isEmpty else { throw playlist.hasNothing }
      let catalogue = try await context.titles(of: playlist.trackIDs, on: session)
      // What the server can't play is not added (protocol.md 3); without a library it is tried.
      let tracks = playlist.trackIDs.compactMap { id in
        catalogue == nil ? Track(id: id) : catalogue?[id].flatMap { $0.available ? $0 : nil }
      }
      let left = playlist.trackIDs.count - tracks.count
      guard !tracks.isEmpty else { throw playlist.hasNothing }
      if left > 0 { context.leftOut(left) }
      let references = [invocation[.at]].compactMap(\.self)
      try await QueueEditing.run(
        context, on: session, "add to the queue of", naming: references
      ) { edit in
        let index = try await edit.add(tracks)
        let rows = rowRange(index, tracks.count)
        let what = "\(counted(tracks.count, "track")) of \(playlist.quotedName)"
        edit.report(
          "added \(what) to \(edit.room) at \(rows) \(edit.audience)",
          [
            .init(key: "playlist", value: playlist.json()), .init("added", tracks),
            .init(key: "left_out", value: JSONValue(left)),
          ], row: index + 1)
      }
      return .done
    }
  }
}
