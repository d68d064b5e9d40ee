import Glibc
import RoomProtocol
import Storage

/// Finds the tracks of a music folder, reading only what changed since the last time.
///
/// A track's id is `sha256:` and the digest of the file's first 65,536 bytes. Links are not
/// followed, hidden files and folders are left out.
///
/// Threading: blocks on the disk; runs beside the service thread.
struct LibraryScanner: Sendable {
  /// What a scan tells while it runs.
  enum Event: Sendable {
    /// So many of all files have been looked at.
    case progress(processed: Int, total: Int)
    /// A new or changed file.
    case found(ScannedFile)
    /// A file that is no track we know, or can't be read.
    case skipped(path: String, reason: String)
  }

  /// The bytes an id is made of.
  static let hashedBytes: Int64 = 65_536
  /// How deep folders may lie in each other.
  private static let depthLimit = 64

  var folder: String
  /// The files the last scan found, by their relative paths.
  var known: [String: ScannedFile]
  /// Reads a track's length and tags.
  var probe: @Sendable (_ path: String) throws -> Track
  /// Whether to give up, asked between files.
  var isCancelled: @Sendable () -> Bool

  /// Scans the folder.
  ///
  /// - Parameter report: called for each event, on this thread.
  /// - Returns: all files there are, sorted by path; what the folder holds no more is not among
  ///   them. Nil where the scan was given up.
  func scan(report: (Event) -> Void) -> [ScannedFile]? {
    let paths = paths()
    var files: [ScannedFile] = []
    files.reserveCapacity(paths.count)
    for (index, path) in paths.enumerated() {
      if isCancelled() { return nil }
      report(.progress(processed: index, total: paths.count))
      if let file = file(path, report: report) { files.append(file) }
    }
    report(.progress(processed: paths.count, total: paths.count))
    return isCancelled() ? nil : files
  }

  private struct Found {
    var path: String
    var size: Int64
    var modified: Int64
  }

  private func file(_ found: Found, report: (Event) -> Void) -> ScannedFile? {
    if let file = known[found.path], file.size == found.size, file.modified == found.modified {
      return file
    }
    do {
      let path = "\(folder)/\(found.path)"
      let digest = try ContentHash.digest(of: OpenFile(path), limit: Self.hashedBytes)
      var track = try probe(path)
      track.id = TrackID("sha256:\(digest.hex)")
      track.filename = found.path
      let file = ScannedFile(
        path: found.path, size: found.size, modified: found.modified, track: track)
      report(.found(file))
      return file
    } catch {
      report(.skipped(path: found.path, reason: "\(error)"))
      return nil
    }
  }

  /// The files with a suffix of ours, sorted by their paths.
  private func paths() -> [Found] {
    var found: [Found] = []
    walk("", depth: 0, into: &found)
    return found.sorted { $0.path < $1.path }
  }

  private func walk(_ relative: String, depth: Int, into found: inout [Found]) {
    guard depth < Self.depthLimit, !isCancelled(),
      let names = try? Folder.names(in: relative.isEmpty ? folder : "\(folder)/\(relative)")
    else { return }
    for name in names where !name.hasPrefix(".") {
      let path = relative.isEmpty ? name : "\(relative)/\(name)"
      var status = stat()
      guard lstat("\(folder)/\(path)", &status) == 0 else { continue }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: walk(path, depth: depth + 1, into: &found)
      case S_IFREG where MediaType.known[MediaType.suffix(of: name)] != nil:
        let modified =
          Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        found.append(Found(path: path, size: Int64(status.st_size), modified: modified))
      default: break
      }
    }
  }
}
