import Caching
import RoomClient
import RoomProtocol

extension OptionSpec {
  static let album = OptionSpec(
    name: "album", placeholder: "ALBUM", help: "all tracks of this album")
  static let artist = OptionSpec(
    name: "artist", placeholder: "ARTIST", help: "all tracks of this artist")
  static let match = OptionSpec(
    name: "match", placeholder: "WORDS", help: "all tracks that have all these words")
  static let ofPlaylist = OptionSpec(
    name: "playlist", placeholder: "PLAYLIST", help: "all tracks of this playlist")

  static let ofQueue = OptionSpec(name: "queue", help: "all tracks of the room's queue")
  static let ofLibrary = OptionSpec(name: "library", help: "all tracks of the library")

  /// What every command takes that takes tracks.
  static let trackChoice: [OptionSpec] = [album, artist, match, ofPlaylist, yes]
}

extension CommandSpec.Operand {
  /// The tracks of a command that takes `OptionSpec.trackChoice` too.
  static let tracks = CommandSpec.Operand(name: "TRACK", isRequired: false, isRepeated: true)
}

/// The tracks that a command line names, found in the kept library (design.md 1).
///
/// ```swift
/// let choice = TrackChoice(context, of: session.server, on: session) { try visit.rows }
/// guard let tracks = try await choice.tracks(operands, deed: { "add \($0) to \(room)" }) else {
///   return .done
/// }
/// ```
///
/// One argument is one track: an id, a unique beginning of its hash, `@current`, `@3` or `@last`,
/// or words that fit only it; `-` stands for the lines of standard input. The options name several,
/// in the natural order of their files' names: `--album`, `--artist` and `--match` together those
/// that fit all three. Either all of it is found or nothing is done.
struct TrackChoice {
  /// More tracks than these, found by album, artist or words, are asked about.
  static let limit = 50

  private let context: CommandContext
  private let session: ServerSession?
  private let server: ServerAddress
  private let library: KeptLibrary
  private let cached: CachedIDs?
  private let queue: () async throws -> QueueRows

  /// Prepares to choose.
  ///
  /// - Parameters:
  ///   - context: the command; its options are looked at.
  ///   - server: whose tracks they are.
  ///   - session: the server, asked where the kept library does not know an argument; nil does
  ///     without.
  ///   - cached: the tracks of the cache, known beside the library's, or alone; nil for none.
  ///   - queue: gets the room's queue, asked for only where `--queue` is given or an argument is `@`
  ///     and a row.
  init(
    _ context: CommandContext, of server: ServerAddress, on session: ServerSession?,
    cached: CachedIDs? = nil, queue: @escaping () async throws -> QueueRows
  ) {
    self.context = context
    self.server = server
    self.session = session
    self.cached = cached
    self.queue = queue
    library = context.library(of: server, on: session)
  }

  /// Whether the command line chooses by options.
  static func isGiven(in invocation: Invocation) -> Bool {
    choosers.contains { invocation.has($0) }
  }

  private static let choosers: [OptionSpec] = [
    .album, .artist, .match, .ofPlaylist, .ofQueue, .ofLibrary,
  ]

  /// Whether choosing takes the room's queue.
  static func needsRoom(_ arguments: [String], _ invocation: Invocation) -> Bool {
    arguments.contains(where: isRow) || invocation.has(.ofQueue)
  }

  /// Checks that something is named at all, by words or options.
  ///
  /// - Throws: `Diagnostic` of the code `usage`.
  static func check(_ arguments: [String], _ invocation: Invocation) throws(Diagnostic) {
    guard !arguments.isEmpty || isGiven(in: invocation) else {
      let options = CommandTable.spec(invocation.command).options
      let others = choosers.filter(options.contains).map { "--\($0.name)" }
      throw Diagnostic.usage(
        "\(invocation.command.rawValue) needs TRACK",
        hint: "or \(others.joined(separator: ", ")), or - for ids on standard input")
    }
  }

