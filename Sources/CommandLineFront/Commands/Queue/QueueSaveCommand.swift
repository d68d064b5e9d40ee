import RoomClient
import RoomProtocol

/// `queue save`: the rows as a playlist of one's own.
enum QueueSaveCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let name = context.invocation.operands.joined(separator: " ")
    return try await context.withVisit(wantsQueue: true) { session, visit in
      let tracks = try visit.rows.tracks
      let room = visit.picture.title
      guard !tracks.isEmpty else {
        throw Diagnostic(.notFound, "the queue of \(room) is empty: nothing to save")
      }
      let what = "cannot save the queue of \(room)"
      let (playlist, isNew) = try await playlist(name, context, session, what)
      let shown = "playlist \"\(Printable.escaped(playlist.name))\""
      let filling = isNew ? "made an empty \(shown), but cannot fill it" : what
      let ids = tracks.map(\.id)
      let saved = try await attempting(filling) { () throws(RoomError) in
        try await session.api.editTracks(.set(ids), of: playlist.id)
        return try await session.api.playlist(playlist.id)
      }
      guard saved.trackIDs == ids else {
        throw Diagnostic(
          .unconfirmed, what, why: "\(shown) has \(saved.trackIDs.count) tracks, not \(ids.count)")
      }
      let verb = isNew ? "saved" : "replaced \(shown) with"
      context.confirm(
        "\(verb) the \(counted(ids.count, "row")) of \(room)\(isNew ? " as \(shown)" : "")",
        json: [
          "channel_id": .text(visit.channel.id.rawValue), "channel": .text(visit.picture.name),
          "playlist_id": .text(playlist.id.rawValue), "playlist": .text(playlist.name),
          "length": .integer(Int64(ids.count)), "replaced": .bool(!isNew),
        ])
      return .done
    }
  }

  /// The playlist to fill: a new one, or one's own of that name where it may be replaced.
  private static func playlist(
    _ name: String, _ context: CommandContext, _ session: ServerSession, _ what: String
  ) async throws -> (Playlist, isNew: Bool) {
    let api = session.api
    let mine = { () async throws -> Playlist? in
      let shelf = try await attempting(what) { () throws(RoomError) in try await api.playlists() }
      return shelf.mine.elements.first { $0.name.lowercased() == name.lowercased() }
    }
    if let old = try await mine() {
      guard context.invocation.has(.replace) else {
        throw Diagnostic.usage(
          "there is a playlist \"\(Printable.escaped(old.name))\" already",
          hint: "--replace puts the queue in the place of its \(old.trackIDs.count) tracks")
      }
      return (old, false)
    }
    let made = try await attempting(what) { () throws(RoomError) in
      try await api.createPlaylist(name: name)
    }
    if let made { return (made, true) }
    guard let found = try await mine() else {
      throw Diagnostic(.unconfirmed, what, why: "the new playlist is not there")
    }
    return (found, true)
  }
}
