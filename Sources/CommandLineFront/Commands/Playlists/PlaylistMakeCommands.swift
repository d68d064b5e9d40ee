import RoomClient
import RoomProtocol

/// `playlist create`: a new playlist, with tracks where some are named.
enum PlaylistCreateCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let name = context.invocation.operands[0]
    try GivenName.check(name)
    return try await context.withRoomServer { session in
      let before = try await context.shelf(on: session)
      try before.checkName(name, hint: "blastoise playlist add adds tracks to it")
      // All that can fail on our side comes before there is a playlist.
      guard let tracks = try await tracks(context, on: session) else { return .done }
      var desk = try await create(
        name, context.invocation[.description], beside: before, on: session, context)
      try await desk.finishing {
        if !tracks.isEmpty { try await $0.add(tracks.map(\.id), at: nil) }
        if context.invocation.has(.isPublic) {
          try await $0.change(RequestBody.Details(isPublic: true))
        }
      }
      let with = tracks.isEmpty ? "" : " with \(titles(tracks))"
      context.confirm(
        "created the playlist \(desk.playlist.quotedName)\(with)",
        json: desk.playlist.json(["added": .list(tracks.map(JSONValue.init(track:)))]))
      return .done
    }
  }

  /// The tracks to begin with, none where none are named; nil where somebody has said no.
  private static func tracks(
    _ context: CommandContext, on session: ServerSession
  ) async throws -> [Track]? {
    let names = context.invocation.operands.dropFirst()
    guard !names.isEmpty || TrackChoice.isGiven(in: context.invocation) else { return [] }
    return try await context.chosenTracks(names, on: session) { "make a playlist of \($0)" }
  }

  /// Makes an empty playlist, and reads it; where the answer does not tell it, it is known by not
  /// being among those there were before.
  static func create(
    _ name: String, _ description: String?, beside before: PlaylistShelf,
    on session: ServerSession, _ context: CommandContext, what: String? = nil
  ) async throws -> PlaylistDesk {
    let what = what ?? "cannot create the playlist \"\(Printable.escaped(name))\""
    let made = try await attempting(what) { () throws(RoomError) in
      try await session.api.createPlaylist(name: name, description: description)
    }
    if let made { return try await PlaylistDesk(made, on: session, context) }
    let known = Set(before.mine.elements.map(\.id))
    let now = try await context.shelf(on: session).mine.elements
    guard let found = now.last(where: { !known.contains($0.id) }) else {
      throw Diagnostic(.unconfirmed, what, why: "the server was asked, but does not list it")
    }
    return try await PlaylistDesk(found, on: session, context)
  }
}

/// `playlist edit`: another name or description, or for whom it is.
enum PlaylistEditCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let invocation = context.invocation
    try invocation.checkApart(.isPublic, .isPrivate)
    let details = RequestBody.Details(
      name: invocation[.newName], description: invocation[.description],
      isPublic: invocation.has(.isPublic) ? true : invocation.has(.isPrivate) ? false : nil)
    guard details.name != nil || details.description != nil || details.isPublic != nil else {
      throw Diagnostic.usage(
        "nothing to change", hint: "--name, --description, --public and --private change something")
    }
    if let name = details.name { try GivenName.check(name) }
    return try await context.withRoomServer { session in
      let shelf = try await context.shelf(on: session)
      let before = try shelf.playlist(invocation.operands[0])
      if let name = details.name { try shelf.checkName(name, of: before.id, hint: nil) }
      var desk = try await PlaylistDesk(before, on: session, context)
      try await desk.change(details)
      context.confirm(text(before, desk.playlist), json: desk.playlist.json())
      return .done
    }
  }

  private static func text(_ before: Playlist, _ after: Playlist) -> String {
    var changes: [String] = []
    if before.name != after.name { changes.append("it is called \(after.quotedName)") }
    if before.description != after.description {
      let text = Printable.escaped(after.description)
      changes.append(text.isEmpty ? "it has no description" : "its description is \"\(text)\"")
    }
    if before.isPublic != after.isPublic {
      changes.append(after.isPublic ? "everyone may see it" : "only its owner may see it")
    }
    guard !changes.isEmpty else { return "\(before.quotedName) is so already" }
    return "changed the playlist \(before.quotedName): \(changes.joined(separator: ", "))"
  }
}

/// `playlist delete`: asks, unless `--yes` has answered.
enum PlaylistDeleteCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    try await context.withRoomServer { session in
      let shelf = try await context.shelf(on: session)
      let playlist = try shelf.playlist(context.invocation.operands[0])
      let count = counted(playlist.trackIDs.count, "track")
      guard
        try await context.agrees(to: "delete the playlist \(playlist.quotedName) (\(count))")
      else { return .done }
      let what = "cannot delete the playlist \(playlist.quotedName)"
      try await attempting(what) { () throws(RoomError) in
        try await session.api.deletePlaylist(playlist.id)
      }
      guard try await !context.shelf(on: session).all.contains(where: { $0.id == playlist.id })
      else { throw Diagnostic(.unconfirmed, what, why: "the server was asked, but still has it") }
      context.confirm(
        "deleted the playlist \(playlist.quotedName) (\(count))",
        json: playlist.json(["deleted": true]))
      return .done
    }
  }
}
