import Glibc
package import Platform
package import RoomProtocol
import Storage

/// The tracks on the disk, by server and id.
///
/// Ask for a track and get its file, or the download that brings it. A finished download is flushed,
/// hashed, named by its digest and entered in the index: whenever the program is killed, the old
/// or the new state is there. Where the disk refuses, tracks still play; they are just not kept.
/// Several processes may share a folder: what is in it is told by locks, which end with their owner.
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
  struct Running {
    var download: Download
    var job: Task<CachedFile, any Error>
  }

  /// What happens, in order; for one consumer, who should be there: what is not read yet (64 events
  /// at most) keeps its files open.
  package nonisolated let events: AsyncStream<CacheEvent>

  private let executor = QueueExecutor(label: "cache")
  let report: AsyncStream<CacheEvent>.Continuation
  let folder: CacheFolder
  /// Says to all processes that a track which plays is being downloaded.
  package nonisolated let playing: PlayingLock
  let limits: CacheLimits
  let fetcher: (any TrackFetcher)?
  let time: TimeSource
  /// Flushes files, so that nobody who asks for another track waits for the disk.
  let flusher = DiskWorker()
  var running: [TrackKey: Running] = [:]
  /// What must not go though nobody uses it.
  private(set) var spared: Set<TrackKey> = []
  private var openIndex: CacheIndex?
  /// Whether the folder is made and swept.
  private var isPrepared = false
  /// Whether others may be shut out where the index can't be opened otherwise: by who removes tracks
  /// from a full disk, for a moment.
  private var mayBeAlone = false
  private var hasSaidWhy = false

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// A cache in a folder, which is made and opened with the first track.
  ///
  /// - Parameters:
  ///   - folder: where it is; see `defaultFolder`.
  ///   - limits: what it may take.
  ///   - fetcher: brings what is missing; nil where nothing is to be downloaded.
  ///   - time: where time comes from, for waits.
  package init(
    folder: String, limits: CacheLimits = .standard, fetcher: (any TrackFetcher)? = nil,
    time: TimeSource = .live
  ) {
    self.folder = CacheFolder(path: folder)
    playing = PlayingLock(folder: folder)
    self.limits = limits
    self.fetcher = fetcher
    self.time = time
    (events, report) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
  }

  /// The track's file, or the download that brings it: begun now, or by an earlier call.
  ///
  /// It counts as a hit or a miss.
  ///
  /// - Parameters:
  ///   - id: the track.
  ///   - server: the server's base URL; it is part of the key.
  /// - Returns: at once, without waiting for the network.
  /// - Throws: `CacheError` where no file takes the bytes, or nothing brings them.
  package func entry(for id: TrackID, server: String) throws(CacheError) -> CachedTrack {
    let key = TrackKey(server: server, track: id)
    if let running = running[key] {
      running.download.purpose = .playing
      return .download(running.download)
    }
    guard let file = keptFile(key) else {
      let download = try start(key)
      Task { note(CacheTraffic(server: server, misses: 1)) }
      return .download(download)
    }
    // Behind the answer: another process may hold up what is written.
    Task {
      note(CacheTraffic(server: server, hits: 1, bytesSaved: file.bytes), use: key)
    }
    return .file(file)
  }

  /// The track's file, after waiting for its download, by this process or another.
  ///
  /// It counts as neither hit nor miss: nobody plays it yet.
  ///
  /// - Parameters:
  ///   - id: the track.
  ///   - server: the server's base URL.
  ///   - purpose: what for, where it must be downloaded; not `playing`.
  /// - Returns: the finished file.
  /// - Throws: `CacheError`: what the download failed with, `noRoom` or `notKept`;
  ///   `CancellationError` while it waits for another process.
  package func file(
    for id: TrackID, server: String, purpose: Download.Purpose = .keeping
  ) async throws -> CachedFile {
    let key = TrackKey(server: server, track: id)
    while true {
      if let job = running[key]?.job { return try await job.value }
      if let file = keptFile(key) { return file }
      do throws(CacheError) {
        _ = try start(key, for: purpose)
      } catch {
        guard case .busy = error else { throw error }
        // The lock ends with the other process, whatever becomes of it.
        try await time.sleep(time.now() + .milliseconds(200))
      }
    }
  }

  /// The track's file where it is whole and here; nothing is downloaded or counted.
  ///
  /// - Parameters:
  ///   - id: the track.
  ///   - server: the server's base URL.
  /// - Returns: the file, in use as long as it lives; nil where it is not here.
  package func keptFile(of id: TrackID, server: String) -> CachedFile? {
    keptFile(TrackKey(server: server, track: id))
  }

  /// Keeps tracks from going as long as this object lives, here or not yet: what a command has been
  /// asked to bring must not push out what it brought before.
  ///
  /// - Parameters:
  ///   - ids: the tracks, beside those of earlier calls.
  ///   - server: the server's base URL.
  package func spare(_ ids: [TrackID], server: String) {
    for id in ids { spared.insert(TrackKey(server: server, track: id)) }
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
    running.download.release()
  }
}

