import Caching
import RoomClient
import RoomProtocol

/// `cache pin` and `cache unpin`: whether tracks stay however long they are not used.
enum CachePinCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let isPinning = context.invocation.command == .cachePin
    let verb = isPinning ? "pin" : "unpin"
    let cache = try context.cache()
    guard let chosen = try await context.cachedTracks(in: cache, deed: { "\(verb) \($0)" }) else {
      return .done
    }
    let server = chosen.server.description
    for track in chosen.tracks {
      if isPinning {
        try await cache.pin(track.id, server: server)
      } else {
        try await cache.unpin(track.id, server: server)
      }
    }
    let bytes = chosen.tracks.reduce(0) { $0 + Double(chosen.rows[$1.id]?.bytes ?? 0) }
    context.confirm(
      "\(verb)ned \(titles(chosen.tracks)) (\(SizeText.text(bytes: bytes)))",
      json: [
        "server": .text(server), "pinned": .bool(isPinning),
        "tracks": .list(chosen.tracks.map(JSONValue.init(track:))), "bytes": .number(bytes),
      ])
    return .done
  }
}

/// `cache remove`: tracks out of the cache, by name or all.
enum CacheRemoveCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let cache = try context.cache()
    let chosen =
      context.invocation.has(.all)
      ? try await all(context, cache)
      : try await context.cachedTracks(in: cache) { "remove \($0) from the cache" }
    guard let chosen else { return .done }
    let server = chosen.server.description
    var removed: [Track] = []
    var inUse: [Track] = []
    var freed: Int64 = 0
    for track in chosen.tracks {
      switch try await cache.remove(track.id, server: server) {
      case .removed(let bytes):
        removed.append(track)
        freed += bytes
      case .inUse: inUse.append(track)
      case .notHere: break
      }
    }
    context.confirm(
      removed.isEmpty
        ? "nothing was removed" : "removed \(titles(removed)) (\(SizeText.text(freed)))",
      json: [
        "server": .text(server), "removed": .list(removed.map(JSONValue.init(track:))),
        "in_use": .list(inUse.map(JSONValue.init(track:))), "bytes": .integer(freed),
      ])
    guard !inUse.isEmpty else { return .done }
    throw Diagnostic(
      .conflict, "\(titles(inUse)) \(inUse.count == 1 ? "is" : "are") in use",
      hint: "stop what plays or fetches it, then remove it")
  }

  /// All tracks of the server; nil where somebody has answered with no.
  private static func all(
    _ context: CommandContext, _ cache: TrackCache
  ) async throws -> CachedChoice? {
    guard context.invocation.operands.isEmpty, !TrackChoice.isGiven(in: context.invocation) else {
      throw Diagnostic.usage("--all takes no TRACK and no other choice")
    }
    let server = try context.serverAddress
    let rows = try await cache.list(server: server.description)
    let known = await context.keptTitles(of: rows.map(\.id), server: server.description)
    if !rows.isEmpty {
      let question = "remove \(counted(rows.count, "track")) of \(server) from the cache"
      guard try await context.agrees(to: question) else { return nil }
    }
    return CachedChoice(
      server: server, tracks: rows.map { known[$0.id] ?? Track(id: $0.id) },
      rows: Dictionary(rows.map { ($0.id, $0) }) { first, _ in first })
  }
}

/// `cache prune`: what is not needed, then what exceeds the limit.
enum CachePruneCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    var size: Int64?
    if let text = context.invocation[.maxSize] {
      guard let bytes = SizeText.bytes(text) else {
        throw Diagnostic.usage(
          "--max takes a size such as 2G, 500M or 0, not \"\(Printable.escaped(text))\"")
      }
      size = bytes
    }
    let pruning = try await context.cache().prune(to: size)
    context.confirm(
      text(pruning),
      json: [
        "removed": .list(
          pruning.removed.map { ["id": .text($0.id.rawValue), "server": .text($0.server)] }),
        "bytes": .integer(pruning.freed), "used": .integer(pruning.used),
        "over": .integer(pruning.over),
      ])
    return .done
  }

  private static func text(_ pruning: CachePruning) -> String {
    let count = pruning.removed.count
    let gone = count > 0 ? "removed \(counted(count, "track"))" : "no track had to go"
    let freed = pruning.freed > 0 ? ", \(SizeText.text(pruning.freed)) freed" : ""
    let over =
      pruning.over > 0
      ? "; \(SizeText.text(pruning.over)) more than that are pinned or in use" : ""
    return "\(gone)\(freed); \(SizeText.text(pruning.used)) left\(over)"
  }
}
