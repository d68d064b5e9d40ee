import RoomClient
import RoomProtocol

/// `playlist share`: a token by which anybody may read the playlist.
enum PlaylistShareCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    try await context.withRoomServer { session in
      var desk = try await PlaylistDesk(context.invocation.operands[0], on: session, context)
      let (id, what) = (desk.playlist.id, "cannot share \(desk.playlist.quotedName)")
      let answer = try await attempting(what) { () throws(RoomError) in
        try await session.api.sharePlaylist(id)
      }
      try await desk.refresh()
      guard let token = desk.playlist.shareToken ?? answer else {
        throw Diagnostic(.unconfirmed, what, why: "the server was asked, but gives no token")
      }
      let link = ShareLink(server: session.server, token: token)
      if context.isJSON {
        context.console.print(
          desk.playlist.json(["token": .text(token), "link": .text(link.text)]))
      } else {
        context.console.print("token  \(Printable.escaped(token))")
        context.console.print("link   \(Printable.escaped(link.text))")
        let name = desk.playlist.quotedName
        context.console.note(
          "whoever has one of them can read \(name): blastoise playlist open LINK")
      }
      return .done
    }
  }
}

/// `playlist unshare`: takes the token away.
enum PlaylistUnshareCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    try await context.withRoomServer { session in
      var desk = try await PlaylistDesk(context.invocation.operands[0], on: session, context)
      guard desk.playlist.shareToken != nil else {
        context.confirm("\(desk.playlist.quotedName) is not shared", json: desk.playlist.json())
        return .done
      }
      let (id, what) = (desk.playlist.id, "cannot unshare \(desk.playlist.quotedName)")
      try await attempting(what) { () throws(RoomError) in
        try await session.api.unsharePlaylist(id)
      }
      try await desk.refresh()
      guard desk.playlist.shareToken == nil else {
        throw Diagnostic(
          .unconfirmed, what, why: "the server was asked, but its token is still there")
      }
      context.confirm(
        "\(desk.playlist.quotedName) is no longer shared: its token opens nothing",
        json: desk.playlist.json())
      return .done
    }
  }
}

/// `playlist open`: what somebody shares by a token.
enum PlaylistOpenCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let link = try ShareLink.read(context.invocation.operands[0])
    let context = context.at(link.server)
    return try await context.withRoomServer { session in
      let playlist = try await link.playlist(on: session)
      let titles = try await context.titles(of: playlist.trackIDs, on: session)
      var listing = PlaylistListing(playlist, titles)
      listing.cached = await context.cachedIDs(of: session.server)
      listing.show(in: context)
      return .done
    }
  }
}

/// `playlist copy`: what somebody shares by a token, into a playlist of one's own.
enum PlaylistCopyCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let link = try ShareLink.read(context.invocation.operands[0])
    let context = context.at(link.server)
    let name = context.invocation[.newName]
    if let name { try GivenName.check(name) }
    return try await context.withRoomServer { session in
      let before = try await context.shelf(on: session)
      let original = try await link.playlist(on: session)
      try before.checkName(name ?? original.name, hint: "--name gives the copy another")
      let what = "cannot copy \(original.quotedName)"
      let answer = try await attempting(what) { () throws(RoomError) in
        try await session.api.copySharedPlaylist(token: link.token)
      }
      let known = Set(before.mine.elements.map(\.id))
      let now = try await context.shelf(on: session).mine.elements
      let copied = now.first { $0.id == answer?.id } ?? now.last { !known.contains($0.id) }
      guard let copy = copied else {
        throw Diagnostic(.unconfirmed, what, why: "the server was asked, but lists no copy")
      }
      var desk = try await PlaylistDesk(copy, on: session, context)
      if let name {
        try await desk.finishing { try await $0.change(RequestBody.Details(name: name)) }
      }
      let (ids, wished) = (desk.playlist.trackIDs, original.trackIDs)
      if ids != wished {
        let difference = PlaylistDesk.difference(ids, wished)
        context.console.complain("blastoise: the copy differs: \(difference)")
      }
      let share = "\(original.quotedName) (\(counted(ids.count, "track")))"
      context.confirm(
        "copied \(share) to your playlist \(desk.playlist.quotedName)",
        json: desk.playlist.json())
      return .done
    }
  }
}

/// A share token, as it stands alone or at the end of the address that reads it.
struct ShareLink {
  /// The server, where an address names it.
  var server: String?
  /// Opens the playlist to anybody: printed only where it is asked for.
  var token: String

  /// The address by which a server's playlist is read.
  init(server: ServerAddress, token: String) {
    self.server = server.description
    self.token = token
  }

  private init(server: String?, token: String) {
    self.server = server
    self.token = token
  }

  /// The whole address.
  var text: String { (server ?? "") + Route.sharedPlaylist(token: token).path }

  /// Reads a token or an address.
  ///
  /// - Throws: `Diagnostic` of the code `usage` where an address is not one of a shared playlist.
  static func read(_ text: String) throws(Diagnostic) -> ShareLink {
    guard text.contains("://") else { return ShareLink(server: nil, token: text) }
    let parts = text.prefix { $0 != "?" && $0 != "#" }
      .split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 7, parts.dropLast().suffix(3) == ["api", "playlists", "shared"],
      let token = PathSegment.decode(parts[parts.count - 1]), !token.isEmpty
    else {
      throw Diagnostic.usage(
        "this is no address of a shared playlist",
        hint: "blastoise playlist share prints one; a token and --server do as well")
    }
    return ShareLink(server: parts.dropLast(4).joined(separator: "/"), token: token)
  }

  /// Reads the playlist that the token opens.
  func playlist(on session: ServerSession) async throws -> Playlist {
    _ = try await session.api.me()
    return try await attempting("cannot open the shared playlist") { () throws(RoomError) in
      try await session.api.sharedPlaylist(token: token)
    }
  }
}

extension CommandContext {
  /// The same command for the server that an address names, whatever `--server` says.
  func at(_ server: String?) -> CommandContext {
    var context = self
    if let server { context.invocation.values[OptionSpec.server.name] = server }
    return context
  }
}