  /// Finds all tracks that are named, in the order of the command line, and asks where they are many.
  ///
  /// What is not available on the server is left out where several are named, which is said.
  ///
  /// - Parameters:
  ///   - arguments: the words that each mean a track.
  ///   - deed: what would be done, for the question: `{ "add \($0) to Lobby" }`, given `60 tracks`.
  ///   - asks: false where many are as harmless as one.
  /// - Returns: one track at least; nil where somebody has answered the question with no.
  /// - Throws: `Diagnostic`: `usage`, `not_found`, `ambiguous`, `out_of_range`, `needs_yes`; what
  ///   the server and the disk throw.
  func tracks(
    _ arguments: [String], deed: (String) -> String, asks: Bool = true
  ) async throws -> [Track]? {
    try Self.check(arguments, context.invocation)
    var tracks = try await named(arguments)
    let found = try await found()
    tracks += found
    if let name = context.invocation[.ofPlaylist] { tracks += try await playlist(name) }
    if context.invocation.has(.ofQueue) { tracks += try within(await queue().tracks, "the queue") }
    let usable = try cached?.isOnly == true ? tracks : available(tracks)
    if asks, found.count > Self.limit {
      guard try await context.agrees(to: deed("\(usable.count) tracks")) else { return nil }
    }
    return usable
  }

  private func available(_ tracks: [Track]) throws(Diagnostic) -> [Track] {
    let usable = tracks.filter(\.available)
    if let only = tracks.first, usable.isEmpty {
      throw Diagnostic(
        .notFound,
        tracks.count == 1
          ? "\(only.quotedName) is not available on the server"
          : "none of the \(tracks.count) tracks is available on the server")
    }
    let missing = tracks.count - usable.count
    if missing > 0 {
      let first = tracks.first { !$0.available }.map(\.quotedName) ?? ""
      context.console.complain(
        "blastoise: left out what is not available: \(first)"
          + (missing > 1 ? " and \(missing - 1) more" : ""))
    }
    return usable
  }

  // MARK: - One argument, one track

  private func named(_ arguments: [String]) async throws -> [Track] {
    guard !arguments.isEmpty else { return [] }
    let texts = try await Self.expanded(arguments)
    let row = try await rowLookup(texts)
    guard texts.contains(where: { !Self.isRow($0) }) else { return try texts.map(row) }
    try await ensureLibrary()
    var finder = TrackFinder(listing: library.listing, cached: cached)
    var hasRefreshed = cached?.isOnly == true
    var tracks: [Track] = []
    try await finder.learn(texts)
    for text in texts {
      if Self.isRow(text) {
        tracks.append(try row(text))
        continue
      }
      var track = try await finder.track(text)
      if track == nil, !hasRefreshed {
        hasRefreshed = true
        // A server that can't be reached changes nothing in what is known.
        if (try? await library.refresh()) != nil { track = try await finder.track(text) }
      }
      guard let found = try track ?? unlisted(text) else { throw try await finder.unknown(text) }
      tracks.append(found)
    }
    return tracks
  }

  /// The library, read where it never was; of the cache ids alone are known without it.
  private func ensureLibrary() async throws {
    if cached?.isOnly != true { try await library.ensure() }
  }

  /// A track that the library does not have: only where the cache is to have it, by a whole id.
  private func unlisted(_ text: String) throws(Diagnostic) -> Track? {
    guard let cached else { return nil }
    if cached.isOnly {
      throw Diagnostic(
        .notFound, "no track in the cache fits \"\(Printable.escaped(text))\"",
        hint: "blastoise cache list shows what is there")
    }
    return TrackFinder.isWholeHash(text) ? Track(id: TrackID(text)) : nil
  }

  /// What the cache has of these, where nothing else can be meant.
  private func within(_ tracks: [Track], _ what: String) throws(Diagnostic) -> [Track] {
    guard let cached, cached.isOnly else { return tracks }
    let kept = tracks.filter { cached.ids.contains($0.id) }
    guard !kept.isEmpty else {
      throw Diagnostic(.notFound, "no track of \(what) is in the cache")
    }
    return kept
  }

  /// Whether an argument names a row of the queue.
  static func isRow(_ text: String) -> Bool { text.hasPrefix("@") }

  /// The track of `@current`, `@3` or `@last`.
  ///
  /// - Throws: `Diagnostic`: `usage`, `out_of_range`; what getting the queue throws.
  func row(_ text: String) async throws -> Track { try await rowLookup([text])(text) }

  /// What finds the arguments that name rows: in the queue, or, where the running listener plays
  /// the library, there for the current track.
  private func rowLookup(_ texts: [String]) async throws -> (String) throws -> Track {
    let current = "@current"
    let local = texts.contains(current) ? try await context.localTrack(of: server) : nil
    let isInQueue = { (text: String) in Self.isRow(text) && (local == nil || text != current) }
    let rows = texts.contains(where: isInQueue) ? try await queue() : nil
    return { text in
      if let local, !isInQueue(text) { return local }
      guard let rows, let index = try rows.row(text) else {
        throw Diagnostic.usage(
          "\"\(Printable.escaped(text))\" is no row", hint: "@current, @3 or @last is")
      }
      return rows.tracks[index]
    }
  }

