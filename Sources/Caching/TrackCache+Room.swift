import Glibc
import Platform
import RoomProtocol
import Storage
import Synchronization

extension TrackCache: DiskRoom {
  /// So much that four processes with four downloads each may take a step in advance.
  nonisolated var hasPlenty: Bool { roomLeft.load(ordering: .relaxed) > 64 * 1024 * 1024 }

  /// Makes room for a part that will be of so many bytes in all.
  ///
  /// What another download has been promised may be refused to it in this very moment, and a track
  /// that is being entered counts twice: a refusal comes after a second look.
  ///
  /// - Throws: `CacheError.noRoom`; as `makeRoom`.
  func reserve(_ bytes: Int64, for key: TrackKey) async throws {
    for isLast in [false, true] {
      let here = PartFile.listing(of: key, in: folder.parts)?.taken ?? 0
      let missing = try makeRoom(for: max(0, bytes -| here), of: key)
      if missing == 0 { return }
      guard try !isLast && parts().contains(where: { $0.isBusy && $0.key != key }) else {
        throw CacheError.noRoom(track: key.track, missing: missing)
      }
      try await time.sleep(time.now() + .milliseconds(150))
    }
  }
}

extension TrackCache {
  /// Makes room for bytes that are about to be kept; nothing goes in vain.
  ///
  /// - Parameters:
  ///   - bytes: how many.
  ///   - key: whose; its own part does not stand in its way.
  /// - Returns: how many are missing even so; 0 where they fit now.
  /// - Throws: `SQLiteError`, `FileError`.
  func makeRoom(for bytes: Int64, of key: TrackKey) throws -> Int64 {
    let left = try usage(for: key).left
    roomLeft.store(left -| bytes, ordering: .relaxed)
    if left >= bytes { return 0 }
    var inUse: Set<String> = []
    while true {
      let plan = try limiter(sparing: inUse, for: key).plan(for: bytes)
      guard plan.missing == 0 else { return plan.missing }
      let used = plan.victims.map(\.path).filter(isInUse)
      guard used.isEmpty else {
        inUse.formUnion(used)
        continue
      }
      let stuck = try withIndex { try evict(plan.victims, of: $0).stuck } ?? []
      if stuck.isEmpty { return 0 }
      inUse.formUnion(stuck)
    }
  }

  private func isInUse(_ path: String) -> Bool {
    guard let file = try? OpenFile(path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else {
      return false
    }
    return (try? file.lock(waiting: false)) == false
  }
}

// MARK: - The rule's facts

extension TrackCache {
  /// How full the cache is, without a look at what could go.
  private func usage(for key: TrackKey) throws -> CacheLimiter {
    var limiter = try emptyLimiter()
    let parts = try partsToCount()
    limiter.fixed = try withIndex { try $0.bytes() } ?? 0
    for part in parts { limiter.count(part, isOwn: part.key == key) }
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
    guard try access.existing() != nil else { return limiter }
    let parts = try partsToCount()
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
    for part in parts {
      guard !part.isBusy else {
        limiter.count(part, isOwn: part.key == key)
        continue
      }
      limiter.items.append(
        CacheLimiter.Item(
          path: part.path, bytes: part.taken, lastUsed: part.changed, isLeftOver: true,
          isSpared: pins.contains(part.key) || spared.contains(part.key)
            || kept.contains(part.path)))
    }
    limiter.items += quarantined().filter { !kept.contains($0.path) }
    return limiter
  }

  /// The parts whose bytes no row tells of.
  ///
  /// They are read before the rows are: what is entered in between counts twice, and not never. While
  /// it is being entered a part has its second name already, and no row that others see.
  private func partsToCount() throws -> [PartFile.Listing] {
    try parts().filter { part in
      guard part.isEntered else { return true }
      return try withIndex { try $0.row(of: part.key) } ?? nil == nil
    }
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
    fixed = fixed +| part.taken
    guard part.isBusy, !isOwn else { return }
    // Of whose length nobody knows asks for a step at a time.
    let step = DownloadAllowance.step
    let unknown = part.taken > 0 ? (part.taken / step + 1) * step : 0
    let expected = part.expected ?? unknown
    // What can't fit will not be granted.
    if expected <= maxSize { promised = promised +| max(0, expected -| part.taken) }
  }
}
