import Glibc
import Storage

/// The cache's folder: `index.db`, and `tracks/` with a file a digest and a `.part` a download.
struct CacheFolder: Sendable {
  var path: String

  /// Where finished and growing files are.
  var tracks: String { "\(path)/tracks" }

  /// The index's file.
  var index: String { "\(path)/index.db" }

  /// The file of a digest.
  func file(of digest: String) -> String { "\(tracks)/\(digest)" }

  /// Makes what is missing of it.
  func create() throws(FileError) {
    try Folder.create(tracks, mode: 0o700)
  }

  /// Removes what a killed process has left: unlocked `.part`s and files that nothing refers to, as
  /// far as they were there before `start` (seconds since 1970).
  func sweep(keeping digests: Set<String>, before start: Double) throws(FileError) {
    for name in try Folder.names(in: tracks) where !digests.contains(name) {
      let path = "\(tracks)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9 < start,
        let file = try? OpenFile(path), (try? file.lock(waiting: false)) == true
      else { continue }
      unlink(path)
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
