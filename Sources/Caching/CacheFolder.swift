import Glibc
import Storage

/// The cache's folder: where everything is, made so that nobody else gets at it.
struct CacheFolder: Sendable {
  var path: String

  /// Finished files.
  var tracks: String { "\(path)/tracks" }

  /// Downloads on their way.
  var parts: String { "\(path)/parts" }

  /// Files that turned out wrong.
  var quarantine: String { "\(path)/quarantine" }

  /// The index's file.
  var index: String { "\(path)/index.db" }

  /// Held by who mends a damaged index.
  var indexLock: String { "\(path)/index.lock" }

  /// A file whose room is given up where the index can't be written on a full disk.
  private var ballast: String { "\(path)/ballast" }

  /// The file of a digest.
  func file(of digest: String) -> String { "\(tracks)/\(digest)" }

  /// Whether a cache has ever been here.
  var hasIndex: Bool {
    var status = stat()
    return lstat(index, &status) == 0
  }

  /// Makes what is missing of it, for nobody else's eyes whatever the umask.
  ///
  /// - Throws: `FileError`: `ELOOP` for a link in the place of one of its folders or of the index,
  ///   `EPERM` for a folder of somebody else's.
  func create() throws(FileError) {
    try Folder.create(path, mode: 0o700)
    // The folder itself may be a link of the user's to another disk.
    try Self.makePrivate(path, following: true)
    for folder in [tracks, parts, quarantine] {
      guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
        throw FileError(operation: "mkdir", path: folder, code: errno)
      }
      try Self.makePrivate(folder, following: false)
    }
    try check()
    try SecretFile.prepare(index)
  }

  /// Refuses links in the places of the index and the folders: what they lead to is not ours to
  /// write, and above all not ours to remove.
  func check() throws(FileError) {
    for file in [index, "\(index)-wal", "\(index)-shm"] { try Self.check(file, isA: S_IFREG) }
    for folder in [tracks, parts, quarantine] { try Self.check(folder, isA: S_IFDIR) }
  }

  private static func check(_ path: String, isA kind: mode_t) throws(FileError) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT != kind else { return }
    throw FileError(operation: "open", path: path, code: ELOOP)
  }

  /// Whether a file among the finished ones has a name that we give.
  ///
  /// That is a digest, or what the first version called its parts; what else lies there is somebody
  /// else's.
  static func isOurs(_ name: String) -> Bool {
    Hex.bytes(name)?.count == 32 || (name.hasPrefix("track.") && name.hasSuffix(".part"))
  }

  /// Removes what a kill has left beside the index.
  func sweepScratch() {
    let names = (try? Folder.names(in: path)) ?? []
    for name in names where name.hasPrefix("ballast.") && name.hasSuffix(".part") {
      unlink("\(path)/\(name)")
    }
  }

  /// Opens a finished file; never through a link, and never one that isn't regular.
  func open(_ digest: String) throws(FileError) -> OpenFile {
    // A planted FIFO must not block.
    let file = try OpenFile(file(of: digest), flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    guard file.isInPlace else { throw FileError(operation: "open", path: file.path, code: ENOENT) }
    return file
  }

  /// Takes room for the index, against the day when the disk is full.
  ///
  /// Removing tracks writes to the index: its log and what processes share of it take up to
  /// 100 KiB before the first track is gone.
  func takeBallast() {
    var status = stat()
    guard lstat(ballast, &status) != 0 else { return }
    let part = AtomicFile.partPath(for: ballast)
    let file = try? OpenFile(part, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
    let zeros = [UInt8](repeating: 0, count: 256 * 1024)
    guard let file, zeros.withUnsafeBytes({ (try? file.write($0, at: 0)) != nil }) else {
      unlink(part)
      return
    }
    rename(part, ballast)
  }

  /// Gives that room up.
  ///
  /// - Returns: whether there was any.
  func dropBallast() -> Bool { unlink(ballast) == 0 }

  /// What is free on its disk for us, and the disk's size; also before the folder is made.
  func disk() throws(FileError) -> (free: Int64, total: Int64) {
    var status = statvfs()
    var place = path
    var result = statvfs(place, &status)
    while result != 0, errno == ENOENT, Folder.parent(of: place) != place {
      place = Folder.parent(of: place)
      result = statvfs(place, &status)
    }
    guard result == 0 else {
      throw FileError(operation: "statvfs", path: path, code: errno)
    }
    let block = Int64(clamping: status.f_frsize)
    func bytes(_ blocks: fsblkcnt_t) -> Int64 {
      let (bytes, isOver) = Int64(clamping: blocks).multipliedReportingOverflow(by: block)
      return isOver ? .max : bytes
    }
    return (bytes(status.f_bavail), bytes(status.f_blocks))
  }

  private static func makePrivate(_ path: String, following: Bool) throws(FileError) {
    var status = stat()
    guard (following ? stat(path, &status) : lstat(path, &status)) == 0 else {
      throw FileError(operation: "stat", path: path, code: errno)
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      let code = status.st_mode & S_IFMT == S_IFLNK ? ELOOP : ENOTDIR
      throw FileError(operation: "open", path: path, code: code)
    }
    guard status.st_uid == geteuid() else {
      throw FileError(operation: "open", path: path, code: EPERM)
    }
    guard status.st_mode & 0o777 == 0o700 || chmod(path, 0o700) == 0 else {
      throw FileError(operation: "chmod", path: path, code: errno)
    }
  }
}

extension TrackCache {
  /// The folder a user's cache is in: `$XDG_CACHE_HOME/blastoise`, else `~/.cache/blastoise`.
  ///
  /// An empty or relative variable counts as unset, as the XDG specification wants.
  package static func defaultFolder(environment: [String: String]) -> String {
    if let base = environment["XDG_CACHE_HOME"], base.hasPrefix("/") {
      return "\(base)/blastoise"
    }
    return "\(environment["HOME"] ?? "")/.cache/blastoise"
  }
}
