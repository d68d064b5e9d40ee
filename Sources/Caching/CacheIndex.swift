import Glibc
import RoomProtocol
import Storage

/// What the cache knows of its finished files, in SQLite.
///
/// Pins stand apart from the tracks: they outlive a file that is fetched anew, and a program of the
/// first schema, which replaces whole rows.
///
/// Threading: belongs to the cache's actor.
final class CacheIndex {
  /// One kept track.
  struct Row: Equatable, Sendable {
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
    var isPinned = false
  }

  /// A file that tracks stand for.
  struct File: Equatable {
    var digest: String
    var bytes: Int64
    /// When any of its tracks was last used; seconds since 1970.
    var lastUsed: Double
    /// Whether any of its tracks is.
    var isPinned: Bool
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
      """),
    Migration(
      """
      CREATE TABLE pin (
        server TEXT NOT NULL,
        id TEXT NOT NULL,
        PRIMARY KEY (server, id)
      ) WITHOUT ROWID;
      CREATE TABLE traffic (
        server TEXT PRIMARY KEY,
        hits INTEGER NOT NULL,
        misses INTEGER NOT NULL,
        saved INTEGER NOT NULL,
        fetched INTEGER NOT NULL
      ) WITHOUT ROWID;
      DROP INDEX track_by_use;
      DROP INDEX track_by_digest;
      CREATE INDEX track_by_file ON track (digest, bytes);
      """),
  ]

  let database: SQLiteConnection
  /// Whether all others are shut out.
  let isAlone: Bool
  /// The file as it was when it was opened.
  private let opened: stat

  /// Opens the file, making it where it is missing.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - isAlone: whether all others are shut out, which needs no room for what processes share.
  /// - Throws: `SQLiteError`; `MigrationError` where a newer program has written it.
  init(path: String, isAlone: Bool = false) throws {
    self.isAlone = isAlone
    database = try SQLiteConnection(
      path: path, migrations: Self.schema, busyTimeout: .seconds(1), isAlone: isAlone)
    // What is reported as kept stands after a power cut too.
    try database.execute("PRAGMA synchronous = FULL")
    var status = stat()
    lstat(path, &status)
    opened = status
  }

  /// Whether its path still names this very file: not after somebody has removed the cache, or
  /// another process has set a damaged index aside.
  var isInPlace: Bool {
    var status = stat()
    return lstat(database.path, &status) == 0 && status.st_ino == opened.st_ino
      && status.st_dev == opened.st_dev
  }

  // MARK: - Looking up

  private static let columns = """
    track.server, track.id, bytes, digest, content_type, verified, fetched, last_used,
    pin.id IS NOT NULL
    FROM track LEFT JOIN pin ON pin.server = track.server AND pin.id = track.id
    """

  /// A row of `columns`.
  static func row(_ row: SQLiteStatement) -> Row {
    Row(
      key: TrackKey(server: row.text(0) ?? "", track: TrackID(row.text(1) ?? "")),
      bytes: row.integer(2) ?? 0, digest: row.text(3) ?? "", contentType: row.text(4),
      isVerified: row.integer(5) == 1, fetched: row.real(6) ?? 0, lastUsed: row.real(7) ?? 0,
      isPinned: row.integer(8) == 1)
  }

  /// The row of a track.
  func row(of key: TrackKey) throws -> Row? {
    try database.rows(
      "SELECT \(Self.columns) WHERE track.server = ? AND track.id = ?",
      key.server, key.track.rawValue, read: Self.row
    ).first
  }

  /// All rows, or one server's: what was used last comes first.
  func rows(server: String?) throws -> [Row] {
    let order = "ORDER BY last_used DESC, track.server, track.id"
    guard let server else {
      return try database.rows("SELECT \(Self.columns) \(order)", read: Self.row)
    }
    return try database.rows(
      "SELECT \(Self.columns) WHERE track.server = ? \(order)", server, read: Self.row)
  }

  /// The rows that a file stands for.
  func rows(of digest: String) throws -> [Row] {
    try database.rows(
      "SELECT \(Self.columns) WHERE digest = ? ORDER BY track.server, track.id", digest,
      read: Self.row)
  }

  /// The tracks that are kept of a server.
  func ids(server: String) throws -> Set<TrackID> {
    Set(
      try database.rows("SELECT id FROM track WHERE server = ?", server) {
        TrackID($0.text(0) ?? "")
      })
  }

  /// The digests of all files that are in use.
  func digests() throws -> Set<String> {
    Set(try database.rows("SELECT DISTINCT digest FROM track") { $0.text(0) ?? "" })
  }

  /// All files.
  func files() throws -> [File] {
    try database.rows(
      """
      SELECT digest, max(bytes), max(last_used), max(pin.id IS NOT NULL)
      FROM track LEFT JOIN pin ON pin.server = track.server AND pin.id = track.id
      GROUP BY digest
      """
    ) { row in
      File(
        digest: row.text(0) ?? "", bytes: row.integer(1) ?? 0, lastUsed: row.real(2) ?? 0,
        isPinned: row.integer(3) == 1)
    }
  }

  /// What all files take.
  func bytes() throws -> Int64 {
    try database.rows(
      "SELECT sum(bytes) FROM (SELECT max(bytes) AS bytes FROM track GROUP BY digest)"
    ) { $0.integer(0) ?? 0 }.first ?? 0
  }

  // MARK: - Changing

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

  /// Forgets a track, but not another file that it has come to stand for meanwhile.
  func remove(_ row: Row) throws {
    try database.run(
      "DELETE FROM track WHERE server = ? AND id = ? AND digest = ?",
      row.key.server, row.key.track.rawValue, row.digest)
  }

  /// Forgets all tracks that a file stands for.
  func remove(digest: String) throws {
    try database.run("DELETE FROM track WHERE digest = ?", digest)
  }

  // MARK: - Pins and counts

  /// The tracks that are pinned, here or not.
  func pins() throws -> Set<TrackKey> {
    Set(
      try database.rows("SELECT server, id FROM pin") {
        TrackKey(server: $0.text(0) ?? "", track: TrackID($0.text(1) ?? ""))
      })
  }

  /// Pins a track, or unpins it.
  func setPin(_ isPinned: Bool, of key: TrackKey) throws {
    let sql =
      isPinned
      ? "INSERT OR IGNORE INTO pin (server, id) VALUES (?, ?)"
      : "DELETE FROM pin WHERE server = ? AND id = ?"
    try database.run(sql, key.server, key.track.rawValue)
  }

  /// Adds to a server's counts.
  func count(_ more: CacheTraffic) throws {
    try database.run(
      """
      INSERT INTO traffic (server, hits, misses, saved, fetched) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (server) DO UPDATE SET
        hits = hits + excluded.hits, misses = misses + excluded.misses,
        saved = saved + excluded.saved, fetched = fetched + excluded.fetched
      """,
      more.server, more.hits, more.misses, more.bytesSaved, more.bytesFetched)
  }

  /// All servers' counts, in the order of their addresses.
  func traffic() throws -> [CacheTraffic] {
    try database.rows(
      """
      SELECT server, coalesce(hits, 0), coalesce(misses, 0), coalesce(saved, 0),
        coalesce(traffic.fetched, 0), count(id), coalesce(sum(bytes), 0)
      FROM (SELECT server FROM traffic UNION SELECT server FROM track)
      LEFT JOIN traffic USING (server) LEFT JOIN track USING (server)
      GROUP BY server ORDER BY server
      """
    ) { row in
      CacheTraffic(
        server: row.text(0) ?? "", hits: row.integer(1) ?? 0, misses: row.integer(2) ?? 0,
        bytesSaved: row.integer(3) ?? 0, bytesFetched: row.integer(4) ?? 0,
        tracks: row.integer(5) ?? 0, bytes: row.integer(6) ?? 0)
    }
  }
}

/// What a track is known by: an id proves only the first 64 KB, so one server must not speak for
/// another's tracks.
struct TrackKey: Hashable, Sendable {
  var server: String
  var track: TrackID
}
