import Caching
import Control
import Listening
import RoomClient
import RoomProtocol

/// `library play`: tracks of the library, in sync with nobody: by the running listener, which leaves
/// its room for it, or by this program.
enum LibraryPlayCommand {
  /// The ids that go over the control socket at once: a line has its limit.
  private static let batch = 500

  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let wish = try await context.withKeptServer { try await LocalWish(context, on: $0) }
    if let client = try await context.listener() {
      return try await hand(wish, to: client, context)
    }
    guard context.promptSession == nil else { throw await context.noListener }
    // Played here, by a listener that is in no room.
    return try await ListenCommand.run(context, at: wish.server) { configuration in
      configuration.room = context.invocation[.channel]
      configuration.library = LocalQueue(wish.tracks, from: wish.first, mode: wish.mode)
    }
  }

  /// Lets the running listener play it.
  private static func hand(
    _ wish: LocalWish, to client: ControlClient, _ context: CommandContext
  ) async throws -> ExitStatus {
    var arguments = [
      JSONValue.Member("server", .text(wish.server.description)),
      .init("mode", .text(wish.mode.name)), .init("from", JSONValue(wish.first?.rawValue)),
    ]
    let ids = wish.isWhole ? [] : wish.tracks.map { JSONValue.text($0.id.rawValue) }
    if !wish.isWhole { arguments.append(.init("tracks", .list(Array(ids.prefix(batch))))) }
    var status = try await client.answer(to: "library", arguments)["status"]
    for start in stride(from: batch, to: ids.count, by: batch) {
      let more = JSONValue.list(Array(ids[start..<min(start + batch, ids.count)]))
      status = try await client.answer(
        to: "library", [.init("add", .bool(true)), .init("tracks", more)])["status"]
    }
    context.confirm(
      "\(LocalText.playing(status)) (not in sync with anyone; blastoise join leads back)",
      json: status)
    return .done
  }
}

/// What is to be played from the library: which tracks, where to begin, and how to go on.
struct LocalWish {
  var server: ServerAddress
  var tracks: [Track]
  /// Whether that is all that is kept of the library, in its order.
  var isWhole = false
  /// The track to begin at; nil leaves it to the mode.
  var first: TrackID?
  var mode = PlaybackMode.repeatAll

  /// Finds what a command line names: without the network where what is kept suffices.
  ///
  /// - Throws: `Diagnostic` where nothing is found; what the disk throws.
  init(_ context: CommandContext, on session: ServerSession) async throws {
    let invocation = context.invocation
    server = session.server
    try invocation.checkApart(.shuffle, .playbackMode)
    if let name = invocation[.playbackMode] { mode = PlaybackMode(name) }
    if invocation.has(.shuffle) { mode = .shuffle }
    let kept = invocation.has(.cached) ? try await context.keptIDs(of: server) : nil
    let named = try await Self.named(context, on: session, kept)
    if named.count == 1, !TrackChoice.isGiven(in: invocation) { first = named[0].id }
    tracks = first == nil ? named : []
    if tracks.isEmpty { (tracks, isWhole) = try await context.wholeLibrary(on: session) }
    if let kept {
      tracks.removeAll { !kept.contains($0.id) }
      isWhole = false
    }
    // The cache may have what the listing does not know.
    if let first, !tracks.contains(where: { $0.id == first }) { tracks = named }
    guard !tracks.isEmpty else {
      throw Diagnostic(
        .notFound, kept != nil ? "none of it is cached" : "the library is empty")
    }
  }

  /// The tracks that the command line names, among those that are kept where only they are meant;
  /// none where it names none.
  private static func named(
    _ context: CommandContext, on session: ServerSession, _ kept: Set<TrackID>?
  ) async throws -> [Track] {
    let names = try await TrackChoice.expanded(context.invocation.operands)
    guard !names.isEmpty || TrackChoice.isGiven(in: context.invocation) else { return [] }
    let cached = kept.map { CachedIDs(ids: $0, isOnly: true) }
    if names.count > 1 {
      // Words of one title need no quotes.
      let library = context.library(of: session.server, on: session)
      if kept == nil { try await library.ensure() }
      let finder = TrackFinder(listing: library.listing, cached: cached)
      if let only = try? await finder.track(names.joined(separator: " ")) { return [only] }
    }
    let choice = TrackChoice(
      context, of: session.server, on: kept == nil ? session : nil, cached: cached
    ) {
      throw Diagnostic.usage("rows are a room's", hint: "library play takes ids and words")
    }
    return try await choice.tracks(names, deed: { "play \($0)" }, asks: false) ?? []
  }
}

extension CommandContext {
  /// All tracks of the library that the server has, as it is kept; where it never was read the
  /// server is asked, and where that fails too it is what is cached.
  ///
  /// - Parameter session: the server.
  /// - Returns: the tracks, and whether that is the whole library.
  /// - Throws: what reading the library throws, where nothing is cached either.
  func wholeLibrary(on session: ServerSession) async throws -> (tracks: [Track], isWhole: Bool) {
    let library = library(of: session.server, on: invocation.has(.cached) ? nil : session)
    do {
      if !invocation.has(.cached) { try await library.ensure() }
      let tracks = try await library.listing.tracks().filter(\.available)
      if !tracks.isEmpty || !invocation.has(.cached) { return (tracks, true) }
    } catch {
      guard (try? await keptIDs(of: session.server))?.isEmpty == false else { throw error }
      console.note("the library can't be read from the server: what is cached plays")
    }
    let ids = try await keptIDs(of: session.server)
    return (ids.map { Track(id: $0) }.sorted { $0.id.rawValue < $1.id.rawValue }, false)
  }

  /// The tracks of a server that are whole in the cache.
  func keptIDs(of server: ServerAddress) async throws -> Set<TrackID> {
    try await cache().keptIDs(server: server.description)
  }
}

extension OptionSpec {
  static let cached = OptionSpec(name: "cached", help: "only tracks that are kept on the disk")
  static let shuffle = OptionSpec(name: "shuffle", help: "in an order of chance")
  static let playbackMode = OptionSpec(
    name: "mode", placeholder: "MODE", choices: PlaybackMode.known.map(\.name),
    help: "what happens at the end of a track")
}
