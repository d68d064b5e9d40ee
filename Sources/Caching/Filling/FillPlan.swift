package import RoomProtocol

/// Which track is fetched next, and when: the rules of filling a cache; pure.
///
/// Tracks are begun in the order in which they are wanted, so many at once. One that fails and may
/// come later gives its place to the next and is tried again after a pause; while the server can't be
/// reached all wait, and the tries count once for all. Tries count only while nothing comes: a track
/// that has grown begins anew to count.
package struct FillPlan: Sendable {
  /// What to do next.
  package enum Step: Equatable, Sendable {
    /// Begin with a track.
    case start(TrackID)
    /// Nothing before this instant, or before something ends; nil: only then.
    case wait(until: ContinuousClock.Instant?)
    /// Nothing runs and nothing is left to try.
    case over
  }

  /// What stands in the way of a track that has not come.
  package enum Obstacle: Equatable, Sendable {
    /// It may still come.
    case missing
    /// It will not come.
    case lost
    /// There is no room for it.
    case noRoom
  }

  private enum State: Equatable {
    case waiting(notBefore: ContinuousClock.Instant?)
    case running
    case here
    case out(Obstacle)
  }

  private struct Item {
    var state = State.waiting(notBefore: nil)
    var failures = 0
  }

  /// After so many tracks in a row that find no room the others are not tried.
  private static let roomPatience = 8

  private let parallel: Int
  private let retry: RetryPolicy
  private var order: [TrackID] = []
  private var items: [TrackID: Item] = [:]
  /// The first in `order` that may wait: those before it are done with.
  private var first = 0
  private var running = 0
  private var lineFailures = 0
  private var heldUntil: ContinuousClock.Instant?
  private var roomFailures = 0
  private var isStopped = false

  /// Makes a plan without a track.
  ///
  /// - Parameters:
  ///   - parallel: how many are fetched at once, 1 at least.
  ///   - retry: how often a track, or the server, is tried again.
  package init(parallel: Int, retry: RetryPolicy) {
    self.parallel = max(1, parallel)
    self.retry = retry
  }

  /// Wants these tracks, in this order, and no others; each counts once.
  ///
  /// What runs goes on, what is here stays; what has found no room is tried again.
  ///
  /// - Parameter ids: the tracks.
  package mutating func want(_ ids: some Sequence<TrackID>) {
    var seen: Set<TrackID> = []
    order = ids.filter { seen.insert($0).inserted }
    items = items.filter { $0.value.state == .running || seen.contains($0.key) }
    for id in order {
      if items[id]?.state == .out(.noRoom) { items[id]?.state = .waiting(notBefore: nil) }
      if items[id] == nil { items[id] = Item() }
    }
    (first, roomFailures) = (0, 0)
  }

  /// Begins with no further track.
  package mutating func stop() { isStopped = true }

  /// What to do now; a track that is to be started counts as running from here on.
  ///
  /// - Parameter instant: now.
  /// - Returns: the step.
  package mutating func next(at instant: ContinuousClock.Instant) -> Step {
    guard !isStopped else { return running > 0 ? .wait(until: nil) : .over }
    guard running < parallel else { return .wait(until: nil) }
    var soonest: ContinuousClock.Instant?
    var isFirst = true
    for index in first..<max(first, order.count) {
      guard case .waiting(let notBefore)? = items[order[index]]?.state else {
        if isFirst { first = index + 1 }
        continue
      }
      isFirst = false
      let start = [notBefore, heldUntil].compactMap(\.self).max()
      if let start, start > instant {
        soonest = min(soonest ?? start, start)
        if heldUntil == start { break }
        continue
      }
      items[order[index]]?.state = .running
      running += 1
      return .start(order[index])
    }
    return running == 0 && soonest == nil ? .over : .wait(until: soonest)
  }

  // MARK: - What became of a track

  /// A track that waits is here already.
  ///
  /// - Parameter id: the track.
  /// - Returns: false where it runs, is known to be here, or is not wanted.
  package mutating func takePresent(_ id: TrackID) -> Bool {
    switch items[id]?.state {
    case .waiting, .out: items[id]?.state = .here
    case .running, .here, nil: return false
    }
    return true
  }

  /// A track is here.
  ///
  /// - Parameter id: a track that was started.
  package mutating func succeeded(_ id: TrackID) {
    guard end(id) else { return }
    items[id]?.state = .here
    (lineFailures, roomFailures) = (0, 0)
  }

  /// A track has failed.
  ///
  /// - Parameters:
  ///   - id: a track that was started.
  ///   - failure: what it means.
  ///   - hasGrown: whether bytes have come since it was started.
  ///   - instant: now.
  ///   - chance: from 0 to below 1, for the pause.
  /// - Returns: the pause before it is tried again; nil where it is not.
  package mutating func failed(
    _ id: TrackID, _ failure: FillFailure, hasGrown: Bool = false,
    at instant: ContinuousClock.Instant, chance: Double
  ) -> Duration? {
    guard end(id) else { return nil }
    if hasGrown {
      items[id]?.failures = 0
      lineFailures = 0
    }
    if failure != .noRoom { roomFailures = 0 }
    switch failure {
    case .passing where isStopped, .line where isStopped: items[id]?.state = .out(.missing)
    case .passing:
      items[id]?.failures += 1
      return hold(id, retry.delay(after: items[id]?.failures ?? 1, chance: chance), at: instant)
    case .line: return holdAll(id, at: instant, chance: chance)
    case .lasting: items[id]?.state = .out(.lost)
    case .noRoom:
      items[id]?.state = .out(.noRoom)
      roomFailures += 1
      if roomFailures >= Self.roomPatience { giveUp(as: .noRoom) }
    case .end:
      items[id]?.state = .out(.missing)
      stop()
    }
    return nil
  }

  /// What stands in the way of a track; nil where it is here, or not wanted.
  ///
  /// - Parameter id: the track.
  /// - Returns: `missing` for one that was not tried to the end.
  package func obstacle(of id: TrackID) -> Obstacle? {
    switch items[id]?.state {
    case .waiting, .running: .missing
    case .out(let obstacle): obstacle
    case .here, nil: nil
    }
  }

  /// The tracks as they are wanted, each once.
  package var wanted: [TrackID] { order }

  /// Whether a track was started and has not ended yet.
  func isRunning(_ id: TrackID) -> Bool { items[id]?.state == .running }

  /// Notes that a track does not run any more; false where it did not.
  private mutating func end(_ id: TrackID) -> Bool {
    guard isRunning(id) else { return false }
    items[id]?.state = .waiting(notBefore: nil)
    running -= 1
    return true
  }

  private mutating func hold(
    _ id: TrackID, _ pause: Duration?, at instant: ContinuousClock.Instant
  ) -> Duration? {
    items[id]?.state = pause.map { .waiting(notBefore: instant + $0) } ?? .out(.missing)
    if let index = order.firstIndex(of: id) { first = min(first, index) }
    return pause
  }

  private mutating func holdAll(
    _ id: TrackID, at instant: ContinuousClock.Instant, chance: Double
  ) -> Duration? {
    if let heldUntil, heldUntil > instant {
      // One of those that ran when the line broke: it has been counted.
      return hold(id, heldUntil - instant, at: instant)
    }
    lineFailures += 1
    guard let pause = retry.delay(after: lineFailures, chance: chance) else {
      giveUp(as: .missing)
      return nil
    }
    heldUntil = instant + pause
    return hold(id, pause, at: instant)
  }

  /// Tries nothing that still waits.
  private mutating func giveUp(as obstacle: Obstacle) {
    for id in order {
      if case .waiting? = items[id]?.state { items[id]?.state = .out(obstacle) }
    }
  }
}
