import Glibc
import Storage
import TestSupport

/// What a cache's folder holds, read without the program.
struct CacheAudit {
  /// A row of the index.
  struct Row: Hashable {
    var server: String
    var id: String
    var bytes: Int
    var digest: String
  }

  let folder: String
  private(set) var rows: [Row] = []
  /// Finished files by name, with their lengths.
  private(set) var files: [String: Int] = [:]
  /// Tracks on their way, by what stands before `.part`, with the room they take.
  private(set) var parts: [String: Int] = [:]
  private(set) var maps: Set<String> = []
  /// What is neither.
  private(set) var strangers: [String] = []

  /// Reads a folder.
  ///
  /// - Parameter folder: the cache's.
  /// - Throws: `SQLiteError`, `FileError`.
  init(_ folder: String) throws {
    self.folder = folder
    let index = "\(folder)/index.db"
    if access(index, F_OK) == 0 {
      rows = try SQLiteConnection(path: index).rows(
        "SELECT server, id, bytes, digest FROM track ORDER BY server, id"
      ) { row in
        Row(
          server: row.text(0) ?? "", id: row.text(1) ?? "", bytes: Int(row.integer(2) ?? 0),
          digest: row.text(3) ?? "")
      }
    }
    strangers = Self.names(folder).filter { !Self.usual.contains($0) }
    for name in Self.names("\(folder)/tracks") {
      files[name] = Self.length("\(folder)/tracks/\(name)")
    }
    for name in Self.names("\(folder)/parts") {
      let stem = String(name.split(separator: ".").first ?? "")
      if name == "\(stem).part" {
        parts[stem] = Self.blocks("\(folder)/parts/\(name)")
      } else if name == "\(stem).map" {
        maps.insert(stem)
      } else {
        strangers.append(name)
      }
    }
  }

  /// What may stand in the folder itself.
  private static let usual: Set = [
    "index.db", "index.db-wal", "index.db-shm", "index.lock", "ballast", "playing.lock", "tracks",
    "parts", "quarantine", "libraries",
  ]

  /// The bytes of all finished files.
  var bytes: Int { files.values.reduce(0, +) }

  /// The ids of a server's finished tracks.
  func ids(of server: String) -> Set<String> {
    Set(rows.filter { $0.server == server }.map(\.id))
  }

  /// What is not as it should be where nothing runs and one `cache prune` has been.
  ///
  /// - Parameter items: what the tracks truly are.
  /// - Returns: a line each.
  func faults(against items: [TrackSource.Item]) -> [String] {
    var faults: [String] = []
    let truth = Dictionary(items.map { ($0.id, $0) }) { $1 }
    for row in rows {
      guard let item = truth[row.id] else {
        faults.append("row of \(row.id), which nobody asked for")
        continue
      }
      if row.digest != item.digest { faults.append("\(item.title) is entered as another file") }
      if row.bytes != item.bytes.count {
        faults.append("\(item.title) is entered as \(row.bytes) bytes")
      }
      if files[row.digest] == nil { faults.append("\(item.title) has a row and no file") }
    }
    let entered = Set(rows.map(\.digest))
    for (name, length) in files.sorted(by: { $0.key < $1.key }) {
      if !entered.contains(name) { faults.append("file \(name) of \(length) bytes without a row") }
      let bytes = (try? Fixture.bytes(at: "\(folder)/tracks/\(name)")) ?? []
      if ContentHash.digest(of: bytes).hex != name {
        faults.append("file \(name) is not what its name says")
      }
    }
    for stem in Set(parts.keys).symmetricDifference(maps).sorted() {
      faults.append(
        parts[stem] == nil ? "\(stem).map without its part" : "\(stem).part without its map")
    }
    for stem in parts.keys.sorted() where isLocked("\(folder)/parts/\(stem).part") {
      faults.append("\(stem).part is locked by nobody we know")
    }
    return faults + strangers.map { "\($0) is nothing we know" }
  }

  /// The room a cache surely takes on its disk while others work in it, tracks and parts together.
  ///
  /// A look takes time, in which one file goes and another comes: what is there at two looks, and as
  /// much as it had at the smaller one, was there at once.
  static func room(of folder: String) -> Int {
    let first = sizes(in: folder)
    return sizes(in: folder).reduce(0) { $0 + min($1.value, first[$1.key] ?? 0) }
  }

  /// By inode: a track on its way from one folder to the other has two names for a moment.
  private static func sizes(in folder: String) -> [ino_t: Int] {
    var sizes: [ino_t: Int] = [:]
    for place in ["tracks", "parts", "quarantine"] {
      for name in names("\(folder)/\(place)") {
        var status = stat()
        guard lstat("\(folder)/\(place)/\(name)", &status) == 0 else { continue }
        sizes[status.st_ino] = min(Int(status.st_size), Int(status.st_blocks) * 512)
      }
    }
    return sizes
  }

  // MARK: Looking

  private static func names(_ path: String) -> [String] { (try? Folder.names(in: path)) ?? [] }

  private static func length(_ path: String) -> Int {
    var status = stat()
    return lstat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// What a file takes, its holes left out, and never more than its length.
  private static func blocks(_ path: String) -> Int {
    var status = stat()
    guard lstat(path, &status) == 0 else { return 0 }
    return min(Int(status.st_size), Int(status.st_blocks) * 512)
  }

  private func isLocked(_ path: String) -> Bool {
    guard let file = try? OpenFile(path) else { return false }
    return (try? file.lock(waiting: false)) != true
  }
}
