import Dispatch
import Glibc
import Storage
import Synchronization

/// What is done behind a download: its record is written, its beginning hashed.
///
/// The hash reads the file as far as it is there without a gap, from the page cache as a rule: bytes
/// of another run, or that came out of order, need no care of their own, and the network's thread
/// does nothing but write.
///
/// Threading: from anywhere; the work is done on a queue of its own.
final class DownloadKeeper: Sendable {
  private let download: Download
  private let queue = DispatchQueue(label: "download")
  private let state = Mutex(State())
  // SAFETY: touched on the queue alone.
  nonisolated(unsafe) private var hash = ContentHash()
  // SAFETY: as above.
  nonisolated(unsafe) private var hashed: Int64 = 0
  // SAFETY: as above.
  nonisolated(unsafe) private var version = 0
  // SAFETY: as above.
  nonisolated(unsafe) private var flushed = ContinuousClock.now

  private struct State {
    /// Bytes that came since the last record.
    var unrecorded = 0
    /// Whether a record is to be written in a moment.
    var isTimed = false
  }

  /// After how many bytes the record is written at once.
  private static let batch = 1024 * 1024
  /// How often all of it is put on the disk.
  private static let flushInterval = Duration.seconds(10)

  init(for download: Download) {
    self.download = download
  }

  /// Says that bytes came.
  func note(_ count: Int) {
    let (isMuch, isFirst) = state.withLock { state in
      state.unrecorded += count
      let isMuch = state.unrecorded >= Self.batch
      if isMuch { state.unrecorded = 0 }
      let isFirst = !state.isTimed
      state.isTimed = true
      return (isMuch, isFirst)
    }
    if isMuch { queue.async { self.work() } }
    if isFirst {
      queue.asyncAfter(deadline: .now() + .milliseconds(500)) { [weak self] in
        self?.state.withLock { $0 = State() }
        self?.work()
      }
    }
  }

  /// The digest of the whole file, once all of it is there.
  func digest() async throws(CacheError) -> ContentDigest {
    let result = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: self.finish()) }
    }
    do throws(FileError) { return try result.get() } catch { throw .file(error) }
  }

  private func finish() -> Result<ContentDigest, FileError> {
    do throws(FileError) {
      try advance()
      return .success(hash.digest())
    } catch { return .failure(error) }
  }

  private func work() {
    guard download.failure == nil, !download.progress.isComplete else { return }
    if ContinuousClock.now - flushed >= Self.flushInterval {
      download.flush()
      flushed = ContinuousClock.now
    } else {
      download.keepRecord()
    }
    // An error shows again at the end, and is told then.
    try? advance()
    download.storage.file.beginWriting()
  }

  /// Hashes what has come to follow without a gap.
  private func advance() throws(FileError) {
    let (prefix, changes) = download.state.withLock { ($0.progress.ranges.prefix, $0.changes) }
    if changes != version {
      hash = ContentHash()
      hashed = 0
      version = changes
    }
    guard hashed < prefix else { return }
    let file = download.storage.file
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 * 1024, alignment: 64)
    defer { buffer.deallocate() }
    while hashed < prefix {
      let wanted = Int(min(Int64(buffer.count), prefix - hashed))
      let block = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
      guard try file.read(into: block, at: hashed) == wanted else {
        throw FileError(operation: "read", path: file.path, code: EIO)
      }
      hash.update(UnsafeRawBufferPointer(block))
      hashed += Int64(wanted)
    }
  }
}
