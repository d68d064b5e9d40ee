import Glibc
import Storage

/// The file that a download grows in.
struct DownloadStorage: Sendable {
  var file: OpenFile
  /// Its name while it grows; nil for a temporary file, which has none.
  var part: String?

  /// A `.part` in the cache, locked so that no other process sweeps it.
  static func kept(in folder: String) throws(FileError) -> DownloadStorage {
    let part = AtomicFile.partPath(for: "\(folder)/track")
    let file = try OpenFile(part, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
    // A file system without locks loses only the protection from a sweep at another's start.
    _ = try? file.lock(waiting: false)
    return DownloadStorage(file: file, part: part)
  }

  /// A file without a name that is gone when nobody reads it any more: on the disk of temporary
  /// files, else in memory.
  static func temporary() throws(FileError) -> DownloadStorage {
    let place = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    do throws(FileError) {
      return try unnamed(in: place)
    } catch {
      return try unnamed(in: "/dev/shm")
    }
  }

  /// A temporary file that begins with the first `count` bytes of another.
  static func temporary(copying old: OpenFile, count: Int64) throws(FileError) -> DownloadStorage {
    do throws(FileError) {
      let spare = try temporary()
      try spare.file.copy(old, count: count)
      return spare
    } catch {
      // The temporary disk is full too: memory is what is left.
      let spare = try unnamed(in: "/dev/shm")
      try spare.file.copy(old, count: count)
      return spare
    }
  }

  /// Removes the name, if it still has one.
  func discard() {
    if let part { unlink(part) }
  }

  private static func unnamed(in folder: String) throws(FileError) -> DownloadStorage {
    let path = AtomicFile.partPath(for: "\(folder)/blastoise")
    let file = try OpenFile(path, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
    unlink(path)
    return DownloadStorage(file: file, part: nil)
  }
}

extension OpenFile {
  /// Copies the first `count` bytes of another file to the start of this one.
  fileprivate func copy(_ other: OpenFile, count: Int64) throws(FileError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    while offset < count {
      let wanted = Int(min(Int64(buffer.count), count - offset))
      let block = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
      let read = try other.read(into: block, at: offset)
      guard read > 0 else { throw FileError(operation: "read", path: other.path, code: EIO) }
      try write(UnsafeRawBufferPointer(rebasing: block[..<read]), at: offset)
      offset += Int64(read)
    }
  }
}
