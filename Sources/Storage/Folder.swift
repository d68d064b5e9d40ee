package import Glibc

/// What is done with folders: make, list, flush.
package enum Folder {
  /// Makes a folder and those above it, where they are missing.
  ///
  /// - Parameters:
  ///   - path: the folder.
  ///   - mode: the permissions of what is made; what is there already keeps its own.
  /// - Throws: `FileError`.
  package static func create(_ path: String, mode: mode_t = 0o700) throws(FileError) {
    if mkdir(path, mode) == 0 || (errno == EEXIST && isFolder(path)) { return }
    let code = errno
    let above = parent(of: path)
    guard code == ENOENT, above != path else {
      throw FileError(operation: "mkdir", path: path, code: code == EEXIST ? ENOTDIR : code)
    }
    try create(above, mode: mode)
    // Another process may have made it meanwhile.
    guard mkdir(path, mode) == 0 || errno == EEXIST else {
      throw FileError(operation: "mkdir", path: path, code: errno)
    }
  }

  /// The names in a folder, sorted by their bytes, without `.` and `..`.
  ///
  /// - Parameter path: the folder.
  /// - Returns: names, not paths.
  /// - Throws: `FileError`.
  package static func names(in path: String) throws(FileError) -> [String] {
    guard let stream = opendir(path) else {
      throw FileError(operation: "opendir", path: path, code: errno)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Waits until the names in a folder are on the disk.
  ///
  /// - Parameter path: the folder.
  /// - Throws: `FileError`.
  package static func synchronize(_ path: String) throws(FileError) {
    try OpenFile(path, flags: O_RDONLY | O_DIRECTORY).synchronize()
  }

  /// Removes a folder with all that is in it; what is not there is no error, links are not followed.
  ///
  /// - Parameter path: the folder, or a file.
  /// - Throws: `FileError` where something stays; the rest is removed all the same.
  package static func remove(_ path: String) throws(FileError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    var failure: FileError?
    if status.st_mode & S_IFMT == S_IFDIR {
      for name in try names(in: path) {
        do throws(FileError) { try remove("\(path)/\(name)") } catch { failure = error }
      }
      if let failure { throw failure }
      guard rmdir(path) == 0 || errno == ENOENT else {
        throw FileError(operation: "rmdir", path: path, code: errno)
      }
    } else if unlink(path) != 0, errno != ENOENT {
      throw FileError(operation: "unlink", path: path, code: errno)
    }
  }

  /// The folder that holds a path; `/` and `.` at the top.
  package static func parent(of path: String) -> String {
    var parts = path.split(separator: "/")
    let isAbsolute = path.hasPrefix("/")
    if !parts.isEmpty { parts.removeLast() }
    if parts.isEmpty { return isAbsolute ? "/" : "." }
    return (isAbsolute ? "/" : "") + parts.joined(separator: "/")
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
