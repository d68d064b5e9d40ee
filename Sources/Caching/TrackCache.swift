import Glibc
package import Platform
package import RoomProtocol
import Storage
import Synchronization

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
  /// How much could be kept at the last look without anything going.
  nonisolated let roomLeft = Atomic<Int64>(0)
  var running: [TrackKey: Running] = [:]
  /// What must not go though nobody uses it.
  private(set) var spared: Set<TrackKey> = []
  let access: IndexAccess
  var hasSaidWhy = false

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
  ///   - mended: told of a damaged index, as the events are: for who reads none.
  package init(
    folder: String, limits: CacheLimits = .standard, fetcher: (any TrackFetcher)? = nil,
    time: TimeSource = .live,
    mended: @escaping @Sendable (CacheMending) -> Void = { _ in }
  ) {
    self.folder = CacheFolder(path: folder)
    playing = PlayingLock(folder: folder)
    self.limits = limits
    self.fetcher = fetcher
    self.time = time
    let (events, report) = AsyncStream<CacheEvent>.makeStream(
      bufferingPolicy: .bufferingNewest(64))
    (self.events, self.report) = (events, report)
    access = IndexAccess(in: self.folder) { mending in
      report.yield(.mended(mending))
      mended(mending)
    }
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
      Task { await note(CacheTraffic(server: server, misses: 1)) }
      return .download(download)
    }
    // Behind the answer: another process may hold up what is written.
    Task {
      await note(CacheTraffic(server: server, hits: 1, bytesSaved: file.bytes), use: key)
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
  ///   `CancellationError` before it begins and while it waits for another process.
  package func file(
    for id: TrackID, server: String, purpose: Download.Purpose = .keeping
  ) async throws -> CachedFile {
    let key = TrackKey(server: server, track: id)
    while true {
      if let job = running[key]?.job { return try await job.value }
      if let file = keptFile(key) { return file }
      try Task.checkCancellation()
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

/// The wall clock, in seconds since 1970: for what is written down, never for measuring.
package func wallTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
