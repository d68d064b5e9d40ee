import Synchronization

/// One consumer's view of a download: reads that wait, and can be called off.
///
/// It has what a byte source needs; the module above adapts it.
///
/// Threading: `read` by one thread at a time, which it may block; the rest from anywhere.
package final class DownloadReader: Sendable {
  /// What is read.
  package let download: Download
  private let cancelled = Atomic(false)

  init(of download: Download) {
    self.download = download
  }

  /// The number of bytes in all: known once they are there, before that what the server promised.
  package var length: Int64? {
    let progress = download.progress
    return progress.isComplete ? progress.received : progress.expected
  }

  /// Whether all bytes are there, so that no read waits.
  package var isComplete: Bool { download.progress.isComplete }

  /// Whether any byte can be had with a short wait: the server gives parts, and the length is known.
  package var canJump: Bool { download.progress.canJump }

  /// Copies bytes from `offset` on, waiting until at least one is there.
  ///
  /// - Parameters:
  ///   - offset: bytes from the start, 0 or more.
  ///   - buffer: receives the bytes; what lies past the count returned is left as it was.
  /// - Returns: how many were copied: at least 1, or 0 at or past the end.
  /// - Throws: `CacheError`: the download's failure, or `cancelled` after `cancel`.
  package func read(
    at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(CacheError) -> Int {
    try download.read(at: offset, into: buffer, for: self)
  }

  /// Makes a blocked read and all later ones throw; the download itself goes on.
  package func cancel() {
    cancelled.store(true, ordering: .releasing)
    download.wake(self)
  }

  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
}
