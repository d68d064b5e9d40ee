import RoomClient
import RoomProtocol
import Storage

/// What is remembered of a server between runs: the room joined last, and who signed in.
///
/// It is for comfort: what can't be read is not remembered, and what can't be written is not missed.
struct ServerMemory {
  private let folder: String
  private let name: String

  private static let sizeLimit = 4096

  /// The memory of a server.
  ///
  /// - Parameters:
  ///   - server: the server.
  ///   - state: the folder of what is kept between runs.
  init(of server: ServerAddress, state: String) {
    folder = "\(state)/servers"
    name = server.fileName
  }

  /// The room that was joined last, whether it is still there or not.
  var room: ChannelID? { read("room").map { ChannelID($0) } }

  /// The name of who has signed in; nil for guests.
  var user: String? { read("user") }

  /// Remembers the room that was joined.
  func remember(room: ChannelID) { write(room.rawValue, "room") }

  /// Remembers who has signed in; nil forgets.
  func remember(user: String?) { write(user ?? "", "user") }

  private func path(_ what: String) -> String { "\(folder)/\(name).\(what)" }

  private func read(_ what: String) -> String? {
    guard let bytes = try? OpenFile(path(what)).readAll(limit: Self.sizeLimit), !bytes.isEmpty
    else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  private func write(_ text: String, _ what: String) {
    guard text != read(what) ?? "", text.utf8.count < Self.sizeLimit else { return }
    try? Folder.create(folder)
    try? AtomicFile.write(Array(text.utf8), to: path(what))
  }
}
