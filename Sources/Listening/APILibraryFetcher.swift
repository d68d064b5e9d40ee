package import Caching
package import RoomClient
import Transport

/// Fetches the library for its listing by the room's API.
package struct APILibraryFetcher: LibraryFetcher {
  private let api: RoomAPI

  /// Makes a fetcher.
  ///
  /// - Parameter api: the server.
  package init(api: RoomAPI) { self.api = api }

  package func fetch(unless tag: String?, into feed: ListingFeed) async throws -> LibraryAnswer {
    switch try await api.library(unless: tag, to: FeedReceiver(feed)) {
    case .unchanged: .unchanged
    case .whole(let tag): .whole(tag: tag)
    }
  }
}

/// Hands the bytes of a successful answer on, on the HTTP client's thread.
private final class FeedReceiver: BodyReceiver {
  private let feed: ListingFeed

  init(_ feed: ListingFeed) { self.feed = feed }

  var isFull: Bool { feed.isFull }

  func response(status: Int, headers: HTTPHeaders, contentLength: Int64?) {}

  func data(_ bytes: UnsafeRawBufferPointer) -> Bool { feed.receive(bytes) }
}