// MARK: - The index

extension TrackCache {
  /// The index, its folder made where it is missing; nil where nothing can be kept, which is said
  /// once.
  func openedIndex() -> CacheIndex? {
    do {
      if isPrepared, let index = try existingIndex() { return index }
      try folder.create()
      // Where somebody holds the index, what is left lying does no harm.
      _ = try? withIndex { try sweep($0) }
      guard let index = try existingIndex() else { return nil }
      folder.takeBallast()
      isPrepared = true
      return index
    } catch {
      if !hasSaidWhy { report.yield(.notKept(nil, reason: error)) }
      hasSaidWhy = true
      return nil
    }
  }

  /// The index; nil where there has never been a cache, or there is none any more.
  func existingIndex() throws -> CacheIndex? {
    if let openIndex, openIndex.isInPlace { return openIndex }
    openIndex = nil
    isPrepared = false
    guard folder.hasIndex else { return nil }
    try folder.checkIndex()
    do {
      openIndex = try connected()
    } catch {
      try mend(error)
    }
    return openIndex
  }

  /// Opens the index; several processes that open or leave it at once get in each other's way for a
  /// moment that SQLite does not wait for.
  private func connected() throws -> CacheIndex {
    let end = ContinuousClock.now + .seconds(1)
    while true {
      do {
        return try CacheIndex(path: folder.index)
      } catch let error as SQLiteError where error.isBusy && ContinuousClock.now < end {
        usleep(20_000)
      }
    }
  }

  /// Does something to the index, where there is one, and once more where what went wrong could be
  /// mended: it was damaged, or the disk is full.
  ///
  /// - Returns: what `work` returns; nil where there is no cache.
  /// - Throws: what `work` throws; as `existingIndex`.
  func withIndex<Result>(_ work: (CacheIndex) throws -> Result) throws -> Result? {
    guard let index = try existingIndex() else { return nil }
    do {
      return try work(index)
    } catch {
      try mend(error)
    }
    return try existingIndex().map(work)
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

  /// Does what frees room, which must be possible with not one byte free.
  func freeing<Result>(
    _ work: (isolated TrackCache) async throws -> Result
  ) async throws -> Result {
    mayBeAlone = true
    defer {
      mayBeAlone = false
      if openIndex?.isAlone == true { openIndex = nil }
      // What was given up is taken again.
      if folder.hasIndex { folder.takeBallast() }
    }
    return try await work(self)
  }

  /// Mends what an index has failed with: sets a damaged one aside, or gives up the ballast.
  ///
  /// - Throws: the same error where it can't be mended.
  private func mend(_ error: any Error) throws {
    guard let failure = error as? SQLiteError else { throw error }
    if failure.isCorrupt {
      openIndex = nil
      let (index, mending) = try CacheIndex.mended(in: folder)
      openIndex = index
      report.yield(.mended(tracks: mending.tracks, setAside: mending.setAside))
    } else if failure.isUnwritable {
      let hasRoom = folder.dropBallast()
      guard hasRoom || (mayBeAlone && openIndex == nil) else { throw error }
      if openIndex == nil { openIndex = try CacheIndex(path: folder.index, isAlone: !hasRoom) }
    } else {
      throw error
    }
  }

  /// The kept file of a track, if it is really there; in use as long as the answer lives.
  private func keptFile(_ key: TrackKey) -> CachedFile? {
    guard openedIndex() != nil, let row = try? withIndex({ try $0.row(of: key) }) ?? nil else {
      return nil
    }
    do throws(FileError) {
      let file = try folder.open(row.digest)
      if try file.length() == row.bytes {
        // Whoever evicts it holds the other lock, but not for long; then it is gone.
        let isLeased = (try? file.lock(.shared, waiting: false)) == true
        if file.isInPlace { return CachedFile(row, file: isLeased ? file : nil, at: file.path) }
      }
    } catch {
      // Out of descriptors or the like: the file may be fine.
      guard [ENOENT, ELOOP].contains(error.code) else { return nil }
    }
    // Somebody has removed or cut the file: the row is worth nothing.
    _ = try? withIndex { try $0.remove(key) }
    return nil
  }

  /// Writes down what has happened; where the index refuses, that is no harm.
  private func note(_ traffic: CacheTraffic, use key: TrackKey? = nil) {
    _ = try? withIndex { index in
      try index.database.transaction {
        if let key { try index.touch(key, at: wallTime()) }
        try index.count(traffic)
      }
    }
  }
}

/// The wall clock, in seconds since 1970: for what is written down, never for measuring.
package func wallTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
