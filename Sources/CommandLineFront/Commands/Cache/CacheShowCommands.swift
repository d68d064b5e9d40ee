import Caching
import RoomClient
import RoomProtocol

/// `cache show`: all that is known of one track.
enum CacheShowCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let cache = try context.cache()
    let (row, track) = try await context.cachedTrack(in: cache)
    context.present(text(row, track), json: JSONValue(cached: row, track))
    return .done
  }

  private static func text(_ row: CacheRow, _ track: Track) -> String {
    let whole = row.expected.map { " of \(SizeText.text($0))" } ?? ""
    let isWhole = row.state == .complete
    let now = wallTime()
    let rows: [(String, String?)] = [
      ("title", track.displayTitle), ("artist", track.artist), ("album", track.album),
      ("state", isWhole ? "complete" : row.state.rawValue),
      ("size", SizeText.text(row.bytes) + (isWhole ? "" : whole)),
      ("here", isWhole ? nil : row.ranges.text),
      ("fetched", row.fetched.map { TimeText.ago($0, now) }),
      ("used", TimeText.ago(row.lastUsed, now)),
      ("pinned", row.isPinned ? "yes" : "no"),
      ("verified", row.isVerified ? "its beginning matches its id" : "no"),
      ("digest", row.digest), ("path", row.path), ("type", row.contentType),
      ("server", row.server), ("id", row.id.rawValue),
    ]
    return rows.compactMap { name, value in
      guard let value, !value.isEmpty else { return nil }
      return "\(Printable.padded(name, to: 9))  \(Printable.escaped(value))"
    }.joined(separator: "\n")
  }
}

/// `cache path`: where a track's file is, for other programs.
enum CachePathCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let cache = try context.cache()
    let (row, track) = try await context.cachedTrack(in: cache)
    guard let file = await cache.keptFile(of: row.id, server: row.server) else {
      throw Diagnostic(
        .notFound, "not all of \(track.quotedName) is here",
        hint: "blastoise cache add \(Printable.escaped(row.id.rawValue)) fetches the rest")
    }
    try await cache.touch([row.id], server: row.server)
    context.present(
      file.path,
      json: [
        "id": .text(row.id.rawValue), "path": .text(file.path), "bytes": .integer(file.bytes),
      ])
    return .done
  }
}

extension CommandContext {
  /// The one track of the cache that the words of the command line mean.
  fileprivate func cachedTrack(in cache: TrackCache) async throws -> (CacheRow, Track) {
    let server = try serverAddress
    let words = invocation.operands.joined(separator: " ")
    let rows = try await cache.list(server: server.description)
    let finder = TrackFinder(
      listing: library(of: server).listing,
      cached: CachedIDs(ids: Set(rows.map(\.id)), isOnly: true))
    guard let track = try await finder.track(words),
      let row = rows.first(where: { $0.id == track.id })
    else {
      throw Diagnostic(
        .notFound, "no track in the cache fits \"\(Printable.escaped(words))\"",
        hint: "blastoise cache add fetches one, cache list shows what is there")
    }
    return (row, track)
  }
}
