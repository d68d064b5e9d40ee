import Storage

/// The lines typed at prompts, kept between runs: one a line, for the eyes of their owner alone.
///
/// Passwords are never typed at this prompt, so none can get here.
///
/// Threading: one thread; several processes may share the file.
struct PromptHistory {
  /// How many lines are kept.
  static let limit = 1000

  private let path: String

  /// The history kept in a folder, which is made where it is missing.
  init(folder: String) {
    path = folder + "/history"
  }

  /// The lines kept, the oldest first; none where they can't be read.
  var lines: [String] { KeptLines.read(path).suffix(Self.limit) }

  /// Keeps a line, unless it is blank or the same as the one before.
  ///
  /// - Throws: `FileError` where it can't be kept.
  func append(_ line: String) throws(FileError) {
    let line = line.filter { !$0.isNewline }
    guard line.contains(where: { $0 != " " }) else { return }
    try Folder.create(Folder.parent(of: path))
    let lock = try FileLock(waitingFor: path + ".lock")
    defer { withExtendedLifetime(lock) {} }
    let kept = lines
    guard kept.last != line else { return }
    try KeptLines.write((kept + [line]).suffix(Self.limit), to: path)
  }
}
