import Glibc

/// Folders of music for room servers, made of fixtures.
package enum Music {
  /// Puts fixtures into a new folder.
  ///
  /// - Parameters:
  ///   - folder: the folder's path.
  ///   - tracks: fixtures, such as `audio/ruler.flac`, by the name they get; each gets a tag of its
  ///     own in front, which decoders skip, so that equal ones are different tracks.
  /// - Throws: `FixtureError`.
  package static func fill(_ folder: String, _ tracks: [(name: String, fixture: String)]) throws {
    mkdir(folder, 0o700)
    for track in tracks {
      try write(tag(track.name) + Fixture.bytes(track.fixture), to: "\(folder)/\(track.name)")
    }
  }

  /// Writes a file.
  ///
  /// - Throws: `FixtureError`.
  package static func write(_ bytes: [UInt8], to path: String) throws {
    guard let file = fopen(path, "wb") else { throw FixtureError(path: path, code: errno) }
    defer { fclose(file) }
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
      throw FixtureError(path: path, code: errno)
    }
  }

  /// An ID3v2 tag with nothing but a text.
  package static func tag(_ text: String) -> [UInt8] {
    let body = Array(text.utf8) + [UInt8](repeating: 0, count: 100)
    return Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(body.count)] + body
  }
}
