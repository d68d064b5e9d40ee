import Glibc

/// A disk of a few megabytes, in memory, mounted on a folder of its own as long as it lives.
package final class SmallDisk: Sendable {
  private let folder: TemporaryFolder

  /// Where it is mounted.
  package var path: String { folder.path }

  /// Whether this machine lets us mount anything.
  package static let isAvailable: Bool = (try? SmallDisk(bytes: 65_536)) != nil

  /// Mounts an empty disk.
  ///
  /// - Parameter bytes: its size.
  /// - Throws: `FixtureError` where the machine refuses.
  package init(bytes: Int) throws {
    folder = try TemporaryFolder()
    let command = "mount -t tmpfs -o size=\(bytes),mode=0700 tmpfs '\(folder.path)' 2>/dev/null"
    guard system(command) == 0 else { throw FixtureError(path: folder.path, code: EPERM) }
  }

  deinit {
    system("umount -l '\(folder.path)'")
  }

  /// Fills it to the last byte.
  ///
  /// - Parameter name: the file that takes the rest.
  package func fill(_ name: String) {
    guard let file = fopen("\(path)/\(name)", "a") else { return }
    setvbuf(file, nil, _IONBF, 0)
    let block = [UInt8](repeating: 1, count: 65_536)
    var size = block.count
    while size > 0 {
      if fwrite(block, 1, size, file) < size { size /= 2 }
    }
    fclose(file)
  }
}
