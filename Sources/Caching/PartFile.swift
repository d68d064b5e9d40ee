import Glibc
import RoomProtocol
import Storage
import Synchronization

/// A track on its way, on the disk: the bytes, at their offsets, and the record of which are there.
///
/// Whoever has it holds its lock, which ends with the process: a locked part is being downloaded, an
/// unlocked one waits for somebody to go on.
///
/// Threading: from anywhere, one call at a time; blocks on the disk.
final class PartFile: Sendable {
  /// What became of opening a part.
  enum Opening {
    /// It is ours, with what is there already.
    case ours(PartFile, PartRecord)
    /// Another download, of this process or another, holds it.
    case busy
  }

  /// The track.
  let key: TrackKey
  /// The bytes.
  let file: OpenFile
  private let map: OpenFile
  private let mapEnd: Mutex<Int64>

  /// Where the bytes are while they are a part.
  var path: String { file.path }

  /// A part whose files are open; `end` is that of its map.
  init(_ key: TrackKey, _ file: OpenFile, map: OpenFile, end: Int64) {
    self.key = key
    self.file = file
    self.map = map
    mapEnd = Mutex(end)
  }

  // MARK: - Opening

  /// Opens a track's part, or makes it.
  ///
  /// - Parameters:
  ///   - key: the track.
  ///   - folder: the folder of the parts.
  /// - Returns: the part under our lock, or that another has it.
  /// - Throws: `FileError`.
  static func open(_ key: TrackKey, in folder: String) throws(FileError) -> Opening {
    let path = path(of: key, in: folder)
    // Whoever lists the parts holds a lock for a moment, and who ends one takes its name away.
    for attempt in 0..<20 {
      let file = try openRegular(path)
      // A file system without locks costs only the protection from others.
      guard (try? file.lock(waiting: false)) != false else {
        if attempt >= 5 { return .busy }
        usleep(1000)
        continue
      }
      guard file.isInPlace else { continue }
      guard file.nameCount <= 1 else {
        // Its bytes are a finished file's too, by a kill, or somebody else's: not to be written to.
        unlink(path)
        continue
      }
      return try resume(key, file)
    }
    return .busy
  }

  /// Opens for reading and writing, never through a link; what is no plain file goes.
  private static func openRegular(_ path: String) throws(FileError) -> OpenFile {
    let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG { unlink(path) }
    let file = try OpenFile(path, flags: flags, mode: 0o600)
    // Whatever the umask took away, or somebody else's file let others do.
    try file.setMode(0o600)
    return file
  }

  private static func resume(_ key: TrackKey, _ file: OpenFile) throws(FileError) -> Opening {
    let mapPath = mapPath(of: file.path)
    let map = try openRegular(mapPath)
    let text = try map.readAll(limit: mapLimit)
    var record = PartRecord()
    var end = Int64(text.count)
    if let known = PartRecord.read(text, boot: bootID), known.key == key {
      record = known.record
      // The file may have been cut by somebody else.
      record.ranges = record.ranges.intersection(0..<(try file.length()))
      record.flushed = record.flushed.intersection(0..<(try file.length()))
    } else {
      try file.truncate(to: 0)
      end = 0
    }
    let part = PartFile(key, file, map: map, end: end)
    if end == 0 || end > mapLimit / 2 {
      try map.truncate(to: 0)
      part.mapEnd.withLock { $0 = 0 }
      do throws(FileError) {
        try part.append(PartRecord.heading(key) + record.line(boot: bootID))
      } catch {
        // The disk is full: what tells nothing need not stay.
        if record.ranges.isEmpty { part.discard() }
        throw error
      }
    } else {
      // What a kill left of a line must not spoil the next. On a full disk what is there can be
      // played all the same.
      try? part.append("\n")
    }
    return .ours(part, record)
  }

  /// The most a map takes: past the half it is begun anew at the next opening.
  private static let mapLimit = 4 * 1024 * 1024

  // MARK: - Recording

  /// Writes down what is there; what was recorded before counts until then.
  ///
  /// - Parameters:
  ///   - record: what is there.
  ///   - durably: whether to wait until that is on the disk, for what counts no more.
  /// - Throws: `FileError`.
  func record(_ record: PartRecord, durably: Bool = false) throws(FileError) {
    try append(record.line(boot: bootID))
    if durably { try map.synchronize() }
  }

