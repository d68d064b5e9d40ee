import Caching
import Glibc
import Listening
import RoomClient
import RoomProtocol
import Storage

/// The library of a server as a command uses it: from the disk, and from the server where nothing
/// is kept yet.
///
/// ```swift
/// let library = context.library(of: session.server, on: session)
/// let titles = try await library.tracks(playlist.trackIDs)
/// ```
struct KeptLibrary: Sendable {
  let listing: LibraryListing
  let server: ServerAddress
  let console: Console
  /// Asks the server for the library; nil where a command does without the network.
  let fetcher: APILibraryFetcher?

  /// Reads the library where it never was; says so.
  ///
  /// - Throws: what a refresh throws.
  func ensure() async throws {
    guard try await listing.stamp() == nil else { return }
    guard fetcher != nil else {
      throw Diagnostic(
        .notFound, "the library of \(server) was never read",
        hint: "blastoise library refresh reads it, once the server is there")
    }
    console.note("reading the library of \(server) for the first time")
    _ = try await refresh()
  }

  /// Asks the server for its library.
  ///
  /// - Returns: what is different now.
  /// - Throws: `Diagnostic` where there is no server to ask; what the listing throws.
  func refresh() async throws -> LibraryRefresh {
    guard let fetcher else { throw Diagnostic(.bug, "no server to ask for its library") }
    let refresh = try await listing.refresh(by: fetcher)
    if refresh.unreadable > 0 {
      console.note("\(counted(refresh.unreadable, "track")) of the library could not be read")
    }
    return refresh
  }

  /// The tracks of these ids, as the kept listing knows them; what it does not know is left out.
  ///
  /// Where something is missing the server is asked once; where that fails too it stays missing.
  ///
  /// - Parameter ids: what to look for.
  /// - Returns: by id.
  /// - Throws: what the disk throws.
  func tracks(_ ids: [TrackID]) async throws -> [TrackID: Track] {
    let wanted = Set(ids)
    let found = try await listing.tracks(wanted)
    guard found.count < wanted.count, fetcher != nil, (try? await refresh()) != nil else {
      return found
    }
    return try await listing.tracks(wanted)
  }
}

extension CommandContext {
  /// The library of a server as it is kept.
  ///
  /// - Parameters:
  ///   - server: the server.
  ///   - session: asks the server where the kept listing does not do; nil does without.
  /// - Returns: the library; nothing is opened yet.
  func library(of server: ServerAddress, on session: ServerSession? = nil) -> KeptLibrary {
    KeptLibrary(
      listing: LibraryListing(folder: cacheFolder, server: server.description),
      server: server, console: console, fetcher: session.map { APILibraryFetcher(api: $0.api) })
  }
}
