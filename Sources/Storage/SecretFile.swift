import Glibc

/// A file that holds secrets: for the eyes of its owner alone.
package enum SecretFile {
  /// Makes the file where it is missing, and takes the rights of all others away.
  ///
  /// SQLite gives a database's rights to the files it makes beside it.
  ///
  /// - Parameter path: the file. Its folder must exist.
  /// - Throws: `FileError`.
  package static func prepare(_ path: String) throws(FileError) {
    // Not opened where it is there: to close it would end SQLite's locks of another connection.
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 {
      close(descriptor)
    } else if errno != EEXIST {
      throw FileError(operation: "open", path: path, code: errno)
    }
    guard chmod(path, 0o600) == 0 else {
      throw FileError(operation: "chmod", path: path, code: errno)
    }
  }
}
