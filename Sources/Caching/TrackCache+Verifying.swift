import Glibc
package import RoomProtocol
import Storage

extension TrackCache {
  /// Reads kept tracks to their end and holds them against their digests, and their beginning
  /// against their ids where that was so when they came.
  ///
  /// What is wrong is set aside and no longer here; files that nothing refers to are removed. Two
  /// files are read at once. Others may use the cache meanwhile.
  ///
  /// - Parameters:
  ///   - server: one server's base URL; nil for all.
  ///   - ids: only these tracks; nil for all.
  ///   - progress: told of each verdict as it comes.
  /// - Returns: all verdicts, as they came.
  /// - Throws: as `prune`; `CancellationError`.
  package func verify(
    server: String? = nil, ids: Set<TrackID>? = nil,
    progress: @Sendable (CacheVerdict) -> Void = { _ in }
  ) async throws -> [CacheVerdict] {
    let all = try await patiently { try $0.rows(server: server) } ?? []
    let rows = all.filter { ids?.contains($0.key.track) ?? true }
    let files = Dictionary(grouping: rows, by: \.digest)
    var seen: Set<String> = []
    var waiting = rows.map(\.digest).filter { seen.insert($0).inserted }[...]
    var verdicts: [CacheVerdict] = []
    try await withThrowingTaskGroup(of: (DiskWorker, FileCheck).self) { group in
      func begin(_ worker: DiskWorker) {
        guard let digest = waiting.popFirst(), let rows = files[digest] else { return }
        let check = FileCheck(folder: folder, digest: digest, rows: rows)
        group.addTask { (worker, await worker.run { check.carriedOut() }) }
      }
      begin(DiskWorker())
      begin(DiskWorker())
      while let (worker, check) = try await group.next() {
        try Task.checkCancellation()
        begin(worker)
        for verdict in try await patiently({ try settle(check, in: $0) }) ?? [] {
          verdicts.append(verdict)
          progress(verdict)
        }
      }
    }
    _ = try await patiently { try sweep($0) }
    return verdicts
  }

  /// Acts on what a check has found.
  private func settle(_ check: FileCheck, in index: CacheIndex) throws -> [CacheVerdict] {
    var finding = check.finding
    switch check.finding {
    case .whole, .unreadable: break
    case .missing:
      try index.database.transaction {
        // Another process may have fetched it anew meanwhile.
        if (try? folder.open(check.digest)) == nil { try index.remove(digest: check.digest) }
      }
    case .damaged(let quarantine):
      finding = try index.database.transaction { () throws -> CacheVerdict.Finding in
        // Fetched anew by somebody meanwhile, it is not the file that was read.
        guard check.file?.isInPlace == true else { return .whole }
        guard rename(folder.file(of: check.digest), quarantine) == 0 else {
          return .unreadable(code: errno)
        }
        try index.remove(digest: check.digest)
        return .damaged(quarantine: quarantine)
      }
    }
    return check.rows.map { CacheVerdict(row: cacheRow($0), finding: finding) }
  }
}

/// The check of one file, for all tracks it stands for.
struct FileCheck: Sendable {
  var folder: CacheFolder
  var digest: String
  var rows: [CacheIndex.Row]
  /// The file that was read, kept from going as long as this lives.
  var file: OpenFile?
  var finding = CacheVerdict.Finding.whole

  /// The same with its finding; takes as long as reading the file.
  func carriedOut() -> FileCheck {
    var check = self
    let damaged = CacheVerdict.Finding.damaged(quarantine: "\(folder.quarantine)/\(digest)")
    do throws(FileError) {
      let file = try folder.open(digest)
      _ = try? file.lock(.shared, waiting: false)
      check.file = file
      if try !isWhole(file) { check.finding = damaged }
    } catch {
      switch error.code {
      case ENOENT, ELOOP: check.finding = .missing
      // What the disk can't give back is as good as changed.
      case EIO: check.finding = damaged
      default: check.finding = .unreadable(code: error.code)
      }
    }
    return check
  }

  private func isWhole(_ file: OpenFile) throws(FileError) -> Bool {
    let length = try file.length()
    guard rows.allSatisfy({ $0.bytes == length }) else { return false }
    guard try ContentHash.digest(of: file).hex == digest else { return false }
    let promises = rows.filter(\.isVerified).compactMap {
      HeadCheck.promisedDigest(of: $0.key.track)
    }
    guard !promises.isEmpty else { return true }
    let head = try ContentHash.digest(of: file, limit: HeadCheck.length).hex
    return promises.allSatisfy { $0 == head }
  }
}
