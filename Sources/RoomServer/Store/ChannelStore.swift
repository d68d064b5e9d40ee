import RoomProtocol
import Storage

/// A channel as it is kept between two runs of the server.
struct StoredChannel: Equatable {
  var id: ChannelID
  var name: String
  var description = ""
  var isDefault = false
  var createdBy: Int?
  var mode = PlaybackMode.repeatAll
  var tracks: [TrackID] = []
  var currentIndex = 0
  var isPaused = false
  /// In milliseconds.
  var position: Int64 = 0
}

/// The channels in the database.
///
/// Threading: service thread; each call is a short statement.
final class ChannelStore {
  private let database: SQLiteConnection

  init(database: SQLiteConnection) {
    self.database = database
  }

  /// All channels, the default one first, then by name.
  ///
  /// - Throws: `SQLiteError`.
  func all() throws -> [StoredChannel] {
    try database.rows(
      """
      SELECT id, name, description, is_default, created_by, mode, tracks, current_index, paused,
        position FROM channel ORDER BY is_default DESC, name, id
      """
    ) { row in
      let tracks = row.text(6).flatMap {
        try? WireJSON.decode([TrackID].self, from: Array($0.utf8))
      }
      return StoredChannel(
        id: ChannelID(row.text(0) ?? ""), name: row.text(1) ?? "", description: row.text(2) ?? "",
        isDefault: row.integer(3) == 1, createdBy: row.integer(4).map { Int($0) },
        mode: PlaybackMode(row.text(5) ?? ""), tracks: tracks ?? [],
        currentIndex: Int(row.integer(7) ?? 0), isPaused: row.integer(8) == 1,
        position: row.integer(9) ?? 0)
    }
  }

  /// Writes a channel, new or changed.
  ///
  /// - Throws: `SQLiteError`.
  func save(_ channel: StoredChannel) throws {
    let tracks = String(decoding: try WireJSON.encode(channel.tracks), as: UTF8.self)
    try database.run(
      """
      INSERT OR REPLACE INTO channel (id, name, description, is_default, created_by, mode, tracks,
        current_index, paused, position) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, channel.id.rawValue, channel.name, channel.description, channel.isDefault,
      channel.createdBy, channel.mode.name, tracks, channel.currentIndex, channel.isPaused,
      channel.position)
  }

  /// Deletes a channel.
  ///
  /// - Throws: `SQLiteError`.
  func delete(_ id: ChannelID) throws {
    try database.run("DELETE FROM channel WHERE id = ?", id.rawValue)
  }
}
