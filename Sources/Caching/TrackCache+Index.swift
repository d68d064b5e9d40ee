import Glibc
import Platform
import Storage

extension TrackCache {
  /// The index, its folder made where it is missing; nil where nothing can be kept, which is said
  /// once.
  func openedIndex() -> CacheIndex? {
    do {
      return try access.prepared(sweeping: sweep)
    } catch {
      if !hasSaidWhy { report.yield(.notKept(nil, reason: error)) }
      hasSaidWhy = true
      return nil
    }
  }

  /// Does something to the index, where there is one, and once more where what went wrong could be
  /// mended.
  ///
  /// - Returns: what `work` returns; nil where there is no cache.
  /// - Throws: what `work` throws; `SQLiteError`, `MigrationError` or `FileError` where the index
  ///   can't be opened.
  func withIndex<Result>(_ work: (CacheIndex) throws -> Result) throws -> Result? {
    try access.run(work)
  }

  /// The same, waiting up to a minute for other processes.
  ///
  /// - Throws: as `withIndex`; `CancellationError`.
  func patiently<Result>(_ work: (CacheIndex) throws -> Result) async throws -> Result? {
    let end = time.now() + .seconds(60)
    while true {
      do {
        return try withIndex(work)
      } catch let error as SQLiteError where error.isBusy && time.now() < end {
        try await time.sleep(time.now() + .milliseconds(200))
      }
    }
  }

  /// The kept file of a track, if it is really there; in use as long as the answer lives.
  func keptFile(_ key: TrackKey) -> CachedFile? {
    guard openedIndex() != nil, let row = try? withIndex({ try $0.row(of: key) }) ?? nil else {
      return nil
    }
    do throws(FileError) {
      // Fetched anew by another process in this very moment, the name is another file's by now.
      for _ in 0..<3 {
        let file = try folder.open(row.digest)
        guard try isWhole(file, row) else { break }
        let isLeased = Self.lease(file)
        if file.isInPlace { return CachedFile(row, file: isLeased ? file : nil, at: file.path) }
      }
    } catch {
      // Out of descriptors or the like: the file may be fine.
      guard [ENOENT, ELOOP].contains(error.code) else { return nil }
    }
    // Somebody has removed, cut or changed the file: the row is worth nothing.
    _ = try? withIndex { try $0.remove(row) }
    return nil
  }

  /// Whether a file is what was entered, as far as that can be seen without reading it: only one that
  /// somebody has written to since is read.
  private func isWhole(_ file: OpenFile, _ row: CacheIndex.Row) throws(FileError) -> Bool {
    guard try file.length() == row.bytes else { return false }
    if try file.modified() <= row.fetched { return true }
    return try ContentHash.digest(of: file).hex == row.digest
  }

  /// Whether a track is whole and here.
  func isKept(_ key: TrackKey) -> Bool {
    guard let row = try? withIndex({ try $0.row(of: key) }) ?? nil else { return false }
    return (try? folder.open(row.digest)) != nil
  }

  /// Takes a reader's lock; whoever evicts a file, or looks whether it is in use, holds the other for
  /// a moment.
  private static func lease(_ file: OpenFile) -> Bool {
    for _ in 0..<5 {
      if (try? file.lock(.shared, waiting: false)) == true { return true }
      usleep(1000)
    }
    return false
  }

  /// Writes down what has happened; where the index refuses, that is no harm.
  ///
  /// Whoever asks for a track meanwhile is not to wait for another process: it is tried later then.
  func note(_ traffic: CacheTraffic, use key: TrackKey? = nil) async {
    let now = wallTime()
    for _ in 0..<60 {
      do {
        _ = try withIndex { index in
          try index.database.transactionAtOnce {
            if let key { try index.touch(key, at: now) }
            try index.count(traffic)
          }
        }
        return
      } catch {
        guard let error = error as? SQLiteError, error.isBusy else { return }
      }
      guard (try? await time.sleep(time.now() + .milliseconds(500))) != nil else { return }
    }
  }
}
