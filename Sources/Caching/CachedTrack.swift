package import RoomProtocol
package import Storage

/// A track as the cache can give it at once.
package enum CachedTrack: Sendable {
  /// All of it is on the disk.
  case file(CachedFile)
  /// It is on its way; readers can begin.
  case download(Download)
}

/// A finished file in the cache.
package struct CachedFile: Sendable {
  /// Where it is.
  package var path: String
  /// Its length in bytes.
  package var bytes: Int64
  /// What the server called it; not to be believed.
  package var contentType: String?
  /// Whether its beginning matches the track's id; false where the id has no form to check.
  package var isVerified: Bool
  /// The open file under a shared lock: no process evicts it as long as this lives.
  ///
  /// Nil in events, and where somebody else has it locked just now.
  package var lease: OpenFile?

  init(_ row: CacheIndex.Row, file: OpenFile?, at path: String) {
    self.path = path
    bytes = row.bytes
    contentType = row.contentType
    isVerified = row.isVerified
    lease = file
  }

  /// The same, holding nothing.
  var withoutLease: CachedFile {
    var file = self
    file.lease = nil
    return file
  }
}

/// What happens in the cache, for whoever shows it.
package enum CacheEvent: Sendable {
  /// A download has begun.
  case started(TrackID, Download)
  /// A track came whole and is kept.
  case finished(TrackID, CachedFile)
  /// A track came whole, or comes, but can't be kept: the disk or the index refused.
  case notKept(TrackID?, reason: any Error)
  /// The index was damaged, and is made anew of what could be read of it.
  case mended(CacheMending)
  /// A track could not be had.
  case failed(TrackID, CacheError)
}
