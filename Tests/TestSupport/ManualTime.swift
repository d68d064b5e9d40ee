import Synchronization
package import Platform

/// A clock that a test moves by hand.
///
/// Sleepers are parked and released by `advance`.
package final class ManualTime: Sendable {
  private struct Sleeper {
    var until: ContinuousClock.Instant
    var continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = ContinuousClock.now
    var next = 0
    var sleepers: [Int: Sleeper] = [:]
    var cancelled: Set<Int> = []
  }

  private let state = Mutex(State())

  package init() {}

  /// The instant the test has reached.
  package var now: ContinuousClock.Instant { state.withLock { $0.now } }

  /// The number of tasks that wait for a later instant.
  package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// This clock as the code under test takes it.
  package var source: TimeSource {
    TimeSource(now: { self.now }, sleep: { try await self.sleep(until: $0) })
  }

  /// Moves the clock on and releases those whose instant has come.
  package func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now += duration
      let due = state.sleepers.filter { $0.value.until <= state.now }
      for key in due.keys { state.sleepers[key] = nil }
      return due.sorted { $0.value.until < $1.value.until }.map(\.value.continuation)
    }
    for continuation in due { continuation.resume() }
  }

  private func sleep(until instant: ContinuousClock.Instant) async throws {
    let id = state.withLock { state in
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let now: (any Error)?? = state.withLock { state in
          if state.cancelled.remove(id) != nil { return .some(CancellationError()) }
          if instant <= state.now { return .some(nil) }
          state.sleepers[id] = Sleeper(until: instant, continuation: continuation)
          return nil
        }
        guard let result = now else { return }
        if let error = result {
          continuation.resume(throwing: error)
        } else {
          continuation.resume()
        }
      }
    } onCancel: {
      let parked = state.withLock { state -> CheckedContinuation<Void, any Error>? in
        if let sleeper = state.sleepers.removeValue(forKey: id) { return sleeper.continuation }
        state.cancelled.insert(id)
        return nil
      }
      parked?.resume(throwing: CancellationError())
    }
  }
}
