import FoundationEssentials
import Glibc

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
}
