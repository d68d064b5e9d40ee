import Glibc
import RoomProtocol
import Storage

/// One server's listing as SQLite holds it: the file's schema, and a row as a track.
///
/// Threading: that of its connection.
struct ListingDatabase {
  let connection: SQLiteConnection

  static let schema = [
    Migration(
      """
      CREATE TABLE listing (
        server TEXT NOT NULL,
        checked REAL NOT NULL,
        changed REAL NOT NULL,
        count INTEGER NOT NULL,
        tag TEXT
      );
      CREATE TABLE track (
        row INTEGER PRIMARY KEY,
        id NOT NULL UNIQUE,
        filename TEXT NOT NULL,
        title TEXT,
        artist TEXT,
        album TEXT,
        duration REAL,
        gain REAL,
        peak REAL,
        available INTEGER NOT NULL,
        natural TEXT NOT NULL
      );
      CREATE VIRTUAL TABLE search USING fts5 (
        title, artist, album, filename,
        content = '', columnsize = 0, tokenize = "unicode61 remove_diacritics 2"
      );
      INSERT INTO search (search, rank) VALUES ('hashsize', 8388608);
      """),
    Migration(
      """
      CREATE TABLE shelf (read REAL NOT NULL);
      CREATE TABLE playlist (
        row INTEGER PRIMARY KEY,
        mine INTEGER NOT NULL,
        text BLOB NOT NULL
      );
      """),
    // The names' keys, an order in each row, gave way to one order of all.
    Migration(
      """
      ALTER TABLE track DROP COLUMN natural;
      CREATE TABLE natural_order (places BLOB NOT NULL);
      """),
  ]

  /// Opens the file, making it where it is missing; one that is damaged is made anew, as all that is
  /// in it can be had again.
  ///
  /// - Throws: `SQLiteError`, `MigrationError`, `FileError`.
  init(path: String) throws {
    do {
      connection = try Self.connection(to: path)
    } catch let error as SQLiteError where error.isCorrupt {
      for suffix in ["", "-wal", "-shm"] { unlink("\(path)\(suffix)") }
      connection = try Self.connection(to: path)
    }
  }

  private static func connection(to path: String) throws -> SQLiteConnection {
    // What somebody keeps in playlists is nobody else's business.
    try SecretFile.prepare(path)
    let connection = try SQLiteConnection(path: path, migrations: schema)
    try connection.addPhraseColumns()
    return connection
  }

  /// When the listing was read; nil before it ever was.
  func stamp() throws -> LibraryStamp? {
    try connection.rows("SELECT checked, changed, count, tag FROM listing") { row in
      LibraryStamp(
        checked: row.real(0) ?? 0, changed: row.real(1) ?? 0, count: Int(row.integer(2) ?? 0),
        tag: row.text(3))
    }.first
  }

  /// Notes when the listing was read.
  func set(_ stamp: LibraryStamp, of server: String) throws {
    try connection.run("DELETE FROM listing")
    try connection.run(
      "INSERT INTO listing (server, checked, changed, count, tag) VALUES (?, ?, ?, ?, ?)",
      server, stamp.checked, stamp.changed, stamp.count, stamp.tag)
  }

  /// The columns that `track` reads, in its order.
  static let columns = "id, filename, title, artist, album, duration, gain, peak, available"

  /// The track of a row of `columns`.
  static func track(_ row: SQLiteStatement, from first: Int = 0) -> Track {
    Track(
      id: id(row, first), filename: row.text(first + 1) ?? "", title: row.text(first + 2),
      artist: row.text(first + 3), album: row.text(first + 4), duration: row.real(first + 5),
      replayGainDB: row.real(first + 6), replayPeak: row.real(first + 7),
      available: row.integer(first + 8) != 0)
  }

  // MARK: - Ids

  private static let prefix: StaticString = "sha256:"

  /// An id as it is stored: a hash as its 32 bytes, which makes the index half as large; any other
  /// as its text.
  static func stored(_ id: TrackID) -> any SQLiteBindable {
    var text = id.rawValue
    let bytes = text.withUTF8 { text -> [UInt8]? in
      let count = prefix.utf8CodeUnitCount
      guard text.count == count + 64, prefix.withUTF8Buffer({ text.starts(with: $0) }) else {
        return nil
      }
      let digits = UnsafeBufferPointer(rebasing: text[count...])
      // Capitals would not come back as they were.
      return digits.contains { (0x41...0x46).contains($0) } ? nil : Hex.bytes(digits)
    }
    return bytes ?? text
  }

  /// The id that a column holds.
  static func id(_ row: SQLiteStatement, _ column: Int) -> TrackID {
    row.isBlob(column)
      ? TrackID(row.withBlob(column) { Hex.string($0, after: prefix) })
      : TrackID(row.text(column) ?? "")
  }

  /// The first stored id of a hash that begins with these digits, and the first behind them all; nil
  /// where they are no digits.
  static func range(ofHash digits: String) -> (first: [UInt8], end: [UInt8])? {
    let count = digits.utf8.count
    guard count <= 64, let first = Hex.bytes(digits + String(repeating: "0", count: 64 - count)),
      let last = Hex.bytes(digits + String(repeating: "f", count: 64 - count))
    else { return nil }
    return (first, last + [0])
  }
}
