/// Brings a server's library listing; fitted to the network by the module above.
package protocol LibraryFetcher: Sendable {
  /// Fetches the JSON text of the whole listing.
  ///
  /// - Parameters:
  ///   - tag: what the server gave with the listing that is kept; nil where it gave none.
  ///   - feed: takes the bytes, from one thread at a time, and says when it has enough.
  /// - Returns: after the last byte, or without any where the listing is still that of `tag`.
  /// - Throws: the network's own error; anything once the feed wants no more.
  func fetch(unless tag: String?, into feed: ListingFeed) async throws -> LibraryAnswer
}

/// What a server answered when it was asked for its library.
package enum LibraryAnswer: Sendable, Equatable {
  /// The listing is the one that is kept.
  case unchanged
  /// All bytes have come; the tag to ask with next time, where there is one.
  case whole(tag: String?)
}

/// What a refresh of the listing brought.
package struct LibraryRefresh: Sendable, Equatable {
  /// Tracks that were not there before.
  package var new = 0
  /// Tracks that are no longer there.
  package var gone = 0
  /// Tracks that the server describes otherwise.
  package var changed = 0
  /// Elements of the answer that are no tracks.
  package var unreadable = 0
  /// How many tracks the library has now.
  package var count = 0

  /// Makes one of nothing.
  package init() {}
}

/// When a listing was read, and how much is in it.
package struct LibraryStamp: Sendable, Equatable {
  /// When the server was last asked, in seconds since 1970.
  package var checked: Double
  /// When the listing last changed, in seconds since 1970.
  package var changed: Double
  /// How many tracks it has.
  package var count: Int
  /// What the server gave to ask with next time.
  var tag: String?
}

/// Why a listing was not refreshed; what was kept before is kept still.
package enum LibraryError: Error, Equatable, Sendable {
  /// The answer is no list of tracks.
  case notAListing
  /// The answer ends before the list does.
  case endsEarly
  /// Another process has been at it for too long.
  case busy
}
