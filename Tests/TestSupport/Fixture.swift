import Glibc

/// The files under Fixtures, found from the place of this source file (no bundle, no copy).
package enum Fixture {
  /// The repository's root folder.
  package static let root: String = {
    let parts = #filePath.split(separator: "/").dropLast(3)
    return "/" + parts.joined(separator: "/")
  }()

  /// The path of a fixture, such as `audio/ruler.flac`.
  package static func path(_ name: String) -> String {
    "\(root)/Fixtures/\(name)"
  }

  /// The bytes of a fixture.
  ///
  /// - Throws: `FixtureError` when there is no such file.
  package static func bytes(_ name: String) throws -> [UInt8] {
    try bytes(at: path(name))
  }

  /// The bytes of any file.
  ///
  /// - Throws: `FixtureError` when there is no such file.
  package static func bytes(at path: String) throws -> [UInt8] {
    guard let file = fopen(path, "rb") else { throw FixtureError(path: path, code: errno) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65536)
    while case let count = fread(&block, 1, block.count, file), count > 0 {
      bytes.append(contentsOf: block[..<count])
    }
    return bytes
  }
}

/// A fixture that could not be read.
package struct FixtureError: Error {
  package var path: String
  package var code: Int32
}
