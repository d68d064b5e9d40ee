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

  package func fetch(
    unless tag: String?, receive: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool
  ) async throws -> LibraryAnswer {
    switch try await api.library(unless: tag, to: PieceReceiver(receive)) {
    case .unchanged: .unchanged
    case .whole(let tag): .whole(tag: tag)
    }
  }
}

/// Hands the bytes of a successful answer on, on the HTTP client's thread.
private final class PieceReceiver: BodyReceiver {
  private let receive: @Sendable (UnsafeRawBufferPointer) -> Bool

  init(_ receive: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool) { self.receive = receive }

  func response(status: Int, headers: HTTPHeaders, contentLength: Int64?) {}

  func data(_ bytes: UnsafeRawBufferPointer) -> Bool { receive(bytes) }
}
