import Caching
import Listening
import RoomClient
import RoomProtocol

/// `cache add`: tracks into the cache, however long it takes.
enum CacheAddCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let context = context.meaningQueue
    let wish = try FillWish(context)
    if !wish.follows { try TrackChoice.check(context.invocation.operands, context.invocation) }
    let names = try await TrackChoice.expanded(context.invocation.operands)
    let concernsRoom = wish.follows || TrackChoice.needsRoom(names, context.invocation)
    return try await context.withFillServer(ofRoom: concernsRoom) { session in
      let job = try CacheAddJob(context, wish, session)
      if wish.follows { return try await job.follow() }
      guard let tracks = try await job.choose(names) else { return .done }
      if context.invocation.has(.dryRun) { return try await job.rehearse(tracks) }
      guard try await job.fits(tracks) else { return .done }
      return try await job.fill(tracks)
    }
  }
}

extension CommandContext {
  /// The same; where nothing but a room is named, its queue is meant.
  fileprivate var meaningQueue: CommandContext {
    let isNamed = invocation.origins[OptionSpec.channel.name]?.hasPrefix("--") == true
    guard isNamed, invocation.operands.isEmpty, !TrackChoice.isGiven(in: invocation) else {
      return self
    }
    var context = self
    context.invocation.values[OptionSpec.ofQueue.name] = "1"
    return context
  }

  /// Does something with the server that is meant, which may be out of reach for now.
  fileprivate func withFillServer<Result>(
    ofRoom concernsRoom: Bool, _ body: (ServerSession) async throws -> Result
  ) async throws -> Result {
    concernsRoom
      ? try await withRoomServer(needed: false, body) : try await withServer(needed: false, body)
  }
}

/// One run of `cache add` on one server.
private struct CacheAddJob {
  private let context: CommandContext
  private let wish: FillWish
  private let session: ServerSession
  private let gate: TransferGate
  private let fetcher: APITrackFetcher
  private let cache: TrackCache

  private var server: String { session.server.description }
  private var console: Console { context.console }

  init(_ context: CommandContext, _ wish: FillWish, _ session: ServerSession) throws {
    self.context = context
    self.wish = wish
    self.session = session
    gate = TransferGate(bytesPerSecond: wish.rate)
    fetcher = APITrackFetcher(api: session.api)
    cache = try context.cache(fetching: GatedFetcher(fetcher, through: gate))
  }

  // MARK: - What is wanted

  /// The tracks that the command line names, each once; nil where somebody has answered with no.
  func choose(_ names: [String]) async throws -> [Track]? {
    let kept = Set(try await cache.list(server: server).map(\.id))
    return try await context.persistently(wish) {
      let choice = TrackChoice(
        context, of: session.server, on: session, cached: CachedIDs(ids: kept, isOnly: false)
      ) {
        try await context.visit(on: session, wantsQueue: true).rows
      }
      guard let tracks = try await choice.tracks(names, deed: { "cache \($0)" }) else { return nil }
      var seen: Set<TrackID> = []
      return tracks.filter { seen.insert($0.id).inserted }
    }
  }

  /// What is still to come of tracks, and how many are here; the server is asked for sizes where
  /// they matter, or for all.
  private func budget(
    _ tracks: [Track], asksAll: Bool
  ) async throws -> (rest: FillBudget, here: Int) {
    await cache.spare(tracks.map(\.id), server: server)
    let rows = try await cache.list(server: server)
    let complete = Set(rows.filter { $0.state == .complete }.map(\.id))
    let rest = tracks.filter { !complete.contains($0.id) }
    let room = try await cache.room().leftAtMost
    let here = Dictionary(rows.map { ($0.id, $0.bytes) }) { $1 }
    var sizes = Dictionary(rows.compactMap { row in row.expected.map { (row.id, $0) } }) { $1 }
    func budget() -> FillBudget {
      FillBudget(rest.map(\.id), sizes: sizes, here: here, room: room)
    }
    let open = rest.filter { sizes[$0.id] == nil }
    if asksAll || Double(budget().known) + Self.estimate(open) > Double(room) {
      let asked = open.prefix(Self.questions).map(\.id)
      if asked.count > 100 { console.note("asking how large \(asked.count) tracks are") }
      let found = await TrackSizes.ask(asked, by: fetcher, parallel: 2 * wish.parallel)
      sizes.merge(found) { $1 }
    }
    return (budget(), tracks.count - rest.count)
  }

  /// A server is asked for the sizes of so many tracks; of the others nobody knows.
  private static let questions = 1000

  /// What tracks take at most if they are no finer than a CD, in bytes.
  private static func estimate(_ tracks: [Track]) -> Double {
    tracks.reduce(0) { $0 + ($1.duration ?? 600) * 176_400 }
  }

