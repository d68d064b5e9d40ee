import Caching
import RoomClient
import RoomProtocol

/// A playlist that a command works on, as it stands on the server.
///
/// After each change it is read again: the server's playlist is the truth, and where it is not the
/// wished one that is said.
struct PlaylistDesk {
  let session: ServerSession
  /// Where what is read is kept too.
  private let listing: LibraryListing
  /// The playlist as it was read last.
  private(set) var playlist: Playlist

  /// Takes the playlist that is meant, and reads it whole.
  ///
  /// - Throws: `RoomError`; `Diagnostic` where there is none, or several.
  init(_ text: String, on session: ServerSession, _ context: CommandContext) async throws {
    let shelf = try await context.shelf(on: session)
    try await self.init(try shelf.playlist(text), on: session, context)
  }

  /// Takes a playlist, and reads it whole: a list need not hold everything.
  init(
    _ listed: Playlist, on session: ServerSession, _ context: CommandContext
  ) async throws {
    self.session = session
    listing = context.library(of: session.server).listing
    playlist = listed
    do {
      try await refresh()
    } catch let error as Diagnostic where [.notFound, .forbidden].contains(error.code) {
      // Listed, but not to be had by itself: what the list says must do.
      guard !listed.trackIDs.isEmpty else { throw error }
    }
  }

  /// Reads the playlist again.
  mutating func refresh() async throws {
    let (session, id, name) = (session, playlist.id, playlist.quotedName)
    playlist = try await attempting("cannot read the playlist \(name)") { () throws(RoomError) in
      try await session.api.playlist(id)
    }
    try? await listing.keep(playlist)
  }

  /// Changes the tracks and reads them again.
  ///
  /// - Parameters:
  ///   - edits: the requests, in turn.
  ///   - expected: what is to stand there afterwards.
  ///   - what: what could not be done otherwise, in words: `cannot add to "Evening"`.
  /// - Throws: `Diagnostic`, of the code `unconfirmed` where something else stands there.
  mutating func edit(
    _ edits: [QueueEdit], expecting expected: [TrackID], what: String
  ) async throws {
    let (session, id, before) = (session, playlist.id, playlist.trackIDs)
    for (number, edit) in edits.enumerated() {
      do {
        try await attempting(what) { () throws(RoomError) in
          try await session.api.editTracks(edit, of: id)
        }
      } catch var error {
        if number > 0 { error.what = "only a part was done: \(what)" }
        throw error
      }
    }
    try await refresh()
    guard playlist.trackIDs != expected else { return }
    // Two shells may add at once.
    if case .add(let ids, _)? = edits.first,
      QueueWish.gained(ids, from: before, to: playlist.trackIDs)
    {
      return
    }
    throw Diagnostic(
      .unconfirmed, what, why: Self.difference(playlist.trackIDs, expected),
      hint: "blastoise playlist show lists what is there now")
  }

  /// Adds tracks at an index, or at the end without one.
  ///
  /// - Returns: the index of the first of them.
  @discardableResult
  mutating func add(_ ids: [TrackID], at place: Int?) async throws -> Int {
    var expected = playlist.trackIDs
    let index = place ?? expected.count
    expected.insert(contentsOf: ids, at: index)
    try await edit(
      [.add(ids, insertAt: place)], expecting: expected,
      what: "cannot add to the playlist \(playlist.quotedName)")
    return QueueWish.place(of: ids, near: index, in: playlist.trackIDs)
  }

  /// Changes what the playlist is called, what it is for, and for whom.
  mutating func change(_ details: RequestBody.Details) async throws {
    let (session, id) = (session, playlist.id)
    let what = "cannot change the playlist \(playlist.quotedName)"
    try await attempting(what) { () throws(RoomError) in
      try await session.api.editPlaylist(id, details)
    }
    try await refresh()
    let isDone =
      details.name.map { M3U.flat($0) == M3U.flat(playlist.name) } ?? true
      && details.description.map { M3U.flat($0) == M3U.flat(playlist.description) } ?? true
      && details.isPublic.map { $0 == playlist.isPublic } ?? true
    guard !isDone else { return }
    throw Diagnostic(
      .unconfirmed, what, why: "the server was asked, but shows it otherwise",
      hint: "blastoise playlist show shows it")
  }

  /// Does what is left to do to a new playlist; where that fails, that there is one is said too.
  mutating func finishing(_ body: (inout PlaylistDesk) async throws -> Void) async throws {
    do {
      try await body(&self)
    } catch {
      var diagnostic = Diagnostic(describing: error)
      diagnostic.what = "the playlist \(playlist.quotedName) is made, but \(diagnostic.what)"
      throw diagnostic
    }
  }

  /// The playlist's rows, with the titles that the library has for its ids.
  func rows(_ catalogue: [TrackID: Track]? = nil) -> QueueRows {
    var rows = QueueRows(
      tracks: playlist.trackIDs.map { catalogue?[$0] ?? Track(id: $0) }, currentIndex: -1)
    rows.list = "the playlist"
    return rows
  }

  /// The playlist's rows with their titles, as far as the library has them.
  func titledRows(_ context: CommandContext) async throws -> QueueRows {
    rows(try await context.titles(of: playlist.trackIDs, on: session))
  }

  /// Where a list is not the wished one, in a few words.
  static func difference(_ tracks: [TrackID], _ expected: [TrackID]) -> String {
    if let index = zip(tracks, expected).enumerated().first(where: { $1.0 != $1.1 })?.offset {
      return "the server was asked, but row \(index + 1) holds something else now"
    }
    let now = "\(tracks.count) tracks now instead of \(expected.count)"
    return "the server was asked, but it has \(now)"
  }
}
