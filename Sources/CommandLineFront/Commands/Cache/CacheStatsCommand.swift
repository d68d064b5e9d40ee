import Caching
import RoomProtocol

/// `cache stats`: what the cache has done, by server, and what is in it.
enum CacheStatsCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let cache = try context.cache()
    let stats = try await cache.stats()
    let room = try await cache.room()
    if context.isJSON {
      context.console.print(json(stats, room))
    } else {
      for line in lines(stats, room, context.console.terminal) { context.console.print(line) }
    }
    return .done
  }

  private static func lines(
    _ stats: CacheStats, _ room: CacheRoom, _ terminal: Console.Terminal?
  ) -> [String] {
    let rows = stats.servers.map { server in
      [
        Printable.escaped(server.server), "\(counted(Int(server.tracks), "track"))",
        SizeText.text(server.bytes), share(server),
        "\(SizeText.text(server.bytesSaved)) saved",
        "\(SizeText.text(server.bytesFetched)) fetched",
      ]
    }
    let table = Columns(
      columns: [.text, .number, .number, .word, .number, .number], rows: rows)
    var tail = ["\(counted(stats.files, "file")), \(SizeText.text(stats.bytes))"]
    if stats.parts > 0 {
      tail.append("\(counted(stats.parts, "part")), \(SizeText.text(stats.partBytes))")
    }
    if stats.quarantined > 0 { tail.append("\(stats.quarantined) set aside") }
    return table.lines(on: terminal) + [
      tail.joined(separator: "; "),
      "\(SizeText.text(room.used)) of \(SizeText.text(room.limit)) used, room for "
        + SizeText.text(room.left),
    ]
  }

  /// `9 of 12 from here`.
  private static func share(_ server: CacheTraffic) -> String {
    let asked = server.hits + server.misses
    return asked == 0 ? "nothing played" : "\(server.hits) of \(asked) from here"
  }

  private static func json(_ stats: CacheStats, _ room: CacheRoom) -> JSONValue {
    [
      "servers": .list(
        stats.servers.map {
          [
            "server": .text($0.server), "hits": .integer($0.hits), "misses": .integer($0.misses),
            "bytes_saved": .integer($0.bytesSaved), "bytes_fetched": .integer($0.bytesFetched),
            "tracks": .integer($0.tracks), "bytes": .integer($0.bytes),
          ]
        }),
      "files": JSONValue(stats.files), "bytes": .integer(stats.bytes),
      "parts": JSONValue(stats.parts), "part_bytes": .integer(stats.partBytes),
      "quarantined": JSONValue(stats.quarantined), "limit": .integer(room.limit),
      "used": .integer(room.used), "free": .integer(room.free), "room": .integer(room.left),
    ]
  }
}
