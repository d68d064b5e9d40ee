import Glibc
import Platform
import RoomProtocol
package import Storage
package import Transport

/// Why a session could not be read or kept; cookies are never in it.
package enum SessionError: Error, Equatable, Sendable {
  /// The file is no cookie file: the number of the first line that can't be read, from 1.
  case malformed(path: String, line: Int)
  /// The system refused.
  case file(FileError)
}

/// The sessions on disk: a file of cookies a server, for all processes of a user.
///
/// Files are in Netscape's format, mode 0600 in a folder of mode 0700, written whole under a lock.
/// What another process wrote meanwhile is kept: a guest's session that came by itself never takes
/// the place of one that somebody has signed in for.
///
/// Threading: an actor on a queue of its own, because it blocks on disk and lock.
package actor SessionStore {
  private let folder: String
  private let executor = QueueExecutor(label: "sessions")
  /// What stood in each file when we last saw it: the base of the next merge.
  private var known: [String: [Cookie.Key: Cookie]] = [:]

  /// The queue.
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Keeps sessions in a folder, which is made when the first one is written.
  package init(folder: String) {
    self.folder = folder
  }

  /// The folder of a user's sessions: below `$XDG_STATE_HOME`, else below `~/.local/state`.
  ///
  /// - Parameter environment: the variables of the process.
  /// - Returns: a path; relative to the working directory where not even `HOME` is set.
  package static func standardFolder(_ environment: [String: String]) -> String {
    // The XDG rules: what is not absolute is to be ignored.
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
      return "\(state)/blastoise/sessions"
    }
    return "\(environment["HOME"] ?? ".")/.local/state/blastoise/sessions"
  }

  /// The file of a server's session; `http` and `https` of one host share it.
  package nonisolated func path(of server: ServerAddress) -> String {
    "\(folder)/\(server.fileName).cookies"
  }

  /// Reads a server's cookies; none where there is no file.
  ///
  /// - Parameter server: the server.
  /// - Returns: the cookies that have not ended.
  /// - Throws: `SessionError` when there is a file that can't be read.
  package func load(_ server: ServerAddress) throws(SessionError) -> [Cookie] {
    let path = path(of: server)
    let cookies = try read(path)
    known[path] = cookies
    return Self.sorted(cookies)
  }

  /// Writes a server's cookies, merged with what another process wrote since the last `load` or `save`.
  ///
  /// - Parameters:
  ///   - cookies: all cookies of the client.
  ///   - server: the server.
  ///   - isWanted: whether somebody asked for them (to sign in, to sign out): then they go before
  ///     what another process wrote meanwhile, else after it; a file that is malformed is replaced.
  /// - Returns: the cookies that stand in the file now; the client may take them.
  /// - Throws: `SessionError`; the old file stays then.
  @discardableResult
  package func save(
    _ cookies: [Cookie], of server: ServerAddress, isWanted: Bool = false
  ) throws(SessionError) -> [Cookie] {
    let path = path(of: server)
    let base = known[path] ?? [:]
    let ours = Dictionary(cookies.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
    guard ours != base || (isWanted && known[path] == nil) else { return cookies }
    do throws(FileError) {
      try Folder.create(folder)
      try Self.restrict(folder)
    } catch {
      throw .file(error)
    }
    let lock: FileLock
    do throws(FileError) {
      lock = try FileLock(waitingFor: "\(path).lock")
    } catch {
      throw .file(error)
    }
    defer { withExtendedLifetime(lock) {} }
    let theirs: [Cookie.Key: Cookie]
    do throws(SessionError) {
      theirs = try read(path)
    } catch {
      // What nobody can read is of use to nobody.
      guard isWanted, case .malformed = error else { throw error }
      theirs = [:]
    }
    let merged = Self.merge(base: base, ours: ours, theirs: theirs, isWanted: isWanted)
    try write(merged, to: path)
    known[path] = merged
    return Self.sorted(merged)
  }

  /// Joins two histories of one file: what only we changed is ours, the rest is theirs; what both
  /// changed is ours where it was wanted.
  static func merge(
    base: [Cookie.Key: Cookie], ours: [Cookie.Key: Cookie], theirs: [Cookie.Key: Cookie],
    isWanted: Bool
  ) -> [Cookie.Key: Cookie] {
    var merged = theirs
    for key in Set(base.keys).union(ours.keys) where ours[key] != base[key] {
      if isWanted || theirs[key] == base[key] { merged[key] = ours[key] }
    }
    return merged
  }

  private func read(_ path: String) throws(SessionError) -> [Cookie.Key: Cookie] {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try OpenFile(path).readAll(limit: 1 << 20)
    } catch {
      if error.code == ENOENT { return [:] }
      throw .file(error)
    }
    let now = Int64(time(nil))
    var cookies: [Cookie.Key: Cookie] = [:]
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let text = String(decoding: line, as: UTF8.self)
      if let cookie = Cookie(netscapeLine: text) {
        if !cookie.isExpired(now: now) { cookies[cookie.key] = cookie }
      } else if !text.isEmpty, !text.hasPrefix("#") {
        throw .malformed(path: path, line: index + 1)
      }
    }
    return cookies
  }

  private func write(
    _ cookies: [Cookie.Key: Cookie], to path: String
  ) throws(SessionError) {
    let head =
      "# Netscape HTTP Cookie File\n# Written by blastoise. Whoever has it has the session.\n"
    let lines = Self.sorted(cookies).map { $0.netscapeLine + "\n" }.joined()
    do throws(FileError) {
      try AtomicFile.write(Array((head + lines).utf8), to: path)
    } catch {
      throw .file(error)
    }
  }

  /// Takes a folder from everybody else, whatever umask it was made under.
  private static func restrict(_ folder: String) throws(FileError) {
    guard chmod(folder, 0o700) == 0 else {
      throw FileError(operation: "chmod", path: folder, code: errno)
    }
  }

  private static func sorted(_ cookies: [Cookie.Key: Cookie]) -> [Cookie] {
    cookies.values.sorted { $0.netscapeLine < $1.netscapeLine }
  }
}

extension ServerAddress {
  /// The name of a file that is about this server; `http` and `https` of one host share it.
  package var fileName: String {
    PathSegment.encode(base.authority + (base.path == "/" ? "" : base.path))
  }
}

extension Cookie {
  /// What makes two cookies one and the same, with different values.
  struct Key: Hashable {
    var domain: String
    var path: String
    var name: String
  }

  var key: Key { Key(domain: domain, path: path, name: name) }
}
