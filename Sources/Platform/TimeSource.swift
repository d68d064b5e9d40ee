/// Where time comes from, for code that must read it or wait: the real clock, or a test's.
///
/// Instants are `ContinuousClock`'s (CLOCK_BOOTTIME on Linux): monotonic, and running through a
/// suspend, as a room does. Rules that only *use* time take an instant as an argument instead.
package struct TimeSource: Sendable {
  /// The instant now.
  package var now: @Sendable () -> ContinuousClock.Instant
  /// Waits until an instant; throws `CancellationError` when the task is cancelled.
  package var sleep: @Sendable (_ until: ContinuousClock.Instant) async throws -> Void

  package init(
    now: @escaping @Sendable () -> ContinuousClock.Instant,
    sleep: @escaping @Sendable (_ until: ContinuousClock.Instant) async throws -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }

  /// The machine's own clock.
  package static let live = TimeSource(
    now: { ContinuousClock.now },
    sleep: { try await ContinuousClock().sleep(until: $0) })
}
