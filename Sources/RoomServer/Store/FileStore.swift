import RoomProtocol
import Storage

/// What the last scans found in the music folder, so that a file is read once.
///
/// Threading: service thread; a batch is one transaction.
final class FileStore {
  private let database: SQLiteConnection

  init(database: SQLiteConnection) {
    self.database = database
  }

  /// All files, by their relative paths.
  ///
  /// - Throws: `SQLiteError`.
  func all() throws -> [String: ScannedFile] {
    let files = try database.rows(
      """
      SELECT path, size, modified, track, title, artist, album, duration, gain, peak FROM file
      """
    ) { row in
      let path = row.text(0) ?? ""
      return ScannedFile(
        path: path, size: row.integer(1) ?? 0, modified: row.integer(2) ?? 0,
        track: Track(
          id: TrackID(row.text(3) ?? ""), filename: path, title: row.text(4),
          artist: row.text(5), album: row.text(6), duration: row.real(7),
          replayGainDB: row.real(8), replayPeak: row.real(9)))
    }
    return Dictionary(files.map { ($0.path, $0) }) { first, _ in first }
  }

  /// Writes new and changed files.
  ///
  /// - Throws: `SQLiteError`.
  func save(_ files: [ScannedFile]) throws {
    try database.transaction {
      for file in files {
        try database.run(
          """
          INSERT OR REPLACE INTO file (path, size, modified, track, title, artist, album, duration,
            gain, peak) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """, file.path, file.size, file.modified, file.track.id.rawValue, file.track.title,
          file.track.artist, file.track.album, file.track.duration, file.track.replayGainDB,
          file.track.replayPeak)
      }
    }
  }

  /// Forgets files that are gone.
  ///
  /// - Throws: `SQLiteError`.
  func delete(_ paths: some Sequence<String>) throws {
    try database.transaction {
      for path in paths { try database.run("DELETE FROM file WHERE path = ?", path) }
    }
  }
}
