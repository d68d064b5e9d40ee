package import Caching
import Platform
import RoomClient
import RoomProtocol
import RoomSync

/// The library's listing, renewed beside the music; nothing waits for it.
extension ListeningSession {
  /// A listing that was confirmed this short ago is not asked for at a connect; seconds.
  private static let freshness = 600.0
  /// How long the first sound is waited for.
  private static let patience = Duration.seconds(60)

  /// Asks for the listing in a quiet moment.
  ///
  /// - Parameter isChanged: whether the kept one is known to be old: the server has scanned its
  ///   files or taken one, or we are somebody else now.
  func wantLibrary(isChanged: Bool) {
    if isChanged { isLibraryOld = true }
    libraryWishes.continuation.yield()
  }

  /// Renews the listing whenever it is wanted, until cancelled.
  func keepLibrary() async {
    for await _ in libraryWishes.stream {
      do {
        try await waitForSound()
        try await renewLibrary()
      } catch is CancellationError {
        return
      } catch {
        // The one that is kept stays; the next wish may do better.
      }
    }
  }

  /// The listing of the server's library, as it is kept.
  package var listing: LibraryListing {
    LibraryListing(folder: configuration.cacheFolder, server: server.server.description)
  }

  private func renewLibrary() async throws {
    let listing = listing
    let mustAsk = isLibraryOld
    if !mustAsk, let stamp = try await listing.stamp(),
      wallTime() - stamp.checked < Self.freshness
    {
      return
    }
    isLibraryOld = false
    _ = try await listing.refresh(by: APILibraryFetcher(api: server.api), patience: .zero)
    // Where the server has no playlists for us, those that are kept stay.
    try? await listing.keep(try await server.api.playlists())
  }

  /// Lets the first sound come before, and what follows a message settle.
  private func waitForSound() async throws {
    let end = time.now() + Self.patience
    repeat {
      try await time.sleep(time.now() + configuration.libraryDelay)
    } while isAboutToSound && time.now() < end
  }

  private var isAboutToSound: Bool {
    guard !hasSounded, let state = engine.state else { return false }
    return state.track != nil && !state.paused
  }
}

extension FetchUpdate {
  /// Whether something has come into the library.
  var bringsTracks: Bool { type == "fetch_complete" }
}
