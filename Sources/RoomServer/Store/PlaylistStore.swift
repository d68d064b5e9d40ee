import RoomProtocol
import Storage

/// The playlists in the database.
///
/// Share tokens are kept as they are: their owner is told them again.
///
/// Threading: service thread; each call is a short statement.
final class PlaylistStore {
  private let database: SQLiteConnection

  private static let columns = """
    SELECT playlist.id, name, description, owner_id, username, is_public, share_token, tracks,
      playlist.created_at, updated_at
    FROM playlist JOIN user ON user.id = owner_id
    """

  init(database: SQLiteConnection) {
    self.database = database
  }

  /// A playlist by its id.
  ///
  /// - Throws: `SQLiteError`.
  func find(_ id: PlaylistID) throws -> Playlist? {
    try database.rows("\(Self.columns) WHERE playlist.id = ?", id.rawValue, read: Self.playlist)
      .first
  }

  /// A playlist by its share token.
  ///
  /// - Throws: `SQLiteError`.
  func find(token: String) throws -> Playlist? {
    try database.rows("\(Self.columns) WHERE share_token = ?", token, read: Self.playlist).first
  }

  /// All playlists of a user, by name.
  ///
  /// - Throws: `SQLiteError`.
  func all(of owner: Int) throws -> [Playlist] {
    try database.rows(
      "\(Self.columns) WHERE owner_id = ? ORDER BY name, playlist.id", owner, read: Self.playlist)
  }

  /// The public playlists of all others, by name.
  ///
  /// - Throws: `SQLiteError`.
  func published(butOf owner: Int?) throws -> [Playlist] {
    try database.rows(
      "\(Self.columns) WHERE is_public AND owner_id IS NOT ? ORDER BY name, playlist.id", owner,
      read: Self.playlist)
  }

  /// Writes a playlist, new or changed; owner and time of making stay as they were.
  ///
  /// - Throws: `SQLiteError`.
  func save(_ playlist: Playlist) throws {
    let tracks = String(decoding: try WireJSON.encode(playlist.trackIDs), as: UTF8.self)
    try database.run(
      """
      INSERT INTO playlist (id, owner_id, name, description, is_public, share_token, tracks,
        created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET name = excluded.name, description = excluded.description,
        is_public = excluded.is_public, share_token = excluded.share_token,
        tracks = excluded.tracks, updated_at = excluded.updated_at
      """, playlist.id.rawValue, playlist.ownerID, playlist.name, playlist.description,
      playlist.isPublic, playlist.shareToken, tracks, Int64(playlist.createdAt),
      Int64(playlist.updatedAt))
  }

  /// Deletes a playlist.
  ///
  /// - Throws: `SQLiteError`.
  func delete(_ id: PlaylistID) throws {
    try database.run("DELETE FROM playlist WHERE id = ?", id.rawValue)
  }

  private static func playlist(_ row: SQLiteStatement) -> Playlist {
    let tracks = row.text(7).flatMap {
      try? WireJSON.decode([TrackID].self, from: Array($0.utf8))
    }
    return Playlist(
      id: PlaylistID(row.text(0) ?? ""), name: row.text(1) ?? "", description: row.text(2) ?? "",
      ownerID: Int(row.integer(3) ?? 0), ownerName: row.text(4), isPublic: row.integer(5) == 1,
      shareToken: row.text(6), trackIDs: tracks ?? [], createdAt: Double(row.integer(8) ?? 0),
      updatedAt: Double(row.integer(9) ?? 0))
  }
}
