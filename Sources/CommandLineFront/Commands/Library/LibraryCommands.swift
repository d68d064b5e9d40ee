import Caching
import Glibc
import RoomClient
import RoomProtocol

/// `library list`: all tracks, from the disk.
enum LibraryListCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let library = try await context.keptLibrary()
    let tracks = try await library.listing.tracks()
    if tracks.isEmpty { context.console.note("the library is empty") }
    await context.print(tracks, of: library)
    return .done
  }
}

/// `library search`: the tracks that have all words, from the disk.
enum LibrarySearchCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let words = context.invocation.operands.joined(separator: " ")
    let library = try await context.keptLibrary()
    let tracks = try await library.listing.search(words)
    if tracks.isEmpty { context.console.note("no track fits \"\(Printable.escaped(words))\"") }
    await context.print(tracks, of: library)
    return .done
  }
}

/// `library show`: one track, from the disk; the queue is asked where one of its rows is named.
enum LibraryShowCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let words = context.invocation.operands.joined(separator: " ")
    let (track, server) =
      TrackChoice.isRow(words)
      ? try await queued(words, context) : try await kept(words, context)
    let isCached = await context.cachedIDs(of: server).contains(track.id)
    context.present(
      text(track, isCached), json: JSONValue(libraryTrack: track, isCached: isCached))
    return .done
  }

  private static func kept(
    _ words: String, _ context: CommandContext
  ) async throws -> (Track, ServerAddress) {
    let library = try await context.keptLibrary()
    let finder = TrackFinder(listing: library.listing)
    guard let track = try await finder.track(words) else {
      throw try await finder.unknown(
        words, orElse: "blastoise library refresh asks the server again")
    }
    return (track, library.server)
  }

  private static func queued(
    _ row: String, _ context: CommandContext
  ) async throws -> (Track, ServerAddress) {
    try await context.withRoomServer { session in
      let choice = TrackChoice(context, of: session.server, on: session) {
        try await context.visit(on: session, wantsQueue: true).rows
      }
      let track = try await choice.row(row)
      // The library may tell more of it than the room does.
      let known = try? await context.library(of: session.server).listing.tracks([track.id])
      return (known?[track.id] ?? track, session.server)
    }
  }

  private static func text(_ track: Track, _ isCached: Bool) -> String {
    let gain = track.replayGainDB.map { "\(rounded($0)) dB" }
    let peak = track.replayPeak.map { ", peak \(rounded($0))" } ?? ""
    let rows: [(String, String?)] = [
      ("title", track.displayTitle), ("artist", track.artist), ("album", track.album),
      ("length", TimeText.text(track.length)), ("file", track.filename),
      ("gain", gain.map { $0 + peak }),
      ("available", track.available ? "yes" : "no"), ("cached", isCached ? "yes" : "no"),
      ("id", track.id.rawValue),
    ]
    return rows.compactMap { name, value in
      guard let value, !value.isEmpty else { return nil }
      return "\(Printable.padded(name, to: 9))  \(Printable.escaped(value))"
    }.joined(separator: "\n")
  }

  private static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}

/// `library refresh`: asks the server, and says what is different.
enum LibraryRefreshCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    try await context.withServer { session in
      let library = context.library(of: session.server, on: session)
      let refresh = try await library.refresh()
      context.confirm(text(refresh), json: json(refresh, session.server))
      return .done
    }
  }

  private static func text(_ refresh: LibraryRefresh) -> String {
    let parts = [(refresh.new, "new"), (refresh.gone, "gone"), (refresh.changed, "changed")]
      .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let news = parts.isEmpty ? "nothing new" : parts.joined(separator: ", ")
    return "the library has \(counted(refresh.count, "track")): \(news)"
  }

  private static func json(_ refresh: LibraryRefresh, _ server: ServerAddress) -> JSONValue {
    [
      "server": .text(server.description), "tracks": JSONValue(refresh.count),
      "new": JSONValue(refresh.new), "gone": JSONValue(refresh.gone),
      "changed": JSONValue(refresh.changed), "unreadable": JSONValue(refresh.unreadable),
    ]
  }
}

// MARK: - What they share

extension CommandContext {
  /// Older than this a listing is said to be old: a day, in seconds.
  private static let freshness = 86400.0

  /// The library as it is kept, without asking the server; where it never was read it is now.
  ///
  /// - Throws: what reading the library throws.
  fileprivate func keptLibrary() async throws -> KeptLibrary {
    let library = library(of: try serverAddress)
    guard let stamp = try await library.listing.stamp() else {
      return try await withServer { session in
        let library = self.library(of: session.server, on: session)
        try await library.ensure()
        return library
      }
    }
    let age = wallTime() - stamp.checked
    if age > Self.freshness {
      console.note(
        "the library was read \(TimeText.age(seconds: age)) ago; blastoise library refresh renews it"
      )
    }
    return library
  }

  /// Prints tracks: a line each, or an object each, or an id each.
  fileprivate func print(_ tracks: [Track], of library: KeptLibrary) async {
    if invocation.has(.ids) {
      for track in tracks where !console.isClosed {
        let id = track.id.rawValue
        if isJSON { console.print(["id": .text(id)]) } else { console.print(Printable.escaped(id)) }
      }
      return
    }
    let cached = await cachedIDs(of: library.server)
    if isJSON {
      for track in tracks where !console.isClosed {
        console.print(JSONValue(libraryTrack: track, isCached: cached.contains(track.id)))
      }
    } else {
      let table = TrackTable(tracks: tracks, cached: cached)
      for line in table.lines(on: console.terminal) where !console.isClosed { console.print(line) }
    }
  }
}

/// Tracks as lines: title, artist, album, length, and a mark for those in the cache.
struct TrackTable {
  var tracks: [Track]
  var cached: Set<TrackID>

  /// The lines; they fit where there is a terminal.
  func lines(on terminal: Console.Terminal?) -> [String] {
    let rows = tracks.map { track in
      [
        Printable.escaped(track.displayTitle) + (track.available ? "" : " (not available)"),
        Printable.escaped(track.artist ?? ""), Printable.escaped(track.album ?? ""),
        TimeText.text(track.length), track.mark(cached),
      ]
    }
    return Columns(columns: [.text, .text, .text, .number, .word], rows: rows).lines(on: terminal)
  }
}

extension JSONValue {
  /// A track of the library, with all that is known of it.
  init(libraryTrack track: Track, isCached: Bool) {
    self = [
      "id": .text(track.id.rawValue), "title": .text(track.displayTitle),
      "artist": JSONValue(track.artist), "album": JSONValue(track.album),
      "duration": JSONValue(track.duration), "filename": .text(track.filename),
      "available": .bool(track.available), "replay_gain_db": JSONValue(track.replayGainDB),
      "replay_peak": JSONValue(track.replayPeak), "cached": .bool(isCached),
    ]
  }
}
