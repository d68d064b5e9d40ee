import RoomClient
import RoomProtocol

/// `queue save`: the rows as a playlist of one's own.
enum QueueSaveCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let name = context.invocation.operands.joined(separator: " ")
    try GivenName.check(name)
    return try await context.withVisit(wantsQueue: true) { session, visit in
      let ids = try visit.rows.tracks.map(\.id)
      let room = visit.picture.title
      guard !ids.isEmpty else {
        throw Diagnostic(.notFound, "the queue of \(room) is empty: nothing to save")
      }
      let shelf = try await context.shelf(on: session)
      let old = try old(name, on: shelf, context)
      let what = "cannot save the queue of \(room)"
      var desk: PlaylistDesk
      if let old {
        desk = try await PlaylistDesk(old, on: session, context)
        try await desk.edit([.set(ids)], expecting: ids, what: what)
      } else {
        desk = try await PlaylistCreateCommand.create(
          name, nil, beside: shelf, on: session, context, what: what)
        try await desk.finishing { try await $0.edit([.set(ids)], expecting: ids, what: what) }
      }
      let (rows, playlist) = (counted(ids.count, "row"), desk.playlist)
      context.confirm(
        old == nil
          ? "saved the \(rows) of \(room) as playlist \(playlist.quotedName)"
          : "replaced playlist \(playlist.quotedName) with the \(rows) of \(room)",
        json: [
          "channel_id": .text(visit.channel.id.rawValue), "channel": .text(visit.picture.name),
          "playlist_id": .text(playlist.id.rawValue), "playlist": .text(playlist.name),
          "length": JSONValue(ids.count), "replaced": .bool(old != nil),
        ])
      return .done
    }
  }

  /// One's own playlist of that name, where it may be replaced.
  private static func old(
    _ name: String, on shelf: PlaylistShelf, _ context: CommandContext
  ) throws(Diagnostic) -> Playlist? {
    guard context.invocation.has(.replace) else {
      let count = shelf.own(named: name).first?.trackIDs.count ?? 0
      try shelf.checkName(
        name, hint: "--replace puts the queue in the place of its \(counted(count, "track"))")
      return nil
    }
    // Several of that name: the look-up tells which there are.
    return shelf.own(named: name).count > 1
      ? try shelf.playlist(name) : shelf.own(named: name).first
  }
}