  /// The arguments, with the lines of standard input in the place of `-`.
  ///
  /// - Throws: `Diagnostic` where it is empty, or is to be read twice.
  static func expanded(_ arguments: [String]) async throws(Diagnostic) -> [String] {
    guard arguments.count(where: { $0 == "-" }) <= 1 else {
      throw .usage("standard input can be read only once", hint: "give - once")
    }
    var texts: [String] = []
    for argument in arguments {
      guard argument == "-" else {
        texts.append(argument)
        continue
      }
      let count = texts.count
      for await line in LineReader.lines() {
        let words = line.split(whereSeparator: \.isWhitespace)
        if !words.isEmpty { texts.append(words.joined(separator: " ")) }
      }
      guard texts.count > count else { throw .usage("no track on standard input") }
    }
    return texts
  }

  // MARK: - Several

  /// What `--album`, `--artist` and `--match` find together.
  private func found() async throws -> [Track] {
    let invocation = context.invocation
    let isNamed = invocation.has(.album) || invocation.has(.artist) || invocation.has(.match)
    guard isNamed || invocation.has(.ofLibrary) else { return [] }
    try await ensureLibrary()
    if invocation.has(.ofLibrary) {
      return try within(await library.listing.tracks(), "the library")
    }
    do {
      return try within(await matching(invocation), "those chosen")
    } catch let error as Diagnostic where error.code == .notFound && cached?.isOnly != true {
      // Perhaps it is newer than what is kept.
      guard (try? await library.refresh()) != nil else { throw error }
      return try await matching(invocation)
    }
  }

  private func matching(_ invocation: Invocation) async throws -> [Track] {
    let listing = library.listing
    var album: String?
    var artist: String?
    if let name = invocation[.album] { album = try only(name, in: await listing.albums(), "album") }
    if let name = invocation[.artist] {
      artist = try only(name, in: await listing.artists(), "artist")
    }
    var tracks: [Track] = []
    if album != nil || artist != nil {
      tracks = try await listing.tracks(album: album, artist: artist)
    }
    if let words = invocation[.match] {
      let hits = try await listing.search(words, inOrder: true)
      let isAlone = album == nil && artist == nil
      let ids = Set(tracks.map(\.id))
      tracks = isAlone ? hits : hits.filter { ids.contains($0.id) }
    }
    guard !tracks.isEmpty else {
      let wanted = [album, artist, invocation[.match]].compactMap(\.self)
        .map { "\"\(Printable.escaped($0))\"" }
      throw Diagnostic(.notFound, "no track fits \(wanted.joined(separator: " and "))")
    }
    return tracks
  }

  /// The one name that is meant: the whole of it or a unique beginning.
  private func only(
    _ text: String, in names: [String], _ kind: String
  ) throws(Diagnostic) -> String {
    let shown = Printable.escaped(text)
    switch NameLookup(text, in: names, id: { $0 }, name: { $0 }) {
    case .found(let name): return name
    case .ambiguous(let names):
      throw Diagnostic(
        .ambiguous, "\"\(shown)\" fits \(names.count) \(kind)s",
        hint: candidates(names.map { Printable.escaped($0) }))
    case .missing:
      let near = Spelling.nearest(to: text.lowercased(), among: names.map { $0.lowercased() })
      let meant = names.first { $0.lowercased() == near }
      throw Diagnostic(
        .notFound, "no \(kind) \"\(shown)\"",
        hint: meant.map { "did you mean \(Printable.escaped($0))?" })
    }
  }

  /// The tracks of a playlist, those left out that the library does not have.
  private func playlist(_ text: String) async throws -> [Track] {
    let reading = try await context.playlists(of: server, on: session)
    let playlist = try await reading.playlist(text)
    try await ensureLibrary()
    let known = try await library.tracks(playlist.trackIDs)
    if let cached, cached.isOnly {
      let tracks = playlist.trackIDs.map { known[$0] ?? Track(id: $0) }
      return try within(tracks, "playlist \(playlist.quotedName)")
    }
    let tracks = playlist.trackIDs.compactMap { known[$0] }
    guard !tracks.isEmpty else {
      throw playlist.hasNothing
    }
    let missing = playlist.trackIDs.count - tracks.count
    if missing > 0 { context.leftOut(missing) }
    return tracks
  }
}
