import RoomClient
import RoomProtocol
import Transport

/// The names of a server's rooms and playlists as they were last seen, kept on disk for completion.
///
/// Whoever reads a whole list from the server keeps its names here; nobody asks for one only to
/// keep it. A file a server, a line a name.
struct KnownNames {
  private let path: String

  /// The names of a server, below the state folder.
  init(folder: String, server: ServerAddress) {
    path = "\(folder)/names/\(server.fileName)"
  }

  /// The names of a kind: `.channels` or `.playlists`.
  func names(_ kind: Completion.Names) -> [String] {
    let mark = Self.mark(kind)
    return KeptLines.read(path).compactMap { $0.hasPrefix(mark) ? String($0.dropFirst(2)) : nil }
  }

  /// Keeps names in the place of those of the same kind; what can't be kept is let go.
  func keep(_ kind: Completion.Names, _ names: [String]) {
    let mark = Self.mark(kind)
    let before = KeptLines.read(path)
    let new = names.map { name in mark + name.filter { !$0.isNewline } }
    let after = (before.filter { !$0.hasPrefix(mark) } + new).sorted()
    if after != before { try? KeptLines.write(after, to: path) }
  }

  private static func mark(_ kind: Completion.Names) -> String {
    kind == .playlists ? "p " : "c "
  }
}

extension CommandContext {
  /// Keeps the names of a list that was read whole, for completion.
  func keepNames(_ kind: Completion.Names, _ names: [String], of session: ServerSession) {
    // Without a store the server goes with this run.
    guard session.store != nil else { return }
    KnownNames(folder: stateFolder, server: session.server).keep(kind, names)
  }
}
