import Glibc
import RoomProtocol
import Storage

/// The revision of the last queue that was listed on a terminal, kept for ten minutes.
///
/// Whoever types row numbers means the listing they see, so that an edit which names rows is bound
/// to it. One small file a server and room, readable by its owner alone. A memory that can't be
/// read or written is none: the edit is then bound to nothing, as in a script.
struct ListingMemory {
  /// How long a listing counts, in seconds.
  static let lifetime = 600

  private let path: String

  /// The memory of one room.
  ///
  /// - Parameters:
  ///   - folder: the folder of what is kept between runs.
  ///   - server: the server's address, as text.
  ///   - channel: the room.
  init(folder: String, server: String, channel: ChannelID) {
    let name = ContentHash.digest(of: Array("\(server)\n\(channel.rawValue)".utf8)).hex.prefix(32)
    path = "\(folder)/listings/\(name)"
  }

  /// Keeps what was listed just now.
  ///
  /// - Parameters:
  ///   - revision: the queue's revision.
  ///   - now: seconds since 1970.
  func remember(_ revision: String, now: Int = time(nil)) {
    try? KeptLines.write(["\(revision) \(now)"], to: path)
  }

  /// The revision that was listed, nil where that is too long ago.
  ///
  /// - Parameter now: seconds since 1970; a listing of the future is none.
  /// - Returns: a revision such as `4f2a`.
  func recall(now: Int = time(nil)) -> String? {
    let lines = KeptLines.read(path)
    guard lines.count == 1 else { return nil }
    let words = lines[0].split(whereSeparator: \.isWhitespace)
    guard words.count == 2, let then = Int(words[1]), (0..<Self.lifetime).contains(now - then)
    else { return nil }
    return String(words[0])
  }
}
