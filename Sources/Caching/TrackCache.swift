import Glibc
import Platform
package import RoomProtocol
import Storage

/// The tracks on the disk, by server and id.
///
/// Ask for a track and get its file, or the download that brings it. A finished download is flushed,
/// hashed, named by its digest, then entered in the index: whenever the program is killed, the old
/// or the new state is there. Where the disk refuses, tracks still play; they are just not kept.
///
/// ```swift
/// switch try await cache.entry(for: track.id, server: base) {
/// case .file(let file): open(file.path)
/// case .download(let download): play(download.reader())
/// }
/// ```
///
/// Threading: an actor on a queue of its own, as it works on files.
package actor TrackCache {
  private struct Running {
    var download: Download
    var job: Task<CachedFile, any Error>
  }

  /// What happens, in order; for one consumer.
  package nonisolated let events: AsyncStream<CacheEvent>

  private let executor = QueueExecutor(label: "cache")
  private let report: AsyncStream<CacheEvent>.Continuation
  private let folder: CacheFolder
  private let fetcher: any TrackFetcher
  private var index: CacheIndex?
  private var isOpen = false
  private var running: [TrackKey: Running] = [:]

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// A cache in a folder, which is made and opened with the first track.
  ///
  /// - Parameters:
  ///   - folder: where it is; see `defaultFolder`.
  ///   - fetcher: brings what is missing.
  package init(folder: String, fetcher: any TrackFetcher) {
    self.folder = CacheFolder(path: folder)
    self.fetcher = fetcher
    (events, report) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1024))
  }

  /// The track's file, or the download that brings it: begun now, or by an earlier call.
  ///
  /// - Parameters:
  ///   - id: the track.
  ///   - server: the server's base URL; it is part of the key.
  /// - Returns: at once, without waiting for the network.
  /// - Throws: `CacheError` where no file takes the bytes.
  package func entry(for id: TrackID, server: String) throws -> CachedTrack {
    let key = TrackKey(server: server, track: id)
    if let running = running[key] { return .download(running.download) }
    openOnce()
    if let file = known(key) { return .file(file) }
    return .download(try start(key))
  }

  /// The track's file, after waiting for its download.
  ///
  /// - Parameters:
  ///   - id: the track.
  ///   - server: the server's base URL.
  /// - Returns: the finished file.
  /// - Throws: `CacheError`: what the download failed with, or `notKept`.
  package func file(for id: TrackID, server: String) async throws -> CachedFile {
    switch try entry(for: id, server: server) {
    case .file(let file): return file
    case .download:
      let job = running[TrackKey(server: server, track: id)]?.job
      guard let job else { throw CacheError.cancelled }
      return try await job.value
    }
  }

  /// Calls a running download off; its readers get `CacheError.cancelled`.
  ///
  /// - Parameters:
  ///   - id: the track.
  ///   - server: the server's base URL.
  package func cancel(_ id: TrackID, server: String) {
    guard let running = running.removeValue(forKey: TrackKey(server: server, track: id)) else {
      return
    }
    stop(running)
  }

  /// Calls all downloads off and ends the events.
  package func close() {
    for running in running.values { stop(running) }
    running = [:]
    report.finish()
  }

  private func stop(_ running: Running) {
    running.download.fail(.cancelled)
    running.job.cancel()
    running.download.storage.discard()
  }
}

// MARK: - Looking up

extension TrackCache {
  /// Opens the folder and the index; where that fails nothing is kept, which is said once.
  private func openOnce() {
    guard !isOpen else { return }
    isOpen = true
    do {
      let start = wallTime()
      try folder.create()
      let index = try CacheIndex(path: folder.index)
      try folder.sweep(keeping: index.digests(), before: start)
      self.index = index
    } catch {
      report.yield(.notKept(nil, reason: error))
    }
  }

  /// The kept file of a track, if it is really there.
  private func known(_ key: TrackKey) -> CachedFile? {
    guard let index, let row = try? index.row(of: key) else { return nil }
    let path = folder.file(of: row.digest)
    guard let length = try? OpenFile(path).length(), length == row.bytes else {
      // Somebody has removed or cut the file: the row is worth nothing.
      try? index.remove(key)
      return nil
    }
    try? index.touch(key, at: wallTime())
    return CachedFile(
      path: path, bytes: row.bytes, contentType: row.contentType, isVerified: row.isVerified)
  }
}

// MARK: - Downloading

extension TrackCache {
  private func start(_ key: TrackKey) throws(CacheError) -> Download {
    let download = Download(track: key.track, storage: try makeStorage(for: key.track))
    let job = DownloadJob(download: download, fetcher: fetcher)
    let task = Task { try await self.carryOut(job, key) }
    running[key] = Running(download: download, job: task)
    report.yield(.started(key.track, download))
    return download
  }

  private func makeStorage(for track: TrackID) throws(CacheError) -> DownloadStorage {
    do throws(FileError) {
      if index != nil {
        do throws(FileError) {
          return try .kept(in: folder.tracks)
        } catch {
          report.yield(.notKept(track, reason: error))
        }
      }
      return try .temporary()
    } catch { throw .file(error) }
  }

  private func carryOut(_ job: DownloadJob, _ key: TrackKey) async throws -> CachedFile {
    let download = job.download
    defer {
      // Called off and begun again meanwhile, the place belongs to the newer one.
      if running[key]?.download === download { running[key] = nil }
      download.storage.discard()
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
      let file = try keep(download, outcome, key)
      report.yield(.finished(key.track, file))
      return file
    } catch {
      download.setNotKept(error)
      report.yield(.notKept(key.track, reason: error))
      throw CacheError.notKept(track: key.track)
    }
  }

  /// Flushed, named by its digest, entered: in this order.
  private func keep(
    _ download: Download, _ outcome: DownloadJob.Outcome, _ key: TrackKey
  ) throws -> CachedFile {
    let storage = download.storage
    guard let index, let part = storage.part else {
      throw download.keepingFailure ?? CacheError.notKept(track: key.track)
    }
    let path = folder.file(of: outcome.digest.hex)
    try storage.file.synchronize()
    try AtomicFile.rename(part, to: path)
    let progress = download.progress
    let now = wallTime()
    try index.enter(
      CacheIndex.Row(
        key: key, bytes: progress.received, digest: outcome.digest.hex,
        contentType: progress.contentType, isVerified: outcome.isVerified, fetched: now,
        lastUsed: now))
    return CachedFile(
      path: path, bytes: progress.received, contentType: progress.contentType,
      isVerified: outcome.isVerified)
  }
}

/// The wall clock, in seconds since 1970: for what is written down, never for measuring.
package func wallTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
