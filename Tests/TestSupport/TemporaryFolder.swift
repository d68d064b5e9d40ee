import FoundationEssentials
package import Glibc

/// A folder of a test's own under the system's temporary one, removed with everything in it when
/// the last reference goes.
package final class TemporaryFolder: Sendable {
  /// The folder's path.
  package let path: String

  /// Makes the folder.
  ///
  /// - Throws: `FixtureError` when the system refuses.
  package init() throws {
    let root = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(root)/blastoise-test-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw FixtureError(path: root, code: errno) }
    path = String(cString: made)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of a name in the folder.
  package func file(_ name: String) -> String {
    "\(path)/\(name)"
  }

  /// Writes a file into the folder, with the folders above it.
  ///
  /// - Parameters:
  ///   - name: the file's name, or its path in the folder.
  ///   - bytes: what it holds.
  /// - Returns: its path.
  /// - Throws: `FixtureError`.
  @discardableResult
  package func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
    let parts = name.split(separator: "/")
    for count in 1..<max(parts.count, 1) {
      mkdir(file(parts[..<count].joined(separator: "/")), 0o755)
    }
    try Music.write(Array(bytes), to: file(name))
    return file(name)
  }
}

/// The permissions of a file or folder, such as 0o600; nil where there is none.
package func permissions(of path: String) -> mode_t? {
  var status = stat()
  return stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
}
