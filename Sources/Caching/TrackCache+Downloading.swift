import Glibc
import RoomProtocol
import Storage

extension TrackCache {
  /// Begins a download, or goes on with what an earlier one has left.
  ///
  /// - Throws: `CacheError`: `busy` where another has the part and this is of use only if kept.
  func start(
    _ key: TrackKey, for purpose: Download.Purpose = .playing
  ) throws(CacheError) -> Download {
    guard let fetcher else { throw .notHere(track: key.track) }
    let download = try makeDownload(for: key, purpose)
    let job = DownloadJob(download: download, fetcher: fetcher, room: self, playing: playing)
    let task = Task { try await self.carryOut(job, key) }
    running[key] = Running(download: download, job: task)
    report.yield(.started(key.track, download))
    return download
  }

  /// A download that goes on with the track's part, where the cache takes it.
  private func makeDownload(
    for key: TrackKey, _ purpose: Download.Purpose
  ) throws(CacheError) -> Download {
    var refusal: (any Error)?
    if openedIndex() != nil {
      do {
        switch try PartFile.open(key, in: folder.parts) {
        case .ours(let part, let record):
          // Whoever held it until now may have finished it since we looked.
          if record.ranges.isEmpty, isKept(key) {
            part.discard()
            throw CacheError.busy(track: key.track)
          }
          return Download(
            track: key.track, storage: DownloadStorage(part), from: record, for: purpose)
        case .busy: throw CacheError.busy(track: key.track)
        }
      } catch {
        guard purpose == .playing else { throw error as? CacheError ?? .notKept(track: key.track) }
        report.yield(.notKept(key.track, reason: error))
        refusal = error
      }
    } else if purpose != .playing {
      throw .notKept(track: key.track)
    }
    do throws(FileError) {
      let download = Download(track: key.track, storage: try .temporary())
      if let refusal { download.setNotKept(refusal) }
      return download
    } catch { throw .file(error) }
  }

  private func carryOut(_ job: DownloadJob, _ key: TrackKey) async throws -> CachedFile {
    let download = job.download
    defer {
      // Called off and begun again meanwhile, the place belongs to the newer one.
      if running[key]?.download === download { running[key] = nil }
    }
    let outcome: DownloadJob.Outcome
    do throws(CacheError) {
      outcome = try await job.run()
      if let failure = download.failure { throw failure }
    } catch {
      report.yield(.failed(key.track, error))
      throw error
    }
    do {
      let file = try await keep(download, outcome, key)
      report.yield(.finished(key.track, file.withoutLease))
      return file
    } catch {
      download.release()
      download.setNotKept(error)
      report.yield(.notKept(key.track, reason: error))
      throw CacheError.notKept(track: key.track)
    }
  }

  /// Flushed, named by its digest and entered.
  private func keep(
    _ download: Download, _ outcome: DownloadJob.Outcome, _ key: TrackKey
  ) async throws -> CachedFile {
    let storage = download.storage
    guard let part = storage.part else {
      throw download.keepingFailure ?? CacheError.notKept(track: key.track)
    }
    // Each on a worker of its own: several flushes at once cost the disk little more than one.
    try await DiskWorker().run { try storage.file.synchronize() }
    let progress = download.progress
    let now = wallTime()
    let row = CacheIndex.Row(
      key: key, bytes: progress.received, digest: outcome.digest.hex,
      contentType: progress.contentType, isVerified: outcome.isVerified, fetched: now,
      lastUsed: now)
    guard try await patiently({ try enter(row, part: part.path, into: $0) }) != nil else {
      throw CacheError.notKept(track: key.track)
    }
    part.discard()
    // The download's own lock becomes a reader's.
    _ = try? storage.file.lock(.shared, waiting: false)
    return CachedFile(row, file: storage.file, at: folder.file(of: row.digest))
  }
}

// MARK: - Entering

extension TrackCache {
  /// Gives a flushed part a finished file's name too and enters it: both or neither.
  ///
  /// The part's own name stays, so that a kill in between costs nothing.
  func enter(_ row: CacheIndex.Row, part: String, into index: CacheIndex) throws {
    let path = folder.file(of: row.digest)
    var isLinked = false
    var isMoved = false
    do {
      try index.database.transaction {
        try index.enter(row)
        try index.count(CacheTraffic(server: row.key.server, bytesFetched: row.bytes))
        isLinked = link(part, path) == 0
        // The same content is there, maybe a damaged one; or the disk knows no second names.
        isMoved = !isLinked && errno != EEXIST
        if !isLinked { try AtomicFile.rename(part, to: path) }
        try Folder.synchronize(folder.tracks)
      }
    } catch {
      if isLinked { unlink(path) }
      if isMoved { rename(path, part) }
      throw error
    }
  }
}
