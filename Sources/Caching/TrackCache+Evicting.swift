import Glibc
package import RoomProtocol
import Storage

extension TrackCache {
  /// Makes room for bytes that are about to be kept; nothing goes in vain.
  ///
  /// - Parameters:
  ///   - bytes: how many.
  ///   - key: whose; its own part does not stand in its way.
  /// - Returns: how many are missing even so; 0 where they fit now.
  /// - Throws: `SQLiteError`, `FileError`.
  func makeRoom(for bytes: Int64, of key: TrackKey) throws -> Int64 {
    if try usage(for: key).left >= bytes { return 0 }
    var inUse: Set<String> = []
    while true {
      let plan = try limiter(sparing: inUse, for: key).plan(for: bytes)
      guard plan.missing == 0 else { return plan.missing }
      let used = plan.victims.map(\.path).filter(isInUse)
      guard used.isEmpty else {
        inUse.formUnion(used)
        continue
      }
      let stuck = try withIndex { try evict(plan.victims, of: $0) } ?? []
      if stuck.isEmpty { return 0 }
      inUse.formUnion(stuck)
    }
  }

  /// Removes what is of no use any more, then as much as the limit or `size` asks for.
  ///
  /// Pinned tracks and those in use stay. It works on a full disk too.
  ///
  /// - Parameter size: what the cache may take afterwards, in bytes; nil for its limit.
  /// - Returns: what went.
  /// - Throws: `SQLiteError`, `MigrationError` or `FileError` where the cache can't be read.
  package func prune(to size: Int64? = nil) async throws -> CachePruning {
    try await freeing { cache in
      var pruning = CachePruning()
      guard try await cache.patiently({ try cache.sweep($0) }) != nil else { return pruning }
      let before = try cache.rowsByPath()
      var inUse: Set<String> = []
      while true {
        var limiter = try cache.limiter(sparing: inUse)
        if let size { limiter.maxSize = size }
        let plan = limiter.plan(for: 0)
        let expired = limiter.expired(at: wallTime())
        let victims = expired.isEmpty ? plan.victims : expired
        if victims.isEmpty {
          pruning.used = limiter.used
          pruning.over = plan.missing
          return pruning
        }
        let stuck = try await cache.patiently { try cache.evict(victims, of: $0) } ?? []
        inUse.formUnion(stuck)
        for victim in victims where !stuck.contains(victim.path) {
          pruning.freed += victim.bytes
          pruning.removed += before[victim.path, default: []]
        }
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
    return try await freeing { cache in
      try await cache.patiently { try cache.remove(key, of: $0) } ?? .notHere
    }
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
        guard isShared || removeFile(folder.file(of: row.digest)) else { return .inUse }
        try index.remove(key)
        removal = .removed(bytes: isShared ? 0 : row.bytes)
      }
      if removal != .notHere { try index.setPin(false, of: key) }
      return removal
    }
  }
}

// MARK: - The rule's facts

extension TrackCache {
  /// How full the cache is, without a look at what could go.
  private func usage(for key: TrackKey) throws -> CacheLimiter {
    var limiter = try emptyLimiter()
    limiter.fixed = try withIndex { try $0.bytes() } ?? 0
    for part in try parts() { limiter.count(part, isOwn: part.key == key) }
    limiter.fixed = quarantined().reduce(limiter.fixed) { $0 +| $1.bytes }
    return limiter
  }

  /// The rule over what is on the disk now.
  ///
  /// - Parameters:
  ///   - inUse: paths that must stay.
  ///   - key: whose own part takes no room from it; nil for none.
  /// - Returns: the rule with its facts; empty where there is no cache.
  /// - Throws: as `prune`.
  func limiter(
    sparing inUse: Set<String> = [], for key: TrackKey? = nil
  ) throws -> CacheLimiter {
    var limiter = try emptyLimiter()
    guard try existingIndex() != nil else { return limiter }
    var kept = inUse
    if !spared.isEmpty {
      for row in try withIndex({ try $0.rows(server: nil) }) ?? [] where spared.contains(row.key) {
        kept.insert(folder.file(of: row.digest))
      }
    }
    limiter.items = try (withIndex { try $0.files() } ?? []).map { file in
      let path = folder.file(of: file.digest)
      return CacheLimiter.Item(
        path: path, bytes: file.bytes, lastUsed: file.lastUsed,
        isSpared: file.isPinned || kept.contains(path))
    }
    let pins = try withIndex { try $0.pins() } ?? []
    for part in try parts() {
      guard !part.isBusy else {
        limiter.count(part, isOwn: part.key == key)
        continue
      }
      limiter.items.append(
        CacheLimiter.Item(
          path: part.path, bytes: part.bytes, lastUsed: part.changed, isLeftOver: true,
          isSpared: pins.contains(part.key) || spared.contains(part.key)
            || kept.contains(part.path)))
    }
    limiter.items += quarantined().filter { !kept.contains($0.path) }
    return limiter
  }

