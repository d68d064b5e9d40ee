package import RoomProtocol

extension RoomAPI {
  /// Lists the playlists one may see.
  ///
  /// - Returns: one's own, and what others share.
  /// - Throws: `RoomError`.
  package func playlists() async throws(RoomError) -> PlaylistShelf {
    try decode(try await send(.playlists), .playlists)
  }

  /// Reads a playlist.
  ///
  /// - Parameter id: the playlist.
  /// - Returns: the playlist as it is now.
  /// - Throws: `RoomError`.
  package func playlist(_ id: PlaylistID) async throws(RoomError) -> Playlist {
    try decode(try await send(.playlist(id)), .playlist(id))
  }

  /// Makes an empty playlist.
  ///
  /// - Parameters:
  ///   - name: its name.
  ///   - description: what it is for; nil says nothing.
  /// - Returns: the playlist as the server tells it; nil where the answer does not (read the list).
  /// - Throws: `RoomError`.
  package func createPlaylist(
    name: String, description: String? = nil
  ) async throws(RoomError) -> Playlist? {
    let body = RequestBody.Details(name: name, description: description)
    return told(try await send(.createPlaylist, body: body))
  }

  /// Renames or publishes a playlist; what is nil stays as it is.
  ///
  /// - Parameters:
  ///   - id: the playlist.
  ///   - details: what is to change.
  /// - Throws: `RoomError`.
  package func editPlaylist(
    _ id: PlaylistID, _ details: RequestBody.Details
  ) async throws(RoomError) {
    _ = try await send(.editPlaylist(id), body: details)
  }

  /// Deletes a playlist.
  ///
  /// - Parameter id: the playlist.
  /// - Throws: `RoomError`.
  package func deletePlaylist(_ id: PlaylistID) async throws(RoomError) {
    _ = try await send(.deletePlaylist(id))
  }

  /// Changes a playlist's tracks, in the forms in which a queue is changed.
  ///
  /// - Parameters:
  ///   - edit: one form of change; positions count from 0.
  ///   - id: the playlist.
  /// - Throws: `RoomError`.
  package func editTracks(_ edit: QueueEdit, of id: PlaylistID) async throws(RoomError) {
    _ = try await send(.editPlaylistTracks(id), body: edit)
  }

  /// Makes a playlist's share token, by which everyone may read it.
  ///
  /// - Parameter id: the playlist.
  /// - Returns: the token; where the answer has none, the one the playlist shows afterwards.
  /// - Throws: `RoomError`.
  package func sharePlaylist(_ id: PlaylistID) async throws(RoomError) -> String? {
    let answer: ShareAnswer? = told(try await send(.sharePlaylist(id)))
    if let token = answer?.token { return token }
    return try await playlist(id).shareToken
  }

  /// Takes a playlist's share token away.
  ///
  /// - Parameter id: the playlist.
  /// - Throws: `RoomError`.
  package func unsharePlaylist(_ id: PlaylistID) async throws(RoomError) {
    _ = try await send(.unsharePlaylist(id))
  }

  /// Reads a playlist by its share token.
  ///
  /// - Parameter token: what `sharePlaylist` gave its owner.
  /// - Returns: the playlist.
  /// - Throws: `RoomError`.
  package func sharedPlaylist(token: String) async throws(RoomError) -> Playlist {
    let route = Route.sharedPlaylist(token: token)
    return try decode(try await send(route), route)
  }

  /// Copies a playlist, by its share token, to one's own.
  ///
  /// - Parameter token: what `sharePlaylist` gave its owner.
  /// - Returns: the copy as the server tells it; nil where the answer does not (read the list).
  /// - Throws: `RoomError`.
  package func copySharedPlaylist(token: String) async throws(RoomError) -> Playlist? {
    told(try await send(.copySharedPlaylist(token: token)))
  }
}
