import Caching
import RoomClient
import RoomProtocol

extension CommandContext {
  /// The playlists one may see; unreadable ones are counted aloud.
  func shelf(on session: ServerSession) async throws -> PlaylistShelf {
    // Where guests are allowed this makes a session; later requests share it.
    _ = try await identity(on: session)
    let shelf = try await session.api.playlists()
    let dropped = shelf.mine.droppedElements + shelf.shared.droppedElements
    if dropped > 0 { console.note("\(counted(dropped, "playlist")) could not be read") }
    let all = shelf.mine.elements + shelf.shared.elements
    keepNames(.playlists, all.map(\.name), of: session)
    // What can't be kept is good for this command.
    try? await library(of: session.server).listing.keep(shelf)
    return shelf
  }

  /// What the library has for ids, to give a playlist its titles; nil where that can't be known.
  func titles(
    of ids: [TrackID], on session: ServerSession
  ) async throws -> [TrackID: Track]? {
    try await titles(of: ids, in: library(of: session.server, on: session))
  }

  /// What a library has for ids; nil where that can't be known.
  func titles(
    of ids: [TrackID], in library: KeptLibrary
  ) async throws -> [TrackID: Track]? {
    do {
      return try await library.tracks(ids)
    } catch {
      if Task.isCancelled { throw error }
      console.note("without titles: \(Diagnostic(describing: error).message)")
      return nil
    }
  }

  /// The tracks that the command line names, all of them or none.
  ///
  /// - Parameters:
  ///   - arguments: the words that each mean a track.
  ///   - session: the server; where an argument is a row of the queue, its room is visited.
  ///   - deed: what would be done with so many, for the question where they are many.
  /// - Returns: one track at least; nil where somebody has answered the question with no.
  /// - Throws: what `TrackChoice` and the visit throw.
  func chosenTracks(
    _ arguments: some Sequence<String>, on session: ServerSession, deed: (String) -> String
  ) async throws -> [Track]? {
    let choice = TrackChoice(self, of: session.server, on: session) {
      try await visit(on: session, wantsQueue: true).rows
    }
    return try await choice.tracks(Array(arguments), deed: deed)
  }
}

extension CommandContext {
  /// Says that a playlist's tracks were left out, quiet or not.
  func leftOut(_ count: Int) {
    let tracks = counted(count, "track")
    console.complain("blastoise: left out \(tracks) that the library does not have")
  }
}

extension Playlist {
  /// That there is no track in it that could be taken.
  var hasNothing: Diagnostic {
    trackIDs.isEmpty
      ? Diagnostic(.notFound, "the playlist \(quotedName) is empty")
      : Diagnostic(.notFound, "nothing of the playlist \(quotedName) is in the library")
  }
}

extension KeptLibrary {
  /// The library as the server has it now; as it is kept where the server does not answer.
  func current() async throws -> [Track] {
    do {
      _ = try await refresh()
    } catch {
      guard !Task.isCancelled, try await listing.stamp() != nil else { throw error }
      console.note("the library may be newer: \(Diagnostic(describing: error).message)")
    }
    return try await listing.tracks()
  }
}
