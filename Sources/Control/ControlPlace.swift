import Glibc

/// Where an instance's control socket is (docs/control.md).
package struct ControlPlace: Hashable, Sendable {
  /// The name of the listener among those of one user.
  package let instance: String
  /// The folder, ours alone.
  package let folder: String

  /// The instance where none is named.
  package static let standardInstance = "default"

  /// The socket.
  package var socketPath: String { "\(folder)/\(instance).sock" }
  /// The file whose lock says that the instance's listener lives.
  package var lockPath: String { "\(folder)/\(instance).lock" }

  /// The longest path of a socket: `sun_path` without its final zero.
  package static let pathLimit = 107

  /// Names a place.
  ///
  /// - Parameters:
  ///   - instance: letters, digits, `.`, `_` and `-`, at most 64, not beginning with a dot.
  ///   - folder: the folder, which need not exist.
  /// - Throws: `ControlError` for a name or a length that can't be.
  package init(instance: String, folder: String) throws(ControlError) {
    guard Self.isName(instance) else { throw .badName(instance) }
    self.instance = instance
    self.folder = folder
    guard socketPath.utf8.count <= Self.pathLimit else {
      throw .pathTooLong(socketPath, limit: Self.pathLimit)
    }
  }

  /// Whether an instance can be called this.
  package static func isName(_ text: String) -> Bool {
    guard (1...64).contains(text.utf8.count), !text.hasPrefix(".") else { return false }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "-"):
        true
      default: false
      }
    }
  }

  /// The lock and the socket's folder made ready for a listener to be.
  ///
  /// - Throws: `ControlError` where the folder can't be made or is not ours.
  package func prepare() throws(ControlError) {
    if mkdir(folder, 0o700) != 0, errno != EEXIST {
      throw .system(operation: "make", path: folder, code: errno)
    }
    try Self.check(folder)
  }

  /// Checks that a folder is ours alone, and takes it from others where it is ours.
  static func check(_ folder: String) throws(ControlError) {
    var status = stat()
    guard lstat(folder, &status) == 0 else {
      throw .system(operation: "look at", path: folder, code: errno)
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: break
    case S_IFLNK: throw .foreignFolder(folder, .symbolicLink)
    default: throw .foreignFolder(folder, .notAFolder)
    }
    guard status.st_uid == geteuid() else { throw .foreignFolder(folder, .ownedByAnother) }
    if status.st_mode & 0o077 != 0, chmod(folder, 0o700) != 0 {
      throw .system(operation: "restrict", path: folder, code: errno)
    }
  }
}

/// The folders in which the control sockets of a user may lie.
package struct ControlFolders: Sendable {
  /// What `XDG_RUNTIME_DIR` says; nil where it is unset.
  package var runtime: String?
  /// Where the system keeps the users' runtime folders.
  package var users = "/run/user"
  /// The folder of what is kept between runs.
  package var state: String

  /// Takes the rules' facts from an environment.
  ///
  /// - Parameters:
  ///   - environment: the process's variables.
  ///   - state: our own folder below `XDG_STATE_HOME`.
  package init(environment: [String: String], state: String) {
    // The XDG rules: what is not absolute is to be ignored.
    runtime = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    self.state = state
  }

  /// The folders that are looked at, the best first; they need not exist.
  package var candidates: [String] {
    let fallback = "\(state)/run"
    if let runtime { return ["\(runtime)/blastoise", fallback] }
    // cron and sudo forget the variable; the folder is there all the same.
    return ["\(users)/\(geteuid())/blastoise", fallback]
  }

  /// The place where a listener is to open its socket: in the first folder that can be had.
  ///
  /// - Parameter instance: its name.
  /// - Returns: the place, in a folder that is there and ours.
  /// - Throws: `ControlError`.
  package func place(of instance: String) throws(ControlError) -> ControlPlace {
    let candidates = candidates
    for (number, folder) in candidates.enumerated() {
      let isLast = number == candidates.count - 1
      // A runtime folder that does not exist, or is somebody else's, is none of ours.
      if !isLast, !Self.isOurs(Self.parent(of: folder)) { continue }
      let place = try ControlPlace(instance: instance, folder: folder)
      if isLast { Self.make(Self.parent(of: folder)) }
      try place.prepare()
      return place
    }
    throw .noListener(instance: instance)
  }

  /// Where a listener of this name may be found, the likeliest first.
  ///
  /// - Throws: `ControlError` where no listener can have such a name.
  package func places(of instance: String) throws(ControlError) -> [ControlPlace] {
    var places: [ControlPlace] = []
    for folder in candidates {
      let place = try ControlPlace(instance: instance, folder: folder)
      if (try? ControlPlace.check(folder)) != nil { places.append(place) }
    }
    return places
  }

  /// The places of all sockets there are, of the living and of the dead.
  package var all: [ControlPlace] {
    candidates.flatMap { folder -> [ControlPlace] in
      guard (try? ControlPlace.check(folder)) != nil, let stream = opendir(folder) else {
        return []
      }
      defer { closedir(stream) }
      var places: [ControlPlace] = []
      while let entry = readdir(stream) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        guard name.hasSuffix(".sock") else { continue }
        if let place = try? ControlPlace(instance: String(name.dropLast(5)), folder: folder) {
          places.append(place)
        }
      }
      return places.sorted { $0.instance < $1.instance }
    }
  }

  private static func isOurs(_ folder: String) -> Bool {
    var status = stat()
    return stat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      && status.st_uid == geteuid()
  }

  private static func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }

  /// Makes a folder and those above it; what can't be made is told by what follows.
  private static func make(_ folder: String) {
    guard !folder.isEmpty, access(folder, F_OK) != 0 else { return }
    make(parent(of: folder))
    mkdir(folder, 0o700)
  }
}
