import Caching
import Listening
import RoomClient
import RoomProtocol
import Synchronization

/// `cache verify`: whether cached files are as they came.
enum CacheVerifyCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let cache = try context.cache()
    var server = try context.serverAddress
    var ids: Set<TrackID>?
    if !context.invocation.operands.isEmpty || TrackChoice.isGiven(in: context.invocation) {
      guard let chosen = try await context.cachedTracks(in: cache, deed: { "verify \($0)" }) else {
        return .done
      }
      server = chosen.server
      ids = Set(chosen.tracks.map(\.id))
    }
    let verdicts = try await verdicts(context, cache, server, ids)
    let tracks = await context.keptTitles(
      of: verdicts.map(\.row.id), server: server.description)
    var report = CacheCheck(verdicts, tracks)
    if context.invocation.has(.refetch), !report.bad.isEmpty {
      report.refetched = try await refetch(report.bad.map(\.row.id), context, of: server)
    }
    for line in report.complaints where !context.isJSON {
      context.console.complain("blastoise: \(line)")
    }
    context.confirm(report.line, json: report.json(of: server))
    if let failure = report.failure { throw failure }
    return .done
  }

  private static func verdicts(
    _ context: CommandContext, _ cache: TrackCache, _ server: ServerAddress, _ ids: Set<TrackID>?
  ) async throws -> [CacheVerdict] {
    let rows = try await cache.list(server: server.description).filter { row in
      row.state == .complete && ids?.contains(row.id) ?? true
    }
    let total = rows.reduce(0) { $0 + Double($1.bytes) }
    let bar = ProgressBar(context.console, label: "checking \(counted(rows.count, "track"))")
    defer { bar.clear() }
    let done = Mutex(0.0)
    return try await cache.verify(server: server.description, ids: ids) { verdict in
      let bytes = done.withLock { done in
        done += Double(verdict.row.bytes)
        return done
      }
      bar.update(bytes / max(1, total), detail: SizeText.text(bytes: bytes))
    }
  }

  /// Fetches tracks anew; those that are here afterwards.
  private static func refetch(
    _ ids: [TrackID], _ context: CommandContext, of server: ServerAddress
  ) async throws -> Set<TrackID> {
    try await context.withServer { session in
      let cache = try context.cache(fetching: APITrackFetcher(api: session.api))
      let filler = Filler(
        cache: cache, server: server.description,
        plan: FillPlan(parallel: 4, retry: RetryPolicy(limit: 3)), judge: DownloadFailure.meaning)
      var here: Set<TrackID> = []
      let end = await filler.fill(ids) { event in
        if case .ended(let id, .fetched) = event { here.insert(id) }
      }
      await cache.close()
      if let end { throw end }
      try Task.checkCancellation()
      return here
    }
  }
}

/// What a check of the cache has found; pure.
struct CacheCheck {
  private let verdicts: [CacheVerdict]
  private let tracks: [TrackID: Track]
  /// Those that did not match, or are gone, and were fetched anew.
  var refetched: Set<TrackID> = []

  init(_ verdicts: [CacheVerdict], _ tracks: [TrackID: Track]) {
    self.verdicts = verdicts
    self.tracks = tracks
  }

  /// What is not as it came.
  var bad: [CacheVerdict] { verdicts.filter { $0.finding != .whole } }

  private func name(_ verdict: CacheVerdict) -> String {
    (tracks[verdict.row.id] ?? Track(id: verdict.row.id)).quotedName
  }

  /// A line for each that is not as it came.
  var complaints: [String] {
    bad.map { verdict in
      let news = refetched.contains(verdict.row.id) ? "; fetched anew" : ""
      switch verdict.finding {
      case .whole: return ""
      case .damaged(let path):
        return "\(name(verdict)) is not as it came: set aside as \(Printable.escaped(path))\(news)"
      case .missing: return "the file of \(name(verdict)) is gone\(news)"
      case .unreadable(let code):
        return "cannot read \(name(verdict)): \(Diagnostic.text(ofErrno: code))"
      }
    }
  }

  /// The summary.
  var line: String {
    let good = verdicts.count - bad.count
    let bytes = verdicts.reduce(0) { $0 + Double($1.row.bytes) }
    let checked = "checked \(counted(verdicts.count, "track")) (\(SizeText.text(bytes: bytes)))"
    if bad.isEmpty { return "\(checked): all as they came" }
    let news = refetched.isEmpty ? "" : ", \(refetched.count) fetched anew"
    return "\(checked): \(good) as they came, \(bad.count) not\(news)"
  }

  /// What programs read of it.
  func json(of server: ServerAddress) -> JSONValue {
    [
      "server": .text(server.description), "checked": JSONValue(verdicts.count),
      "ok": JSONValue(verdicts.count - bad.count), "refetched": JSONValue(refetched.count),
      "bad": .list(
        bad.map { verdict in
          [
            "track": JSONValue(track: tracks[verdict.row.id] ?? Track(id: verdict.row.id)),
            "state": .text(Self.state(verdict.finding)), "quarantine": Self.place(verdict.finding),
            "refetched": .bool(refetched.contains(verdict.row.id)),
          ]
        }),
    ]
  }

  private static func state(_ finding: CacheVerdict.Finding) -> String {
    switch finding {
    case .whole: "ok"
    case .damaged: "quarantined"
    case .missing: "missing"
    case .unreadable: "unreadable"
    }
  }

  private static func place(_ finding: CacheVerdict.Finding) -> JSONValue {
    if case .damaged(let path) = finding { .text(path) } else { .null }
  }

  /// How the command fails; nil where all is well in the end.
  var failure: Diagnostic? {
    let left = bad.filter { !refetched.contains($0.row.id) }
    guard !left.isEmpty else { return nil }
    if left.allSatisfy({ if case .unreadable = $0.finding { true } else { false } }) {
      return Diagnostic(.device, "cannot read \(counted(left.count, "track")) of the cache")
    }
    return Diagnostic(
      .mismatch,
      "\(counted(left.count, "track")) of the cache not as \(left.count == 1 ? "it" : "they")"
        + " came",
      hint: "blastoise cache verify --refetch fetches such tracks anew")
  }
}