  private func append(_ text: String) throws(FileError) {
    let bytes = Array(text.utf8)
    let result = mapEnd.withLock { end -> Result<Void, FileError> in
      // A line that would make the map unreadable as a whole is left out.
      guard end + Int64(bytes.count) <= Self.mapLimit else { return .success(()) }
      return bytes.withUnsafeBytes { buffer in
        do throws(FileError) {
          try map.write(buffer, at: end)
          end += Int64(buffer.count)
          return .success(())
        } catch { return .failure(error) }
      }
    }
    try result.get()
  }

  // MARK: - Ending

  /// Lets others go on with it.
  func release() { file.unlock() }

  /// Removes it, bytes and record; its own bytes stay readable for who has them open, or gave them
  /// another name.
  func discard() {
    unlink(Self.mapPath(of: path))
    if file.isInPlace { unlink(path) }
  }

  // MARK: - Names

  /// Where a track's part is: named by our own digest, never by what a server says.
  static func path(of key: TrackKey, in folder: String) -> String {
    let name = Array(key.server.utf8) + [0] + Array(key.track.rawValue.utf8)
    return "\(folder)/\(ContentHash.digest(of: name).hex).part"
  }

  /// Where the record of a part is.
  static func mapPath(of part: String) -> String { "\(part.dropLast(5)).map" }
}

// MARK: - Looking at all of them

extension PartFile {
  /// A part as it lies there.
  struct Listing: Sendable {
    var key: TrackKey
    var path: String
    /// What of the file is here.
    var ranges: ByteRanges
    /// Bytes of the whole file, where the server said so.
    var expected: Int64?
    /// What it takes of the disk: also what no record tells of.
    var taken: Int64
    /// Whether its bytes have a finished file's name too.
    var isEntered: Bool
    /// Whether a download holds it just now.
    var isBusy: Bool
    /// When it last changed, in seconds since 1970.
    var changed: Double

    /// How much of it is here.
    var bytes: Int64 { ranges.count }
  }

  /// All parts that tell what they are.
  ///
  /// - Parameter folder: the folder of the parts.
  /// - Returns: one a track, in the order of their names.
  /// - Throws: `FileError` where it can't be read.
  static func list(in folder: String) throws(FileError) -> [Listing] {
    try Folder.names(in: folder).filter { $0.hasSuffix(".part") }
      .compactMap { listing(of: "\(folder)/\($0)", in: folder) }
  }

  /// The part of a track, where there is one.
  static func listing(of key: TrackKey, in folder: String) -> Listing? {
    listing(of: path(of: key, in: folder), in: folder)
  }

  /// Removes a part that nobody holds.
  ///
  /// - Returns: false where a download holds it.
  static func remove(_ path: String) -> Bool {
    guard let file = lockedIfFree(path) else {
      var status = stat()
      return lstat(path, &status) != 0
    }
    unlink(mapPath(of: path))
    if file.isInPlace { unlink(path) }
    return true
  }

  /// Removes what tells nothing: parts without a record and records without a part.
  ///
  /// What somebody holds stays, and what has a name that we don't give.
  ///
  /// - Parameter folder: the folder of the parts.
  /// - Throws: `FileError` where it can't be read.
  static func sweep(_ folder: String) throws(FileError) {
    for name in try Folder.names(in: folder) {
      let path = "\(folder)/\(name)"
      var status = stat()
      guard let stem = name.split(separator: ".").first, Hex.bytes(String(stem))?.count == 32 else {
        continue
      }
      if name == "\(stem).part" {
        if listing(of: path, in: folder) == nil { _ = remove(path) }
      } else if name == "\(stem).map", lstat("\(folder)/\(stem).part", &status) != 0 {
        unlink(path)
      }
    }
  }

  private static func listing(of path: String, in folder: String) -> Listing? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let map = try? OpenFile(mapPath(of: path), flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
      let text = try? map.readAll(limit: mapLimit),
      let known = PartRecord.read(text, boot: bootID), self.path(of: known.key, in: folder) == path
    else { return nil }
    let ranges = known.record.ranges.intersection(0..<Int64(status.st_size))
    return Listing(
      key: known.key, path: path, ranges: ranges, expected: known.record.expected,
      taken: max(ranges.count, min(Int64(status.st_size), Int64(status.st_blocks) * 512)),
      isEntered: status.st_nlink > 1, isBusy: lockedIfFree(path) == nil,
      changed: Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9)
  }

  /// The file under our lock; nil where another holds it, or it is gone.
  private static func lockedIfFree(_ path: String) -> OpenFile? {
    guard let file = try? OpenFile(path, flags: O_RDWR | O_NOFOLLOW | O_NONBLOCK),
      (try? file.lock(waiting: false)) != false, file.isInPlace
    else { return nil }
    return file
  }
}
