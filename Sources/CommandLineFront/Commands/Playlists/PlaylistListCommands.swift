import RoomClient
import RoomProtocol

/// `playlist list`: one's own playlists, and what others share.
enum PlaylistListCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    try await context.withPlaylists { reading in
      let shelf = reading.shelf
      let own = Set(shelf.mine.elements.map(\.id))
      let shared = shelf.all.filter { !own.contains($0.id) }
      if context.isJSON {
        context.console.print(
          .object([
            .init(key: "mine", value: .list(shelf.mine.elements.map { $0.json() })),
            .init(key: "shared", value: .list(shared.map { $0.json() })), reading.asOfMember,
          ]))
      } else {
        for line in lines(shelf.mine.elements, shared, on: context.console.terminal) {
          context.console.print(line)
        }
      }
      return .done
    }
  }

  private static func lines(
    _ mine: [Playlist], _ shared: [Playlist], on terminal: Console.Terminal?
  ) -> [String] {
    func cells(_ playlist: Playlist, _ owner: String) -> [String] {
      [
        playlist.title, counted(playlist.trackIDs.count, "track"), owner, playlist.marks,
        Printable.escaped(playlist.id.rawValue),
      ]
    }
    let rows =
      mine.map { cells($0, "mine") }
      + shared.map { cells($0, $0.ownerName.map { "of " + Printable.escaped($0) } ?? "") }
    guard !rows.isEmpty else { return ["no playlists"] }
    return Columns(columns: [.text, .number, .text, .word, .word], rows: rows).lines(on: terminal)
  }
}

/// `playlist show`: one playlist with its tracks.
enum PlaylistShowCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    try await context.withPlaylists { reading in
      let playlist = try await reading.playlist(context.invocation.operands[0])
      let titles = try await reading.titles(of: playlist.trackIDs)
      var listing = PlaylistListing(playlist, titles)
      listing.asOf = reading.asOf
      listing.cached = await context.cachedIDs(of: reading.server)
      listing.show(in: context)
      return .done
    }
  }
}

/// A playlist as lines or as JSON, with the titles that the library has for its ids; pure but for
/// `show`.
struct PlaylistListing {
  var playlist: Playlist
  /// The library's tracks; nil where there is no library to be had.
  var catalogue: [TrackID: Track]?
  /// When it was so, in seconds since 1970; nil where it is so now.
  var asOf: Double?
  /// The tracks that are in the cache.
  var cached: Set<TrackID> = []

  init(_ playlist: Playlist, _ catalogue: [TrackID: Track]?) {
    self.playlist = playlist
    self.catalogue = catalogue
  }

  /// Prints it.
  func show(in context: CommandContext) {
    if context.isJSON {
      context.console.print(json)
    } else {
      // Thousands of lines are one write.
      context.console.print(lines(on: context.console.terminal).joined(separator: "\n"))
    }
  }

  /// What programs read.
  var json: JSONValue {
    let rows = playlist.trackIDs.enumerated().map { index, id -> JSONValue in
      let track = catalogue?[id]
      return [
        "row": JSONValue(index + 1), "index": JSONValue(index), "id": .text(id.rawValue),
        "title": JSONValue(track?.displayTitle), "artist": JSONValue(track?.artist),
        "album": JSONValue(track?.album), "duration": JSONValue(track?.duration),
        "available": JSONValue(catalogue == nil ? nil : track?.available ?? false),
        "cached": .bool(cached.contains(id)),
      ]
    }
    return playlist.json(["rows": .list(rows), "as_of": JSONValue(asOf)])
  }

  /// What people read.
  func lines(on terminal: Console.Terminal?) -> [String] {
    let owner = playlist.ownerName.map { "of \(Printable.escaped($0))" }
    let facts = [owner, playlist.marks.isEmpty ? nil : playlist.marks].compactMap(\.self)
    var lines = [playlist.title + (facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))")]
    if !playlist.description.isEmpty { lines.append(Printable.escaped(playlist.description)) }
    let rows = playlist.trackIDs.enumerated().map { index, id in
      [
        String(index + 1), TimeText.text(catalogue?[id]?.length), name(of: id),
        Track(id: id).mark(cached),
      ]
    }
    lines += Columns(columns: [.number, .number, .text, .word], rows: rows).lines(on: terminal)
    return lines + [summary]
  }

  private func name(of id: TrackID) -> String {
    guard let track = catalogue?[id] else { return Printable.escaped(id.rawValue) }
    return track.printableName + (track.available ? "" : " (not available)")
  }

  private var summary: String {
    let count = counted(playlist.trackIDs.count, "track")
    guard let catalogue, !playlist.trackIDs.isEmpty else { return count }
    let known = playlist.trackIDs.compactMap { catalogue[$0] }
    let length = known.compactMap(\.length).reduce(Duration.zero, +)
    let unknown = playlist.trackIDs.count - known.count
    let rest = unknown == 0 ? "" : ", \(unknown) not in the library"
    return "\(count), \(TimeText.text(length))\(rest)"
  }
}
