import Glibc

/// A lock between processes, held as long as this object lives.
///
/// It is an flock(2) on a file of its own, which stays: removing it would let two processes hold
/// "the" lock on two files. The kernel ends it with the process, however that ends.
package final class FileLock: Sendable {
  private let file: OpenFile

  /// Waits for the lock.
  ///
  /// Threading: blocks while another holds it.
  ///
  /// - Parameter path: the lock's file, made with mode 0600 where it is missing.
  /// - Throws: `FileError`.
  package init(waitingFor path: String) throws(FileError) {
    file = try OpenFile(path, flags: O_RDWR | O_CREAT, mode: 0o600)
    _ = try file.lock(waiting: true)
  }

  /// Takes the lock if nobody holds it; nil where another does.
  ///
  /// - Parameter path: the lock's file, made with mode 0600 where it is missing.
  /// - Throws: `FileError`.
  package init?(ifFree path: String) throws(FileError) {
    file = try OpenFile(path, flags: O_RDWR | O_CREAT, mode: 0o600)
    guard try file.lock(waiting: false) else { return nil }
  }
}
