import Caching
import RoomClient
import RoomProtocol

/// `cache list`: what is in the cache, without asking anybody.
enum CacheListCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let cache = try context.cache()
    let server = context.invocation.has(.allServers) ? nil : try context.serverAddress.description
    let rows = try await cache.list(server: server)
    var titles: [String: [TrackID: Track]] = [:]
    for (server, rows) in Dictionary(grouping: rows, by: \.server) {
      titles[server] = await context.keptTitles(of: rows.map(\.id), server: server)
    }
    let tracks = rows.map { titles[$0.server]?[$0.id] ?? Track(id: $0.id) }
    let listing = CacheListing(rows: rows, tracks: tracks, room: try await cache.room())
    if context.isJSON {
      for (row, track) in zip(rows, tracks) where !context.console.isClosed {
        context.console.print(JSONValue(cached: row, track))
      }
    } else {
      for line in listing.lines(on: context.console.terminal, withServers: server == nil)
      where !context.console.isClosed {
        context.console.print(line)
      }
    }
    return .done
  }
}

/// The cache as lines; pure.
struct CacheListing {
  var rows: [CacheRow]
  /// What is known of each row's track.
  var tracks: [Track]
  var room: CacheRoom
  /// Seconds since 1970.
  var now = wallTime()

  /// The lines, with the totals at the end.
  func lines(on terminal: Console.Terminal?, withServers: Bool) -> [String] {
    let cells = zip(rows, tracks).map { row, track in
      [
        track.printableName, SizeText.text(row.bytes), state(row), used(row),
        row.isPinned ? "pinned" : "",
      ] + (withServers ? [Printable.escaped(row.server)] : [])
    }
    let columns: [Columns.Column] =
      [.text, .number, .word, .word, .word] + (withServers ? [.text] : [])
    return Columns(columns: columns, rows: cells).lines(on: terminal) + [total]
  }

  private func state(_ row: CacheRow) -> String {
    let share = row.share.map { " \(Int($0 * 100)) %" } ?? ""
    switch row.state {
    case .complete: return ""
    case .downloading: return "downloading" + share
    case .incomplete: return "incomplete" + share
    }
  }

  private func used(_ row: CacheRow) -> String { "used \(TimeText.ago(row.lastUsed, now))" }

  private var total: String {
    let bytes = rows.reduce(0) { $0 + Double($1.bytes) }
    return "\(counted(rows.count, "track")), \(SizeText.text(bytes: bytes)); "
      + "\(SizeText.text(room.used)) of \(SizeText.text(room.limit)) used, "
      + "room for \(SizeText.text(room.left))"
  }
}

extension CacheRow {
  /// How much of it is here, 0 to 1; nil where the whole is not known.
  var share: Double? {
    guard let expected, expected > 0 else { return state == .complete ? 1 : nil }
    return min(1, Double(bytes) / Double(expected))
  }
}

extension JSONValue {
  /// What the cache has of a track, for programs.
  init(cached row: CacheRow, _ track: Track) {
    self = [
      "track": JSONValue(track: track), "server": .text(row.server),
      "state": .text(row.state.rawValue), "bytes": .integer(row.bytes),
      "ranges": .text(row.ranges.text),
      "expected": row.expected.map(JSONValue.integer) ?? .null, "share": JSONValue(row.share),
      "last_used": JSONValue(row.lastUsed), "pinned": .bool(row.isPinned),
      "verified": .bool(row.isVerified), "digest": JSONValue(row.digest),
      "path": JSONValue(row.path), "content_type": JSONValue(row.contentType),
      "fetched": JSONValue(row.fetched),
    ]
  }
}
