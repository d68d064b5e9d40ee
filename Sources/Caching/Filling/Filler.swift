package import Platform
package import RoomProtocol

/// What becomes of a track that was to be in the cache.
package enum FillOutcome: Sendable {
  /// It has been fetched; its length in bytes.
  case fetched(Int64)
  /// It was there before; its length in bytes.
  case present(Int64)
  /// It is not there; the error of the last try, where there was one.
  case absent(FillPlan.Obstacle, (any Error)?)
}

/// What happens while a cache is filled.
package enum FillEvent: Sendable {
  /// These tracks are wanted now, each once, and no others.
  case wanted([TrackID])
  /// A track is on its way.
  case started(TrackID, Download)
  /// It has failed and is tried again after a pause.
  case postponed(TrackID, any Error, Duration)
  /// It is through, or will not be tried again.
  case ended(TrackID, FillOutcome)
}

/// Fills the cache with the tracks that are wanted: so many at once, in their order, with retries.
///
/// ```swift
/// let filler = Filler(cache: cache, server: base, plan: plan, judge: DownloadFailure.meaning)
/// let end = await filler.fill(ids) { event in show(event) }
/// ```
package struct Filler: Sendable {
  private let cache: TrackCache
  private let server: String
  private let plan: FillPlan
  private let deadline: ContinuousClock.Instant?
  private let isPinning: Bool
  private let time: TimeSource
  private let chance: @Sendable () -> Double
  private let judge: @Sendable (any Error) -> FillFailure

  /// Prepares to fill; nothing happens yet.
  ///
  /// - Parameters:
  ///   - cache: where the tracks go.
  ///   - server: the server's base URL, a part of the key.
  ///   - plan: how many at once, and how often again; without a track.
  ///   - deadline: when to end with what is there; nil never does.
  ///   - isPinning: whether each track that is there is pinned.
  ///   - time: the clock.
  ///   - chance: from 0 to below 1, for the pauses.
  ///   - judge: what a failure means.
  package init(
    cache: TrackCache, server: String, plan: FillPlan,
    deadline: ContinuousClock.Instant? = nil, isPinning: Bool = false, time: TimeSource = .live,
    chance: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
    judge: @escaping @Sendable (any Error) -> FillFailure
  ) {
    self.cache = cache
    self.server = server
    self.plan = plan
    self.deadline = deadline
    self.isPinning = isPinning
    self.time = time
    self.chance = chance
    self.judge = judge
  }

  /// Fetches what is wanted and not there.
  ///
  /// Cancelled, or at the deadline, it calls the downloads off: what has come of them stays.
  ///
  /// - Parameters:
  ///   - ids: the tracks wanted at first.
  ///   - more: the tracks wanted later, each time all of them; it ends where no others will be; nil
  ///     for none.
  ///   - report: told of all that happens, from one task.
  /// - Returns: the failure that has ended all, where one did.
  package func fill(
    _ ids: [TrackID] = [], then more: AsyncStream<[TrackID]>? = nil,
    report: @escaping (FillEvent) -> Void
  ) async -> (any Error)? {
    let run = FillRun(plan: plan, report: report, isOpen: more != nil)
    if !ids.isEmpty { await take(.wanted(ids), run) }
    await withDiscardingTaskGroup { group in
      listen(run.announce, to: more, in: &group)
      var timer: Task<Void, any Error>?
      var notes = run.notes.makeAsyncIterator()
      while true {
        let step = start(run, in: &group)
        if step == .over, !run.isOpen { break }
        timer?.cancel()
        timer = alarm(step, run.announce)
        guard let note = await notes.next() else { break }
        await take(note, run)
        if case .deadline = note { group.cancelAll() }
      }
      timer?.cancel()
      group.cancelAll()
    }
    run.finish()
    return run.end
  }

  /// Turns what happens elsewhere into notes.
  private func listen(
    _ announce: AsyncStream<FillRun.Note>.Continuation, to more: AsyncStream<[TrackID]>?,
    in group: inout DiscardingTaskGroup
  ) {
    group.addTask {
      for await case .started(let id, let download) in cache.events {
        announce.yield(.started(id, download))
      }
    }
    if let more {
      group.addTask {
        for await ids in more { announce.yield(.wanted(ids)) }
        announce.yield(.wantsNoMore)
      }
    }
    if let deadline {
      group.addTask {
        if (try? await time.sleep(deadline)) != nil { announce.yield(.deadline) }
      }
    }
  }

  // MARK: - Steps

  /// Starts what may start; returns what the plan says then.
  private func start(_ run: FillRun, in group: inout DiscardingTaskGroup) -> FillPlan.Step {
    while true {
      let step = run.plan.next(at: time.now())
      guard case .start(let id) = step else { return step }
      let announce = run.announce
      group.addTask { await bring(id, announce) }
    }
  }

  private func alarm(
    _ step: FillPlan.Step, _ announce: AsyncStream<FillRun.Note>.Continuation
  ) -> Task<Void, any Error>? {
    guard case .wait(let until?) = step else { return nil }
    return Task {
      try await time.sleep(until)
      announce.yield(.time)
    }
  }

  private func take(_ note: FillRun.Note, _ run: FillRun) async {
    switch note {
    case .wanted(let ids):
      // What was asked for, and what was fetched for it, must not make room for the rest.
      await cache.spare(ids, server: server)
      run.plan.want(ids)
      run.report(.wanted(run.plan.wanted))
      await takePresent(run)
    case .wantsNoMore: run.isOpen = false
    case .time: break
    case .deadline:
      run.isOpen = false
      run.plan.stop()
    case .started(let id, let download): run.start(id, download)
    case .here(let id, let bytes):
      run.end(id)
      run.plan.succeeded(id)
      run.tell(id, .fetched(bytes))
    case .failed(let id, let error):
      let hasGrown = run.end(id)
      if Self.isCalledOff(error) {
        run.fail(id, nil, .passing, hasGrown: hasGrown, at: time.now(), chance: chance())
      } else {
        run.fail(id, error, judge(error), hasGrown: hasGrown, at: time.now(), chance: chance())
      }
    }
  }

  private static func isCalledOff(_ error: any Error) -> Bool {
    if case CacheError.cancelled = error { return true }
    return error is CancellationError
  }

  /// Takes what is here already; it counts as used, or it would be the next to go.
  private func takePresent(_ run: FillRun) async {
    // Where the index can't be read the tracks are asked for one by one, and say so.
    guard let rows = try? await cache.list(server: server) else { return }
    let whole = Dictionary(rows.filter { $0.state == .complete }.map { ($0.id, $0.bytes) }) { $1 }
    var present: [TrackID] = []
    for id in run.plan.wanted {
      // Listed and cut or gone is not here.
      guard let bytes = whole[id], await cache.keptFile(of: id, server: server) != nil,
        run.plan.takePresent(id)
      else { continue }
      present.append(id)
      run.tell(id, .present(bytes))
    }
    try? await cache.touch(present, server: server)
    if isPinning { for id in present { try? await cache.pin(id, server: server) } }
  }

  /// Gets one track, and announces what has come of it.
  private func bring(_ id: TrackID, _ announce: AsyncStream<FillRun.Note>.Continuation) async {
    do {
      let bytes = try await withTaskCancellationHandler {
        try await cache.file(for: id, server: server).bytes
      } onCancel: {
        Task { await cache.cancel(id, server: server) }
      }
      if isPinning { try await cache.pin(id, server: server) }
      announce.yield(.here(id, bytes))
    } catch {
      announce.yield(.failed(id, error))
    }
  }
}

