import Caching
import RoomClient
import RoomProtocol

extension CommandContext {
  /// The cache's folder.
  var cacheFolder: String { TrackCache.defaultFolder(environment: environment) }

  /// The track cache.
  ///
  /// - Parameter fetcher: brings what is missing; nil for those who only look after it.
  /// - Returns: the cache; nothing is opened yet.
  /// - Throws: `Diagnostic` where a variable gives it a limit that is none.
  func cache(fetching fetcher: (any TrackFetcher)? = nil) throws(Diagnostic) -> TrackCache {
    TrackCache(
      folder: cacheFolder, limits: try settings.cacheLimits(), fetcher: fetcher
    ) { [console] mending in
      if let line = EventText.mended(mending) { console.complain("blastoise: warning: \(line)") }
    }
  }

  /// The tracks of the cache that the command line names, found without the network where it names
  /// no room's queue.
  ///
  /// - Parameters:
  ///   - cache: the cache.
  ///   - deed: what would be done, for the question where they are many.
  /// - Returns: the tracks, each once, with the server they are of; nil where somebody has answered
  ///   the question with no.
  /// - Throws: what choosing throws.
  func cachedTracks(
    in cache: TrackCache, deed: (String) -> String
  ) async throws -> CachedChoice? {
    let arguments = invocation.operands
    try TrackChoice.check(arguments, invocation)
    let names = try await TrackChoice.expanded(arguments)
    guard TrackChoice.needsRoom(names, invocation) else {
      return try await choice(names, in: cache, of: try serverAddress, on: nil, deed: deed)
    }
    return try await withRoomServer { session in
      try await choice(names, in: cache, of: session.server, on: session, deed: deed)
    }
  }

  private func choice(
    _ names: [String], in cache: TrackCache, of server: ServerAddress, on session: ServerSession?,
    deed: (String) -> String
  ) async throws -> CachedChoice? {
    let rows = try await cache.list(server: server.description)
    let cached = CachedIDs(ids: Set(rows.map(\.id)), isOnly: true)
    let choice = TrackChoice(self, of: server, on: session, cached: cached) {
      guard let session else { throw Diagnostic(.bug, "no server to ask for its queue") }
      return try await visit(on: session, wantsQueue: true).rows
    }
    guard let tracks = try await choice.tracks(names, deed: deed) else { return nil }
    var seen: Set<TrackID> = []
    return CachedChoice(
      server: server, tracks: tracks.filter { seen.insert($0.id).inserted },
      rows: Dictionary(rows.map { ($0.id, $0) }) { first, _ in first })
  }

  /// The titles of tracks, as the kept library of their server has them.
  func keptTitles(of ids: [TrackID], server: String) async -> [TrackID: Track] {
    guard let address = try? ServerAddress(server) else { return [:] }
    return (try? await library(of: address).listing.tracks(ids)) ?? [:]
  }
}

/// Tracks of the cache that were chosen.
struct CachedChoice {
  var server: ServerAddress
  var tracks: [Track]
  /// What the cache has of this server's tracks.
  var rows: [TrackID: CacheRow]
}
