package import RoomProtocol

/// What the cache has of one track.
package struct CacheRow: Sendable, Equatable {
  /// Whether all of it is there.
  package enum State: String, Sendable, Equatable {
    /// All of it.
    case complete
    /// A part; some process is bringing the rest.
    case downloading
    /// A part, and nobody is bringing the rest.
    case incomplete
  }

  /// The track.
  package var id: TrackID
  /// The server's base URL.
  package var server: String
  /// Whether all of it is there: by the locks of this moment, never by what was written down once.
  package var state: State
  /// Bytes that are here.
  package var bytes: Int64
  /// Which bytes those are.
  package var ranges: ByteRanges
  /// Bytes in all; nil where the server has not said.
  package var expected: Int64?
  /// Our own SHA-256 of the whole file; nil while it is not whole.
  package var digest: String?
  /// Where the whole file is; nil while it is not whole.
  package var path: String?
  /// What the server calls it; not to be believed.
  package var contentType: String?
  /// When it was whole, in seconds since 1970; nil while it is not.
  package var fetched: Double?
  /// When it was last asked for or written, in seconds since 1970.
  package var lastUsed: Double
  /// Whether it stays until it is unpinned or removed by name.
  package var isPinned: Bool
  /// Whether its beginning matches its id; false where the id has no form to check.
  package var isVerified: Bool
}

/// How full the cache is, and what still fits.
package struct CacheRoom: Sendable, Equatable {
  /// What it may take: `cache.max-size`.
  package var limit: Int64
  /// What tracks, parts and quarantined files take.
  package var used: Int64
  /// What is free on the disk.
  package var free: Int64
  /// What stays free on it: `cache.reserve`.
  package var reserve: Int64
  /// What more fits as it is; 0 at least.
  package var left: Int64
  /// What more fits if all goes that may: what is not pinned, not in use and not spared.
  package var leftAtMost: Int64
}

/// What the cache has done for one server's tracks.
package struct CacheTraffic: Sendable, Equatable {
  /// The server's base URL.
  package var server: String
  /// Tracks that were here when they were to be played.
  package var hits: Int64 = 0
  /// Tracks that were not.
  package var misses: Int64 = 0
  /// Bytes of the hits, which no server had to send.
  package var bytesSaved: Int64 = 0
  /// Bytes of the downloads that came to their end.
  package var bytesFetched: Int64 = 0
  /// Whole tracks here.
  package var tracks: Int64 = 0
  /// What they take; content that two tracks share counts for both.
  package var bytes: Int64 = 0
}

/// The cache in figures.
package struct CacheStats: Sendable, Equatable {
  /// By server, in the order of their addresses.
  package var servers: [CacheTraffic]
  /// Finished files: equal content is one.
  package var files: Int
  /// What they take.
  package var bytes: Int64
  /// Downloads that are not whole.
  package var parts: Int
  /// What those take.
  package var partBytes: Int64
  /// Files that turned out wrong and were set aside.
  package var quarantined: Int
}

/// What became of a track that was to be removed.
package enum CacheRemoval: Sendable, Equatable {
  /// It is gone; so many bytes are free again: 0 where another track has the same content.
  case removed(bytes: Int64)
  /// Something plays, reads or fetches it just now.
  case inUse
  /// It was not here.
  case notHere
}

/// What a prune has done.
package struct CachePruning: Sendable, Equatable {
  /// The tracks that are gone.
  package var removed: [CacheRow] = []
  /// Bytes that are free again.
  package var freed: Int64 = 0
  /// What is left in the cache.
  package var used: Int64 = 0
  /// By how much that is more than was asked for, because the rest is pinned or in use.
  package var over: Int64 = 0
}

/// What a check of one kept track has found.
package struct CacheVerdict: Sendable, Equatable {
  /// How the file is.
  package enum Finding: Sendable, Equatable {
    /// As it came.
    case whole
    /// Not as it came: the file is set aside under this path, the track no longer here.
    case damaged(quarantine: String)
    /// Not there: the track is no longer here.
    case missing
    /// It could not be read to its end (`errno`); nothing was changed.
    case unreadable(code: Int32)
  }

  /// The track; tracks of equal content have a verdict each.
  package var row: CacheRow
  /// How its file is.
  package var finding: Finding
}
