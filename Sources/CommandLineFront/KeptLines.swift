import Storage

/// A small text file of ours, a line an entry, for the eyes of its owner alone.
enum KeptLines {
  /// The lines of a file; none where it is missing, unreadable, or larger than 1 MiB.
  static func read(_ path: String) -> [String] {
    guard let file = try? OpenFile(path), let length = try? file.length(), length <= 1 << 20
    else { return [] }
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, count in
      count = (try? file.read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)) ?? 0
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Writes the lines in the place of the old ones; makes the folder where it is missing.
  ///
  /// - Throws: `FileError`.
  static func write(_ lines: some Sequence<String>, to path: String) throws(FileError) {
    try Folder.create(Folder.parent(of: path))
    var text = ""
    for line in lines { text += line + "\n" }
    try AtomicFile.write(Array(text.utf8), to: path)
  }
}
