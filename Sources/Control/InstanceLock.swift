import Glibc

/// The right to be an instance's listener: a lock that ends with its process, however that ends.
///
/// The lock's file holds the number of the process, for whoever comes second.
final class InstanceLock: Sendable {
  private let descriptor: Int32
  private let path: String

  /// Takes the lock.
  ///
  /// - Parameter place: the instance.
  /// - Throws: `ControlError.running` where another process has it.
  init(_ place: ControlPlace) throws(ControlError) {
    path = place.lockPath
    while true {
      let file = open(place.lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard file >= 0 else {
        throw .system(operation: "open", path: place.lockPath, code: errno)
      }
      guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
        let code = errno
        defer { close(file) }
        guard code == EWOULDBLOCK else {
          throw .system(operation: "lock", path: place.lockPath, code: code)
        }
        throw .running(instance: place.instance, pid: Self.process(in: file))
      }
      // Whoever had it may have removed the file after we opened it: then it is nobody's lock.
      if Self.isAt(place.lockPath, file) {
        descriptor = file
        break
      }
      close(file)
    }
    ftruncate(descriptor, 0)
    let digits = Array("\(getpid())\n".utf8)
    pwrite(descriptor, digits, digits.count, 0)
  }

  deinit {
    // Only the holder removes it.
    unlink(path)
    close(descriptor)
  }

  private static func process(in file: Int32) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 20)
    let count = pread(file, &bytes, bytes.count, 0)
    let digits = bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }
    return Int32(String(decoding: digits, as: UTF8.self))
  }

  private static func isAt(_ path: String, _ file: Int32) -> Bool {
    var named = stat()
    var held = stat()
    return lstat(path, &named) == 0 && fstat(file, &held) == 0 && named.st_ino == held.st_ino
      && named.st_dev == held.st_dev
  }
}
