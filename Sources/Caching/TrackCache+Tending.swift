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
    try withIndex { try $0.ids(server: server) } ?? []
  }

  /// What is here: whole tracks, what was used last first, then parts.
  ///
  /// - Parameter server: one server's base URL; nil for all.
  /// - Returns: a row a track; a track whose file is gone has none.
  /// - Throws: as `keptIDs`.
  package func list(server: String? = nil) throws -> [CacheRow] {
    let rows = try withIndex { try $0.rows(server: server) } ?? []
    let names = Set((try? Folder.names(in: folder.tracks)) ?? [])
    let whole = rows.filter { names.contains($0.digest) }.map(cacheRow)
    let known = Set(rows.map(\.key))
    let pins = try withIndex { try $0.pins() } ?? []
    let parts = try parts().filter { part in
      !known.contains(part.key) && (server == nil || part.key.server == server)
    }
    return whole + parts.map { cacheRow($0, isPinned: pins.contains($0.key)) }
  }

  /// What is here of one track.
  ///
  /// - Parameters:
  ///   - id: the track.
  ///   - server: the server's base URL.
  /// - Returns: nil where nothing is.
  /// - Throws: as `keptIDs`.
  package func row(of id: TrackID, server: String) throws -> CacheRow? {
    let key = TrackKey(server: server, track: id)
    let row = try withIndex { try $0.row(of: key) } ?? nil
    if let row, (try? folder.open(row.digest)) != nil { return cacheRow(row) }
    guard let part = PartFile.listing(of: key, in: folder.parts) else { return nil }
    return cacheRow(part, isPinned: try withIndex { try $0.pins().contains(key) } ?? false)
  }

  /// Pins a track, so that it never goes by itself; also one that is not here yet.
  ///
  /// - Parameters:
  ///   - id: the track.
  ///   - server: the server's base URL.
  /// - Throws: as `keptIDs`; `FileError` where there is no cache and none can be made.
  package func pin(_ id: TrackID, server: String) async throws {
    if try access.existing() == nil { try folder.create() }
    try await setPin(true, of: TrackKey(server: server, track: id))
  }

  /// Notes that tracks are used now, so that others go before them; what is not here is left out.
  ///
  /// - Parameters:
  ///   - ids: the tracks.
  ///   - server: the server's base URL.
  /// - Throws: as `keptIDs`.
  package func touch(_ ids: [TrackID], server: String) async throws {
    try await patiently { index in
      try index.database.transaction {
        for id in ids { try index.touch(TrackKey(server: server, track: id), at: wallTime()) }
      }
    }
  }

  /// Takes a pin away.
  ///
  /// - Parameters:
  ///   - id: the track.
  ///   - server: the server's base URL.
  /// - Throws: as `keptIDs`.
  package func unpin(_ id: TrackID, server: String) async throws {
    try await setPin(false, of: TrackKey(server: server, track: id))
  }

  private func setPin(_ isPinned: Bool, of key: TrackKey) async throws {
    _ = try await patiently { try $0.setPin(isPinned, of: key) }
  }

  /// What the cache has done, and what is in it.
  ///
  /// - Returns: the figures; all 0 where there is no cache.
  /// - Throws: as `keptIDs`.
  package func stats() throws -> CacheStats {
    let files = try withIndex { try $0.files() } ?? []
    let parts = try parts()
    return CacheStats(
      servers: try withIndex { try $0.traffic() } ?? [], files: files.count,
      bytes: files.reduce(0) { $0 + $1.bytes }, parts: parts.count,
      partBytes: parts.reduce(0) { $0 + $1.bytes }, quarantined: quarantined().count)
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
      ranges: ByteRanges(0..<max(0, row.bytes)), expected: row.bytes, digest: row.digest,
      path: folder.file(of: row.digest),
      contentType: row.contentType, fetched: row.fetched, lastUsed: row.lastUsed,
      isPinned: row.isPinned, isVerified: row.isVerified)
  }

  /// A part as others see it.
  func cacheRow(_ part: PartFile.Listing, isPinned: Bool) -> CacheRow {
    CacheRow(
      id: part.key.track, server: part.key.server,
      state: part.isBusy ? .downloading : .incomplete, bytes: part.bytes,
      ranges: part.ranges, expected: part.expected,
      lastUsed: part.changed, isPinned: isPinned, isVerified: false)
  }
}
