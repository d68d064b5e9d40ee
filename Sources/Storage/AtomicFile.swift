package import Glibc

/// A file that is there whole or not at all, whenever the program or the machine stops.
///
/// The bytes go to a `.part` beside the destination, are flushed, and get their name at the end.
///
/// Threading: blocks on the disk.
package enum AtomicFile {
  /// Writes a whole file, in the place of an old one.
  ///
  /// - Parameters:
  ///   - bytes: the contents.
  ///   - path: the file; its folder must exist.
  ///   - mode: its permissions, exact whatever the umask; nil for those that the umask leaves.
  /// - Throws: `FileError`; the old file stays then, and the `.part` is removed.
  package static func write(
    _ bytes: [UInt8], to path: String, mode: mode_t? = 0o600
  ) throws(FileError) {
    let part = partPath(for: path)
    do throws(FileError) {
      let file = try OpenFile(part, flags: O_WRONLY | O_CREAT | O_EXCL, mode: mode ?? 0o666)
      if let mode, chmod(part, mode) != 0 {
        throw FileError(operation: "chmod", path: part, code: errno)
      }
      try file.writeAll(bytes)
      try file.synchronize()
      try rename(part, to: path)
    } catch {
      unlink(part)
      throw error
    }
  }

  /// Writes a whole file of the user's: a link stays one, and a file that is there keeps its
  /// permissions.
  ///
  /// - Parameters:
  ///   - bytes: the contents.
  ///   - path: the file, or a link to it.
  ///   - mode: the permissions of a new file; nil for those that the umask leaves.
  /// - Throws: `FileError`; the old file stays then.
  package static func replace(
    _ bytes: [UInt8], at path: String, mode: mode_t? = nil
  ) throws(FileError) {
    var status = stat()
    guard stat(path, &status) == 0, let whole = realpath(path, nil) else {
      return try write(bytes, to: path, mode: mode)
    }
    defer { free(whole) }
    try write(bytes, to: String(cString: whole), mode: status.st_mode & 0o777)
  }

  /// Gives a finished and flushed file its name, and flushes the folder.
  ///
  /// - Parameters:
  ///   - part: where it is, in the same folder.
  ///   - path: its name from now on; an old file of that name is gone.
  /// - Throws: `FileError`.
  package static func rename(_ part: String, to path: String) throws(FileError) {
    guard Glibc.rename(part, path) == 0 else {
      throw FileError(operation: "rename", path: path, code: errno)
    }
    try Folder.synchronize(Folder.parent(of: path))
  }

  /// A name nobody else uses, beside `path`, ending in `.part`.
  package static func partPath(for path: String) -> String {
    "\(path).\(Hex.string(SecureRandom.bytes(8))).part"
  }
}

extension OpenFile {
  /// Writes all bytes at the start.
  func writeAll(_ bytes: [UInt8]) throws(FileError) {
    let result = bytes.withUnsafeBytes { buffer -> Result<Void, FileError> in
      do throws(FileError) {
        return .success(try write(buffer, at: 0))
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }
}
