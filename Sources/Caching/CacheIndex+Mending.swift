import Glibc
import RoomProtocol
import Storage

/// What became of a damaged index.
package struct CacheMending: Sendable, Equatable {
  /// Tracks that could be read of it and whose files are there.
  package var tracks: Int
  /// Where it is now; nil where another process had mended it by then.
  package var setAside: String?
}

extension CacheIndex {
  /// Sets a damaged index aside and makes a new one of what can be read of it and has its file.
  ///
  /// One process does it, under a lock of its own; the others find it done.
  ///
  /// - Parameter folder: the cache's folder; no connection of ours to its index may be open.
  /// - Returns: the index, and what became of the old one.
  /// - Throws: `FileError`, `SQLiteError`, `MigrationError`.
  static func mended(in folder: CacheFolder) throws -> (CacheIndex, CacheMending) {
    let lock = try FileLock(waitingFor: folder.indexLock)
    defer { withExtendedLifetime(lock) {} }
    if let index = try? CacheIndex(path: folder.index), index.isWhole {
      return (index, CacheMending(tracks: try index.rows(server: nil).count))
    }
    // A disk that gives nothing back just now says nothing of what is on it.
    _ = try OpenFile(folder.index).readAll(limit: .max)
    let salvage = Salvage(of: folder.index)
    let aside = "\(folder.index).damaged"
    for suffix in ["-wal", "-shm", ""] {
      if rename(folder.index + suffix, aside + suffix) != 0 { unlink(aside + suffix) }
    }
    try SecretFile.prepare(folder.index)
    let index = try CacheIndex(path: folder.index)
    let rows = salvage.rows.values.filter { row in
      (try? folder.open(row.digest).length()) == row.bytes
    }
    try index.database.transaction {
      for row in rows { try index.enter(row) }
      for key in salvage.pins { try index.setPin(true, of: key) }
      for traffic in salvage.traffic { try index.count(traffic) }
    }
    return (index, CacheMending(tracks: rows.count, setAside: aside))
  }

  /// Whether SQLite finds nothing wrong in the whole file.
  private var isWhole: Bool {
    (try? database.rows("PRAGMA quick_check(1)") { $0.text(0) }) == ["ok"]
  }

  /// What can still be read of a damaged file.
  private struct Salvage {
    var rows: [TrackKey: Row] = [:]
    var pins: Set<TrackKey> = []
    var traffic: [CacheTraffic] = []

    init(of path: String) {
      guard let database = try? SQLiteConnection(path: path) else { return }
      // From both ends, as reading stops at the first page that is wrong.
      for order in ["", "ORDER BY server DESC, id DESC"] {
        read("SELECT \(columnsOfFirstSchema) FROM track \(order)", of: database) { row in
          let row = CacheIndex.row(row)
          if Hex.bytes(row.digest)?.count == 32 { rows[row.key] = row }
        }
        read("SELECT server, id FROM pin \(order)", of: database) { row in
          pins.insert(
            TrackKey(server: row.text(0) ?? "", track: TrackID(row.text(1) ?? "")))
        }
      }
      read("SELECT server, hits, misses, saved, fetched FROM traffic", of: database) { row in
        traffic.append(
          CacheTraffic(
            server: row.text(0) ?? "", hits: row.integer(1) ?? 0, misses: row.integer(2) ?? 0,
            bytesSaved: row.integer(3) ?? 0, bytesFetched: row.integer(4) ?? 0))
      }
    }

    private func read(
      _ sql: String, of database: SQLiteConnection, _ take: (SQLiteStatement) -> Void
    ) {
      guard let statement = try? database.prepare(sql) else { return }
      while (try? statement.step()) == true { take(statement) }
      statement.reset()
    }
  }
}

/// The columns of `CacheIndex.row` as a file of any schema has them.
private let columnsOfFirstSchema =
  "server, id, bytes, digest, content_type, verified, fetched, last_used, 0"
