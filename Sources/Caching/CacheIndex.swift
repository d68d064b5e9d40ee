import RoomProtocol
import Storage

/// What the cache knows of its files, in SQLite.
///
/// Threading: belongs to the cache's actor.
final class CacheIndex {
  /// One kept track.
  struct Row: Equatable {
    var key: TrackKey
    var bytes: Int64
    /// Our own SHA-256 of the whole file, which names it.
    var digest: String
    var contentType: String?
    var isVerified: Bool
    /// Seconds since 1970.
    var fetched: Double
    /// Seconds since 1970.
    var lastUsed: Double
  }

  private static let schema = [
    Migration(
      """
      CREATE TABLE track (
        server TEXT NOT NULL,
        id TEXT NOT NULL,
        bytes INTEGER NOT NULL,
        digest TEXT NOT NULL,
        content_type TEXT,
        verified INTEGER NOT NULL,
        fetched REAL NOT NULL,
        last_used REAL NOT NULL,
        PRIMARY KEY (server, id)
      ) WITHOUT ROWID;
      CREATE INDEX track_by_digest ON track (digest);
      CREATE INDEX track_by_use ON track (last_used);
      """)
  ]

  private let database: SQLiteConnection

  init(path: String) throws {
    database = try SQLiteConnection(path: path, migrations: Self.schema)
  }

  /// The row of a track.
  func row(of key: TrackKey) throws -> Row? {
    try database.rows(
      """
      SELECT bytes, digest, content_type, verified, fetched, last_used FROM track
      WHERE server = ? AND id = ?
      """, key.server, key.track.rawValue
    ) { row in
      Row(
        key: key, bytes: row.integer(0) ?? 0, digest: row.text(1) ?? "", contentType: row.text(2),
        isVerified: row.integer(3) == 1, fetched: row.real(4) ?? 0, lastUsed: row.real(5) ?? 0)
    }.first
  }

  /// Enters a track, in the place of what was known of it.
  func enter(_ row: Row) throws {
    try database.run(
      """
      INSERT OR REPLACE INTO track
        (server, id, bytes, digest, content_type, verified, fetched, last_used)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      row.key.server, row.key.track.rawValue, row.bytes, row.digest, row.contentType,
      row.isVerified, row.fetched, row.lastUsed)
  }

  /// Notes that a track was used.
  func touch(_ key: TrackKey, at time: Double) throws {
    try database.run(
      "UPDATE track SET last_used = ? WHERE server = ? AND id = ?",
      time, key.server, key.track.rawValue)
  }

  /// Forgets a track.
  func remove(_ key: TrackKey) throws {
    try database.run(
      "DELETE FROM track WHERE server = ? AND id = ?", key.server, key.track.rawValue)
  }

  /// The digests of all files that are in use.
  func digests() throws -> Set<String> {
    Set(try database.rows("SELECT DISTINCT digest FROM track") { $0.text(0) ?? "" })
  }
}

/// What a track is known by: an id proves only the first 64 KB, so one server must not speak for
/// another's tracks.
struct TrackKey: Hashable, Sendable {
  var server: String
  var track: TrackID
}
