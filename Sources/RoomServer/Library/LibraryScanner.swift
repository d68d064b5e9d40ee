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
    var status: stat
  }

  private func file(_ found: Found, report: (Event) -> Void) -> ScannedFile? {
    if let file = known[found.path], file.size == found.status.st_size,
      file.modified == found.status.modified
    {
      return file
    }
    do {
      let file = try ScannedFile(
        path: found.path, at: "\(folder)/\(found.path)", status: found.status, probe: probe)
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
        found.append(Found(path: path, status: status))
      default: break
      }
    }
  }
}

extension ScannedFile {
  /// The bytes an id is made of.
  static let hashedBytes: Int64 = 65_536

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - path: what it is called in the music folder.
  ///   - place: where it is.
  ///   - status: its size and time.
  ///   - probe: reads its length and tags.
  /// - Throws: `FileError`, or what `probe` throws.
  init(
    path: String, at place: String, status: stat, probe: (_ path: String) throws -> Track
  ) throws {
    let digest = try ContentHash.digest(of: OpenFile(place), limit: Self.hashedBytes)
    var track = try probe(place)
    track.id = TrackID("sha256:\(digest.hex)")
    track.filename = path
    self.init(
      path: path, size: Int64(status.st_size), modified: status.modified, track: track)
  }
}

extension stat {
  /// The time of the last change, in nanoseconds since 1970.
  fileprivate var modified: Int64 {
    Int64(st_mtim.tv_sec) * 1_000_000_000 + Int64(st_mtim.tv_nsec)
  }
}