  /// Says what would be fetched.
  func rehearse(_ tracks: [Track]) async throws -> ExitStatus {
    let (rest, here) = try await budget(tracks, asksAll: true)
    context.present(
      Self.text(rest, tracks: tracks.count, here: here),
      json: [
        "server": .text(server), "tracks": JSONValue(tracks.count), "present": JSONValue(here),
        "to_fetch": JSONValue(tracks.count - here), "bytes": .integer(rest.known),
        "unknown": JSONValue(rest.unknown), "room": .integer(rest.room),
        "lacking": .integer(rest.lacking),
      ])
    return .done
  }

  private static func text(_ rest: FillBudget, tracks: Int, here: Int) -> String {
    let unknown = rest.unknown > 0 ? " and \(rest.unknown) of unknown size" : ""
    var lines = [
      "\(counted(tracks, "track")), \(here) here already",
      "to fetch: \(tracks - here) (\(SizeText.text(rest.known))\(unknown))",
      "room: \(SizeText.text(rest.room))",
    ]
    if rest.lacking > 0 { lines.append("too much by \(SizeText.text(rest.lacking))") }
    return lines.joined(separator: "\n")
  }

  /// Whether to go on: what surely does not fit is said before the first byte, and asked about.
  func fits(_ tracks: [Track]) async throws -> Bool {
    let (rest, _) = try await budget(tracks, asksAll: false)
    guard rest.lacking > 0 else { return true }
    guard rest.room > 0 else {
      throw Diagnostic(
        .noRoom, "there is no room in the cache for anything",
        hint: "cache list --all shows what takes it; cache unpin and cache remove make room")
    }
    console.note(
      "these take \(SizeText.text(rest.known)) more, and there is room for "
        + "\(SizeText.text(rest.room)): \(SizeText.text(rest.lacking)) will not fit")
    return try await context.agrees(to: "cache what fits, in this order")
  }

  // MARK: - Filling

  /// Fetches the tracks.
  func fill(_ tracks: [Track]) async throws -> ExitStatus {
    let view = FillView(context, gate: gate, follows: false)
    view.learn(tracks)
    return try conclude(view, await run(tracks.map(\.id), then: nil, view))
  }

  /// Fetches what stands in the room's queue, as it changes.
  func follow() async throws -> ExitStatus {
    let (wants, want) = AsyncStream.makeStream(of: [TrackID].self)
    let view = FillView(context, gate: gate, follows: true)
    let follower = QueueFollower(context: context, session: session, retry: wish.retry)
    if !context.isJSON { console.note("keeping the room's queue cached; Ctrl-C ends it") }
    let following = Task {
      defer { want.finish() }
      try await follower.follow(note: view.note) { tracks in
        view.learn(tracks)
        want.yield(tracks.map(\.id))
      }
    }
    let end = await withTaskCancellationHandler {
      await run([], then: wants, view)
    } onCancel: {
      following.cancel()
    }
    following.cancel()
    let result = await following.result
    if case .failure(let error) = result, !(error is CancellationError) {
      return try conclude(view, end ?? error)
    }
    return try conclude(view, end)
  }

  private func run(
    _ ids: [TrackID], then more: AsyncStream<[TrackID]>?, _ view: FillView
  ) async -> (any Error)? {
    // One session for all transfers, where guests are allowed; what refuses it refuses them too.
    if !session.isKnown { _ = try? await context.identity(on: session) }
    let filler = Filler(
      cache: cache, server: server, plan: FillPlan(parallel: wish.parallel, retry: wish.retry),
      deadline: wish.deadline, isPinning: context.invocation.has(.pin),
      judge: DownloadFailure.meaning)
    let drawing = Task {
      while !Task.isCancelled {
        view.redraw()
        try await Task.sleep(for: .milliseconds(100))
      }
    }
    // Said at once: what is flushed after a signal may outlast our patience.
    let end = await withTaskCancellationHandler {
      await filler.fill(ids, then: more) { view.show($0) }
    } onCancel: {
      view.stop()
    }
    drawing.cancel()
    _ = await drawing.result
    view.clear()
    await cache.close()
    return end
  }

  /// Says what has come of it.
  private func conclude(_ view: FillView, _ end: (any Error)?) throws -> ExitStatus {
    let tally = view.tally
    if Task.isCancelled {
      if context.isJSON { console.print(tally.json) }
      throw CancellationError()
    }
    context.confirm(tally.lines.joined(separator: "\n"), json: tally.json)
    if let end { throw end }
    if let failure = tally.failure { throw failure }
    return .done
  }
}