  private func emptyLimiter() throws -> CacheLimiter {
    let disk = (try? folder.disk()) ?? (free: 0, total: 0)
    return CacheLimiter(
      maxSize: limits.maxSize, reserve: limits.reserve(ofDisk: disk.total), free: disk.free)
  }

  /// Downloads that are not whole, running or not.
  func parts() throws -> [PartFile.Listing] {
    var status = stat()
    guard lstat(folder.parts, &status) == 0 else { return [] }
    return try PartFile.list(in: folder.parts)
  }

  /// Files that turned out wrong.
  func quarantined() -> [CacheLimiter.Item] {
    let names = (try? Folder.names(in: folder.quarantine)) ?? []
    return names.compactMap { name in
      let path = "\(folder.quarantine)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0 else { return nil }
      return CacheLimiter.Item(
        path: path, bytes: Int64(status.st_size), lastUsed: Double(status.st_mtim.tv_sec),
        isLeftOver: true)
    }
  }
}

extension CacheLimiter {
  /// Counts a part as taken; what a running one has still to write too, but for our own.
  fileprivate mutating func count(_ part: PartFile.Listing, isOwn: Bool) {
    fixed = fixed +| part.bytes
    guard part.isBusy, !isOwn, let expected = part.expected else { return }
    promised = promised +| max(0, expected -| part.bytes)
  }
}

// MARK: - Removing files

extension TrackCache {
  /// Removes files and what the index says of them, but for those that are in use or pinned by now.
  ///
  /// - Returns: the paths of those.
  func evict(
    _ victims: [CacheLimiter.Item], of index: CacheIndex
  ) throws -> Set<String> {
    var stuck: Set<String> = []
    // Each transaction waits for the disk, and holds up who finishes a track.
    for start in stride(from: 0, to: victims.count, by: Self.batch) {
      try index.database.transaction {
        for victim in victims[start..<min(start + Self.batch, victims.count)] {
          if try !evict(victim, of: index) { stuck.insert(victim.path) }
        }
      }
    }
    return stuck
  }

  private static let batch = 64

  private func evict(_ victim: CacheLimiter.Item, of index: CacheIndex) throws -> Bool {
    if victim.isLeftOver {
      let isPart = victim.path.hasPrefix("\(folder.parts)/")
      return isPart ? PartFile.remove(victim.path) : removeFile(victim.path)
    }
    let digest = String(victim.path.dropFirst(folder.tracks.utf8.count + 1))
    // Room first: on a full disk the index can't be written before.
    guard try !index.rows(of: digest).contains(where: \.isPinned), removeFile(victim.path) else {
      return false
    }
    try index.remove(digest: digest)
    return true
  }

  /// Removes a file that nobody uses.
  ///
  /// - Returns: whether it is gone.
  func removeFile(_ path: String) -> Bool {
    do throws(FileError) {
      let file = try OpenFile(path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
      guard try file.lock(waiting: false) else { return false }
      return unlink(path) == 0 || errno == ENOENT
    } catch {
      // A link or the like that somebody has put there goes as well.
      return [ENOENT, ELOOP, ENXIO].contains(error.code) && (unlink(path) == 0 || errno == ENOENT)
    }
  }

  private func isInUse(_ path: String) -> Bool {
    guard let file = try? OpenFile(path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else {
      return false
    }
    return (try? file.lock(waiting: false)) == false
  }

  /// Removes what a killed process has left: files that nothing refers to, rows whose files are
  /// gone, parts that say nothing or were entered already.
  func sweep(_ index: CacheIndex) throws {
    try PartFile.sweep(folder.parts)
    guard try !Remains(of: index, in: folder).isEmpty else { return }
    // Looked at again where nobody can enter any: who finishes a track gives its name under this lock.
    try index.database.transaction {
      let remains = try Remains(of: index, in: folder)
      for name in remains.files { _ = removeFile("\(folder.tracks)/\(name)") }
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
    files = names.filter { !known.contains($0) }
    digests = known.subtracting(names).sorted()
    parts = try PartFile.list(in: folder.parts).filter { part in
      guard !part.isBusy, let row = try index.row(of: part.key) else { return false }
      return names.contains(row.digest)
    }.map(\.path)
  }
}
