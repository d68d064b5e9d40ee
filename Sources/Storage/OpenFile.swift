package import Glibc
import Platform

/// An open file, read and written at offsets; closed with its last reference.
///
/// Threading: from any thread; each call is one system call or a loop of them, and may block.
package final class OpenFile: Sendable {
  /// The path it was opened at.
  package let path: String
  private let descriptor: Int32

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - flags: those of open(2); `O_CLOEXEC` is added.
  ///   - mode: the permissions of a file that is made.
  /// - Throws: `FileError`.
  package init(_ path: String, flags: Int32 = O_RDONLY, mode: mode_t = 0o600) throws(FileError) {
    let descriptor = Glibc.open(path, flags | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw FileError(operation: "open", path: path, code: errno) }
    self.descriptor = descriptor
    self.path = path
  }

  deinit {
    Glibc.close(descriptor)
  }

  /// The file's length in bytes.
  ///
  /// - Returns: the length at this moment.
  /// - Throws: `FileError`.
  package func length() throws(FileError) -> Int64 {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure("fstat") }
    return Int64(status.st_size)
  }

  /// How many names the file has; 0 where nobody can tell.
  package var nameCount: Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_nlink) : 0
  }

  /// Gives the lock up before the file is closed.
  package func unlock() { flock(descriptor, LOCK_UN) }

  /// When the file was last written to.
  ///
  /// - Returns: seconds since 1970.
  /// - Throws: `FileError`.
  package func modified() throws(FileError) -> Double {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure("fstat") }
    return Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
  }

  /// Copies bytes from `offset` on, as many as there are.
  ///
  /// - Parameters:
  ///   - buffer: receives the bytes.
  ///   - offset: bytes from the start.
  /// - Returns: how many were copied, less than the buffer holds only at the end of the file.
  /// - Throws: `FileError`.
  package func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(FileError) -> Int {
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + done)
      if count == 0 { break }
      if count > 0 { done += count } else if errno != EINTR { throw failure("read") }
    }
    return done
  }

  /// Reads the whole file, or its beginning.
  ///
  /// - Parameter limit: how many bytes at most.
  /// - Returns: the bytes.
  /// - Throws: `FileError`.
  package func readAll(limit: Int) throws(FileError) -> [UInt8] {
    let length = Int(min(Int64(limit), try length()))
    var bytes = [UInt8](repeating: 0, count: length)
    let result = bytes.withUnsafeMutableBytes { buffer -> Result<Int, FileError> in
      do throws(FileError) {
        return .success(try read(into: buffer, at: 0))
      } catch {
        return .failure(error)
      }
    }
    return Array(bytes.prefix(try result.get()))
  }

  /// Writes all bytes at `offset`.
  ///
  /// - Parameters:
  ///   - bytes: what to write.
  ///   - offset: bytes from the start.
  /// - Throws: `FileError`; a part may have been written.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + done)
      if count > 0 {
        done += count
      } else if count == 0 || errno != EINTR {
        throw count == 0 ? FileError(operation: "write", path: path, code: EIO) : failure("write")
      }
    }
  }

  /// Cuts the file to `length` bytes.
  ///
  /// - Parameter length: what is kept.
  /// - Throws: `FileError`.
  package func truncate(to length: Int64) throws(FileError) {
    guard ftruncate(descriptor, off_t(length)) == 0 else { throw failure("ftruncate") }
  }

  /// Sets the file's permissions, whatever the umask.
  ///
  /// - Parameter mode: such as 0o600.
  /// - Throws: `FileError`, where it is somebody else's.
  package func setMode(_ mode: mode_t) throws(FileError) {
    guard fchmod(descriptor, mode) == 0 else { throw failure("fchmod") }
  }

  /// Waits until what was written is on the disk.
  ///
  /// - Throws: `FileError`.
  package func synchronize() throws(FileError) {
    guard fsync(descriptor) == 0 else { throw failure("fsync") }
  }

  /// How a lock excludes others.
  package enum Lock: Sendable {
    /// Nobody else holds any lock.
    case exclusive
    /// Others may hold it too, nobody holds it exclusively.
    case shared
  }

  /// Lets the disk begin with what was written, so that a later `synchronize` has little left to
  /// wait for; waits for nothing itself, and promises nothing.
  package func beginWriting() {
    beginWriteback(of: descriptor)
  }

  /// Takes the advisory lock (flock) of the file, which ends with this object or the process.
  ///
  /// A lock that is held already becomes one of the other kind.
  ///
  /// - Parameters:
  ///   - kind: whom it excludes.
  ///   - waiting: whether to block while another stands in the way.
  /// - Returns: false where another stands in the way and `waiting` is false.
  /// - Throws: `FileError` where the file system knows no locks.
  package func lock(_ kind: Lock = .exclusive, waiting: Bool) throws(FileError) -> Bool {
    let operation = (kind == .shared ? LOCK_SH : LOCK_EX) | (waiting ? 0 : LOCK_NB)
    while flock(descriptor, operation) != 0 {
      if errno == EWOULDBLOCK { return false }
      if errno != EINTR { throw failure("flock") }
    }
    return true
  }

  /// Whether its path still names this very file, a regular one: whoever waited for a lock may hold
  /// it on a file that is gone by then.
  package var isInPlace: Bool {
    var here = stat()
    var there = stat()
    return fstat(descriptor, &here) == 0 && lstat(path, &there) == 0
      && there.st_mode & S_IFMT == S_IFREG && here.st_ino == there.st_ino
      && here.st_dev == there.st_dev
  }

  private func failure(_ operation: String) -> FileError {
    FileError(operation: operation, path: path, code: errno)
  }
}
