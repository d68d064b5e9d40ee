import Glibc
package import RoomProtocol
import Storage

extension TrackCache {
  /// Removes what is of no use any more, then as much as the limit or `size` asks for.
  ///
  /// Pinned tracks and those in use stay. It works on a full disk too.
  ///
  /// - Parameter size: what the cache may take afterwards, in bytes; nil for its limit.
  /// - Returns: what went.
  /// - Throws: `SQLiteError`, `MigrationError` or `FileError` where the cache can't be read, or what
  ///   should go can't be removed.
  package func prune(to size: Int64? = nil) async throws -> CachePruning {
    access.beginFreeing()
    defer { access.endFreeing() }
    var pruning = CachePruning()
    guard try await patiently({ try sweep($0) }) != nil else { return pruning }
    let before = try rowsByPath()
    var inUse: Set<String> = []
    var failure: FileError?
    while true {
      var limiter = try limiter(sparing: inUse)
      if let size {
        // Others may have filled the disk: that is no reason to go below what was asked for.
        (limiter.maxSize, limiter.reserve) = (size, 0)
      }
      let plan = limiter.plan(for: 0)
      let expired = limiter.expired(at: wallTime())
      let victims = expired.isEmpty ? plan.victims : expired
      if victims.isEmpty {
        pruning.used = limiter.used
        pruning.over = max(0, limiter.used -| limiter.maxSize)
        if let failure, plan.missing > 0 { throw failure }
        return pruning
      }
      let (stuck, reason) = try await patiently { try evict(victims, of: $0) } ?? ([], nil)
      inUse.formUnion(stuck)
      failure = failure ?? reason
      for victim in victims where !stuck.contains(victim.path) {
        pruning.freed += victim.bytes
        pruning.removed += before[victim.path, default: []]
      }
    }
  }

  /// Removes a track by name, pinned or not, or what is there of it.
  ///
  /// - Parameters:
  ///   - id: the track.
  ///   - server: the server's base URL.
  /// - Returns: what became of it.
  /// - Throws: as `prune`.
  package func remove(_ id: TrackID, server: String) async throws -> CacheRemoval {
    let key = TrackKey(server: server, track: id)
    access.beginFreeing()
    defer { access.endFreeing() }
    return try await patiently { try remove(key, of: $0) } ?? .notHere
  }

  private func rowsByPath() throws -> [String: [CacheRow]] {
    var rows = Dictionary(grouping: try list().filter { $0.path != nil }) { $0.path ?? "" }
    for part in try parts() { rows[part.path] = [cacheRow(part, isPinned: false)] }
    return rows
  }

  private func remove(_ key: TrackKey, of index: CacheIndex) throws -> CacheRemoval {
    var removal = CacheRemoval.notHere
    if let part = PartFile.listing(of: key, in: folder.parts) {
      guard PartFile.remove(part.path) else { return .inUse }
      removal = .removed(bytes: part.bytes)
    }
    return try index.database.transaction {
      if let row = try index.row(of: key) {
        let isShared = try index.rows(of: row.digest).count > 1
        // Room first: on a full disk the index can't be written before.
        guard try isShared || removeFile(folder.file(of: row.digest)) else { return .inUse }
        try index.remove(row)
        removal = .removed(bytes: isShared ? 0 : row.bytes)
      }
      if removal != .notHere { try index.setPin(false, of: key) }
      return removal
    }
  }
}

// MARK: - Removing files

extension TrackCache {
  /// Removes files and what the index says of them, but for those that are in use or pinned by now.
  ///
  /// - Returns: the paths of those and of what can't be removed, and why it can't.
  func evict(
    _ victims: [CacheLimiter.Item], of index: CacheIndex
  ) throws -> (stuck: Set<String>, failure: FileError?) {
    var stuck: Set<String> = []
    var failure: FileError?
    // Each transaction waits for the disk, and holds up who finishes a track.
    for start in stride(from: 0, to: victims.count, by: Self.batch) {
      try index.database.transaction {
        for victim in victims[start..<min(start + Self.batch, victims.count)] {
          do {
            if try !evict(victim, of: index) { stuck.insert(victim.path) }
          } catch let error as FileError {
            stuck.insert(victim.path)
            failure = failure ?? error
          }
        }
      }
    }
    return (stuck, failure)
  }

  private static let batch = 64

  private func evict(_ victim: CacheLimiter.Item, of index: CacheIndex) throws -> Bool {
    if victim.isLeftOver {
      let isPart = victim.path.hasPrefix("\(folder.parts)/")
      return try isPart ? PartFile.remove(victim.path) : removeFile(victim.path)
    }
    let digest = String(victim.path.dropFirst(folder.tracks.utf8.count + 1))
    // Room first: on a full disk the index can't be written before.
    guard try !index.rows(of: digest).contains(where: \.isPinned), try removeFile(victim.path)
    else {
      return false
    }
    try index.remove(digest: digest)
    return true
  }

  /// Removes a file that nobody uses.
  ///
  /// - Returns: whether it is gone.
  /// - Throws: `FileError` where the system refuses.
  func removeFile(_ path: String) throws(FileError) -> Bool {
    var file: OpenFile?
    do throws(FileError) {
      file = try OpenFile(path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    } catch {
      // A link or the like that somebody has put there goes as well.
      guard [ENOENT, ELOOP, ENXIO].contains(error.code) else { throw error }
    }
    guard try file?.lock(waiting: false) != false else { return false }
    if unlink(path) == 0 || errno == ENOENT { return true }
    // Nor is a folder ours.
    guard errno != EISDIR else { return false }
    throw FileError(operation: "unlink", path: path, code: errno)
  }

  /// Removes what a killed process has left: files that nothing refers to, rows whose files are
  /// gone, parts that say nothing or were entered already.
  func sweep(_ index: CacheIndex) throws {
    folder.sweepScratch()
    try PartFile.sweep(folder.parts)
    guard try !Remains(of: index, in: folder).isEmpty else { return }
    // Looked at again where nobody can enter any: who finishes a track gives its name under this lock.
    try index.database.transaction {
      let remains = try Remains(of: index, in: folder)
      for name in remains.files { _ = try? removeFile("\(folder.tracks)/\(name)") }
      for digest in remains.digests { try index.remove(digest: digest) }
      for part in remains.parts { _ = PartFile.remove(part) }
    }
  }
}

/// What in a cache's folder and index refers to nothing.
private struct Remains {
  /// Names of files without a row.
  var files: [String]
  /// Digests of rows without a file.
  var digests: [String]
  /// Paths of parts whose tracks are here, whole.
  var parts: [String]

  var isEmpty: Bool { files.isEmpty && digests.isEmpty && parts.isEmpty }

  init(of index: CacheIndex, in folder: CacheFolder) throws {
    let known = try index.digests()
    let names = try Folder.names(in: folder.tracks)
    files = names.filter { !known.contains($0) && CacheFolder.isOurs($0) }
    digests = known.subtracting(names).sorted()
    parts = try PartFile.list(in: folder.parts).filter { part in
      guard !part.isBusy, let row = try index.row(of: part.key) else { return false }
      return names.contains(row.digest)
    }.map(\.path)
  }
}
