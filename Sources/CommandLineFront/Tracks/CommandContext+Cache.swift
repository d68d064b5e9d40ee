import Caching
import RoomClient
import RoomProtocol

extension CommandContext {
  /// The tracks of a server that are in the cache; none where there is no cache to be read: a mark
  /// in a list is not worth a failure.
  func cachedIDs(of server: ServerAddress) async -> Set<TrackID> {
    let cache = TrackCache(folder: cacheFolder)
    return (try? await cache.keptIDs(server: server.description)) ?? []
  }
}

extension Track {
  /// Marks a row of people's lists: `*` where the track is in the cache.
  func mark(_ cached: Set<TrackID>) -> String { cached.contains(id) ? "*" : "" }
}
