import RoomProtocol
import Storage
import Transport

/// Playlists: to read, make, edit, delete and share them.
///
/// One's own and what others made public can be seen; everything else is as if it were not there.
/// Only its owner (or an admin) changes a playlist.
extension RoomHost {
  func listPlaylists(_ call: Call) throws -> OutgoingResponse {
    let member = call.session.flatMap { $0.user.isGuest ? nil : $0.user.id }
    let shelf = PlaylistShelf(
      mine: try member.map { try playlists.all(of: $0) } ?? [],
      shared: try playlists.published(butOf: member).map { shown($0, to: call) })
    return try .value(shelf)
  }

  func createPlaylist(_ call: Call) throws -> OutgoingResponse {
    let details: RequestBody.Details = try call.body()
    let playlist = try makePlaylist(
      name: details.neededName(), description: details.givenDescription() ?? "",
      isPublic: details.isPublic ?? false, owner: call.member())
    return try .value(playlist, status: 201)
  }

  /// Makes a playlist and keeps it.
  func makePlaylist(
    name: String, description: String = "", isPublic: Bool = false, tracks: [TrackID] = [],
    owner: User
  ) throws -> Playlist {
    let playlist = Playlist(
      id: PlaylistID(Hex.string(SecureRandom.bytes(6))), name: name, description: description,
      ownerID: owner.id, ownerName: owner.username, isPublic: isPublic, trackIDs: tracks,
      createdAt: Double(now), updatedAt: Double(now))
    try playlists.save(playlist)
    return playlist
  }

  func readPlaylist(_ call: Call) throws -> OutgoingResponse {
    try .value(shown(visible(call), to: call))
  }

  func editPlaylist(_ call: Call) throws -> OutgoingResponse {
    let details: RequestBody.Details = try call.body()
    let (name, description) = (try details.givenName(), try details.givenDescription())
    return try change(call) { playlist in
      playlist.name = name ?? playlist.name
      playlist.description = description ?? playlist.description
      playlist.isPublic = details.isPublic ?? playlist.isPublic
    }
  }

  func deletePlaylist(_ call: Call) throws -> OutgoingResponse {
    try playlists.delete(owned(call).id)
    return try .value(["success": true])
  }

  func editTracks(_ call: Call) throws -> OutgoingResponse {
    let edit: QueueEdit = try call.body()
    return try change(call) { playlist in
      var rows = ChannelQueue(tracks: playlist.trackIDs)
      let present = Set(playlist.trackIDs)
      do throws(ChannelQueue.Refusal) {
        // What stands in it already may be put elsewhere, be it gone from the library or not.
        _ = try rows.apply(edit) { library.has($0) || present.contains($0) }
      } catch {
        throw Refusal(400, error.message)
      }
      playlist.trackIDs = rows.tracks
    }
  }

  func sharePlaylist(_ call: Call) throws -> OutgoingResponse {
    let token = Hex.string(SecureRandom.bytes(16))
    var shared = token
    _ = try change(call) { playlist in
      shared = playlist.shareToken ?? token
      playlist.shareToken = shared
    }
    return try .value(["shareToken": shared])
  }

  func unsharePlaylist(_ call: Call) throws -> OutgoingResponse {
    _ = try change(call) { $0.shareToken = nil }
    return try .value(["success": true])
  }

  func readShared(_ call: Call) throws -> OutgoingResponse {
    try .value(shared(call))
  }

  func copyShared(_ call: Call) throws -> OutgoingResponse {
    let original = try shared(call)
    let copy = try makePlaylist(
      name: original.name, description: original.description, tracks: original.trackIDs,
      owner: call.member())
    return try .value(copy, status: 201)
  }

  /// Changes a playlist of the caller's.
  private func change(
    _ call: Call, _ body: (inout Playlist) throws -> Void
  ) throws -> OutgoingResponse {
    var playlist = try owned(call)
    let before = playlist
    try body(&playlist)
    if playlist != before {
      playlist.updatedAt = Double(now)
      try playlists.save(playlist)
    }
    return try .value(playlist)
  }

  /// The playlist the path names, which the caller may see.
  private func visible(_ call: Call) throws -> Playlist {
    guard let playlist = try playlists.find(PlaylistID(call.route.parameter)),
      playlist.isPublic || isOwner(of: playlist, call)
    else { throw Refusal(404, "no such playlist") }
    return playlist
  }

  /// The playlist the path names, which the caller may change.
  private func owned(_ call: Call) throws -> Playlist {
    let playlist = try visible(call)
    guard isOwner(of: playlist, call) else {
      throw Refusal(403, "the playlist is someone else's")
    }
    return playlist
  }

  /// The playlist of the share token in the path.
  private func shared(_ call: Call) throws -> Playlist {
    guard let playlist = try playlists.find(token: call.route.parameter) else {
      throw Refusal(404, "no such shared playlist")
    }
    return playlist
  }

  /// A playlist as the caller sees it: others are not told its token.
  private func shown(_ playlist: Playlist, to call: Call) -> Playlist {
    var playlist = playlist
    if !isOwner(of: playlist, call) { playlist.shareToken = nil }
    return playlist
  }

  private func isOwner(of playlist: Playlist, _ call: Call) -> Bool {
    guard let user = call.session?.user, !user.isGuest else { return false }
    return user.isAdmin || user.id == playlist.ownerID
  }
}

extension Call {
  /// Who is signed in.
  ///
  /// - Throws: `Refusal` with 401 where nobody is.
  func member() throws(Refusal) -> User {
    guard let user = session?.user, !user.isGuest else { throw Refusal(401, "not signed in") }
    return user
  }
}