/// One run of a filler: what it knows by now.
///
/// Threading: one task's.
private final class FillRun {
  enum Note: Sendable {
    case wanted([TrackID])
    case wantsNoMore
    case time
    case deadline
    case started(TrackID, Download)
    case here(TrackID, Int64)
    case failed(TrackID, any Error)
  }

  var plan: FillPlan
  /// Whether other tracks may still be wanted.
  var isOpen: Bool
  /// The failure that has ended all.
  private(set) var end: (any Error)?
  let report: (FillEvent) -> Void
  let notes: AsyncStream<Note>
  let announce: AsyncStream<Note>.Continuation
  private var told: Set<TrackID> = []
  private var downloads: [TrackID: Download] = [:]
  /// How far tracks had come when they last failed.
  private var reached: [TrackID: Int64] = [:]
  private var lastErrors: [TrackID: any Error] = [:]

  init(plan: FillPlan, report: @escaping (FillEvent) -> Void, isOpen: Bool) {
    self.plan = plan
    self.isOpen = isOpen
    self.report = report
    (notes, announce) = AsyncStream.makeStream()
  }

  func start(_ id: TrackID, _ download: Download) {
    guard plan.isRunning(id) else { return }
    downloads[id] = download
    report(.started(id, download))
  }

  /// Lets a track's download go; returns whether more of it is here than before.
  @discardableResult
  func end(_ id: TrackID) -> Bool {
    guard let received = downloads.removeValue(forKey: id)?.progress.received else { return false }
    defer { reached[id] = received }
    return received > reached[id, default: 0]
  }

  func fail(
    _ id: TrackID, _ error: (any Error)?, _ failure: FillFailure, hasGrown: Bool,
    at instant: ContinuousClock.Instant, chance: Double
  ) {
    if error != nil { lastErrors[id] = error }
    let pause = plan.failed(id, failure, hasGrown: hasGrown, at: instant, chance: chance)
    if failure == .end {
      end = end ?? error
      isOpen = false
    } else if let pause {
      if let error { report(.postponed(id, error, pause)) }
    } else if let obstacle = plan.obstacle(of: id) {
      tell(id, .absent(obstacle, error))
    }
  }

  /// Tells what has become of a track.
  func tell(_ id: TrackID, _ outcome: FillOutcome) {
    told.insert(id)
    report(.ended(id, outcome))
  }

  /// Tells what was not tried to its end.
  func finish() {
    announce.finish()
    for id in plan.wanted where !told.contains(id) {
      if let obstacle = plan.obstacle(of: id) {
        report(.ended(id, .absent(obstacle, lastErrors[id])))
      }
    }
  }
}
