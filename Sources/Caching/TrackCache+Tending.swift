import Glibc
package import RoomProtocol
import Storage

/// What people do with a cache beside filling it. Where there is none, nothing is made.
extension TrackCache {
  /// The tracks of a server that are whole and here, for marks in lists: one look into the index.
  ///
  /// - Parameter server: the server's base URL.
  /// - Returns: their ids; none where there is no cache.
  /// - Throws: `SQLiteError`, `MigrationError` or `FileError` where there is one that can't be read.
  package func keptIDs(server: String) throws -> Set<TrackID> {
    try existingIndex()?.ids(server: server) ?? []
  }

  /// What is here: whole tracks, what was used last first, then parts.
  ///
  /// - Parameter server: one server's base URL; nil for all.
  /// - Returns: a row a track; a track whose file is gone has none.
  /// - Throws: as `keptIDs`.
  package func list(server: String? = nil) throws -> [CacheRow] {
    guard let index = try existingIndex() else { return [] }
    let names = Set((try? Folder.names(in: folder.tracks)) ?? [])
    let rows = try index.rows(server: server)
    return rows.filter { names.contains($0.digest) }.map(cacheRow)
  }

  /// What is here of one track.
  ///
  /// - Parameters:
  ///   - id: the track.
  ///   - server: the server's base URL.
  /// - Returns: nil where nothing is.
  /// - Throws: as `keptIDs`.
  package func row(of id: TrackID, server: String) throws -> CacheRow? {
    guard let index = try existingIndex(),
      let row = try index.row(of: TrackKey(server: server, track: id)),
      (try? folder.open(row.digest)) != nil
    else { return nil }
    return cacheRow(row)
  }

  /// Pins a track, so that it never goes by itself; also one that is not here yet.
  ///
  /// - Parameters:
  ///   - id: the track.
  ///   - server: the server's base URL.
  /// - Throws: as `keptIDs`; `FileError` where there is no cache and none can be made.
  package func pin(_ id: TrackID, server: String) async throws {
    if try existingIndex() == nil { try folder.create() }
    try await patiently {
      try existingIndex()?.setPin(true, of: TrackKey(server: server, track: id))
    }
  }

  /// Takes a pin away.
  ///
  /// - Parameters:
  ///   - id: the track.
  ///   - server: the server's base URL.
  /// - Throws: as `keptIDs`.
  package func unpin(_ id: TrackID, server: String) async throws {
    try await patiently {
      try existingIndex()?.setPin(false, of: TrackKey(server: server, track: id))
    }
  }

  /// What the cache has done, and what is in it.
  ///
  /// - Returns: the figures; all 0 where there is no cache.
  /// - Throws: as `keptIDs`.
  package func stats() throws -> CacheStats {
    let files = try existingIndex()?.files() ?? []
    return CacheStats(
      servers: try existingIndex()?.traffic() ?? [], files: files.count,
      bytes: files.reduce(0) { $0 + $1.bytes }, parts: 0, partBytes: 0,
      quarantined: leftOvers().count)
  }

  /// How full the cache is, and what still fits.
  ///
  /// - Returns: the figures of this moment; other processes write too.
  /// - Throws: as `keptIDs`.
  package func room() throws -> CacheRoom {
    let limiter = try limiter()
    return CacheRoom(
      limit: limits.maxSize, used: limiter.used, free: limiter.free, reserve: limiter.reserve,
      left: max(0, limiter.left), leftAtMost: max(0, limiter.leftAtMost))
  }

  /// A row of the index as others see it.
  func cacheRow(_ row: CacheIndex.Row) -> CacheRow {
    CacheRow(
      id: row.key.track, server: row.key.server, state: .complete, bytes: row.bytes,
      expected: row.bytes, digest: row.digest, path: folder.file(of: row.digest),
      contentType: row.contentType, fetched: row.fetched, lastUsed: row.lastUsed,
      isPinned: row.isPinned, isVerified: row.isVerified)
  }
}
