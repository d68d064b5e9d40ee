/// A list of tracks that a user keeps.
package struct Playlist: Hashable, Sendable, Identifiable {
  /// Names the playlist in every operation.
  package var id: PlaylistID
  /// The name; "Playlist" where the server gave none.
  package var name: String
  /// What the playlist is for, in its owner's words.
  package var description: String
  /// The number of the user it belongs to; 0 where not said.
  package var ownerID: Int
  /// The name of the user it belongs to, nil where not said.
  package var ownerName: String?
  /// Whether everyone may see it.
  package var isPublic: Bool
  /// What others open it with, nil while it is not shared.
  package var shareToken: String?
  /// Its tracks in order; one may stand in it several times.
  package var trackIDs: [TrackID]
  /// When it was made, in the server's unit; 0 where not said.
  package var createdAt: Double
  /// When it last changed, in the server's unit; 0 where not said.
  package var updatedAt: Double

  /// Makes a playlist.
  package init(
    id: PlaylistID, name: String = "Playlist", description: String = "", ownerID: Int = 0,
    ownerName: String? = nil, isPublic: Bool = false, shareToken: String? = nil,
    trackIDs: [TrackID] = [], createdAt: Double = 0, updatedAt: Double = 0
  ) {
    self.id = id
    self.name = name
    self.description = description
    self.ownerID = ownerID
    self.ownerName = ownerName
    self.isPublic = isPublic
    self.shareToken = shareToken
    self.trackIDs = trackIDs
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }
}

extension Playlist: WireReadable, WireWritable {
  /// Reads a playlist; only an id is required.
  ///
  /// - Parameter wire: the object.
  /// - Throws: `WireError` where there is no object with an id.
  package init(wire: JSONValue) throws(WireError) {
    let fields = try WireFields(wire)
    self.init(
      id: try fields.required("id", as: PlaylistID.self),
      name: fields.text("name") ?? "Playlist",
      description: fields.text("description") ?? "",
      ownerID: fields.integer("ownerId") ?? 0,
      ownerName: fields.text("ownerName"),
      isPublic: fields.flag("isPublic") ?? false,
      shareToken: fields.text("shareToken"),
      trackIDs: fields.list("trackIds")?.elements ?? [],
      createdAt: fields.number("createdAt") ?? 0,
      updatedAt: fields.number("updatedAt") ?? 0)
  }

  /// Writes the playlist.
  package var wire: JSONValue {
    JSONValue.fields([
      "id": id,
      "name": name,
      "description": description,
      "ownerId": ownerID,
      "isPublic": isPublic,
      "shareToken": shareToken,
      "trackIds": trackIDs,
      "createdAt": createdAt,
      "updatedAt": updatedAt,
    ]).adding([
      "ownerName": ownerName
    ])
  }
}

/// The playlists one may see: one's own, and what others share.
package struct PlaylistShelf: Equatable, Sendable {
  /// One's own.
  package var mine: TolerantList<Playlist>
  /// What others share.
  package var shared: TolerantList<Playlist>

  /// Makes a shelf.
  package init(mine: [Playlist] = [], shared: [Playlist] = []) {
    self.mine = TolerantList(mine)
    self.shared = TolerantList(shared)
  }
}

extension PlaylistShelf: WireReadable, WireWritable {
  /// Reads a shelf; a missing half is empty.
  ///
  /// - Parameter wire: the object.
  /// - Throws: `WireError` where there is no object.
  package init(wire: JSONValue) throws(WireError) {
    let fields = try WireFields(wire)
    mine = fields.list("mine") ?? TolerantList([])
    shared = fields.list("shared") ?? TolerantList([])
  }

  /// Writes the shelf.
  package var wire: JSONValue {
    .fields([
      "mine": mine,
      "shared": shared,
    ])
  }
}
