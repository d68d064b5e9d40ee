import Glibc
import Storage

/// The file that a download grows in.
struct DownloadStorage: Sendable {
  var file: OpenFile
  /// The part it is; nil for a temporary file, which has no name.
  var part: PartFile?

  /// A part of the cache.
  init(_ part: PartFile) {
    file = part.file
    self.part = part
  }

  private init(unnamed file: OpenFile) { self.file = file }

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

  /// A temporary file with some bytes of another.
  static func temporary(
    copying old: OpenFile, _ ranges: ByteRanges
  ) throws(FileError) -> DownloadStorage {
    do throws(FileError) {
      let spare = try temporary()
      try spare.file.copy(old, ranges)
      return spare
    } catch {
      // The temporary disk is full too: memory is what is left.
      let spare = try unnamed(in: "/dev/shm")
      try spare.file.copy(old, ranges)
      return spare
    }
  }

  private static func unnamed(in folder: String) throws(FileError) -> DownloadStorage {
    let path = AtomicFile.partPath(for: "\(folder)/blastoise")
    let file = try OpenFile(path, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
    unlink(path)
    return DownloadStorage(unnamed: file)
  }
}

extension OpenFile {
  /// Copies ranges of another file to the same places of this one.
  fileprivate func copy(_ other: OpenFile, _ ranges: ByteRanges) throws(FileError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
    defer { buffer.deallocate() }
    for range in ranges.ranges {
      var offset = range.lowerBound
      while offset < range.upperBound {
        let wanted = Int(min(Int64(buffer.count), range.upperBound - offset))
        let block = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
        let read = try other.read(into: block, at: offset)
        guard read > 0 else { throw FileError(operation: "read", path: other.path, code: EIO) }
        try write(UnsafeRawBufferPointer(rebasing: block[..<read]), at: offset)
        offset += Int64(read)
      }
    }
  }
}
