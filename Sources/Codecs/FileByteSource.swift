import Glibc
import Synchronization

/// A byte source over a regular file.
///
/// Threading: as `ByteSource`; reading is one `pread` and never waits.
package final class FileByteSource: ByteSource {
  private let descriptor: Int32
  private let path: String
  private let cancelled = Atomic(false)

  /// The size of the file when it was opened.
  package let length: Int64?

  /// Always true.
  package var isComplete: Bool { true }

  /// Opens a file for reading.
  ///
  /// - Parameter path: the file; it stays open as long as the source lives.
  /// - Throws: `ByteSourceError.system` when it can't be opened or is no regular file (`EISDIR`,
  ///   `ESPIPE`).
  package init(path: String) throws(ByteSourceError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw .system(operation: "open", subject: path, code: errno)
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw .system(operation: "fstat", subject: path, code: code)
    }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFREG else {
      close(descriptor)
      throw .system(operation: "open", subject: path, code: kind == S_IFDIR ? EISDIR : ESPIPE)
    }
    self.descriptor = descriptor
    self.path = path
    length = Int64(status.st_size)
  }

  deinit {
    close(descriptor)
  }

  /// Copies bytes from `offset` on.
  ///
  /// - Parameters:
  ///   - offset: bytes from the start, 0 or more.
  ///   - buffer: receives the bytes.
  /// - Returns: how many bytes were copied, 0 at or past the end.
  /// - Throws: `ByteSourceError` when the system refuses or after `cancel`.
  package func read(
    at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ByteSourceError) -> Int {
    while true {
      if cancelled.load(ordering: .acquiring) { throw .cancelled }
      let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
      if count >= 0 { return count }
      if errno != EINTR { throw .system(operation: "pread", subject: path, code: errno) }
    }
  }

  /// Makes all later reads throw `cancelled`.
  package func cancel() {
    cancelled.store(true, ordering: .releasing)
  }
}
