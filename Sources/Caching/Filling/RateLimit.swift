/// So many bytes a second, of all transfers together: a token bucket; pure.
///
/// What has come can't be sent back: bytes are taken when they are here, and whoever overdraws waits
/// until the debt is paid. Over any time the rate is kept but for one burst and what was in flight.
package struct RateLimit: Sendable, Equatable {
  /// How many bytes a second may come.
  package let bytesPerSecond: Double
  /// How many may come at once after a rest: a quarter of a second's.
  package var burst: Double { max(bytesPerSecond / 4, 1) }

  private var tokens: Double
  private var updated: ContinuousClock.Instant

  /// Begins with a full bucket.
  ///
  /// - Parameters:
  ///   - bytesPerSecond: the rate; less than 1 counts as 1.
  ///   - instant: now.
  package init(bytesPerSecond: Int64, at instant: ContinuousClock.Instant) {
    self.bytesPerSecond = Double(max(1, bytesPerSecond))
    tokens = 0
    updated = instant
    tokens = burst
  }

  /// Counts bytes that have come.
  ///
  /// - Parameters:
  ///   - count: how many.
  ///   - instant: now; a time before the last one counts as the last one.
  package mutating func take(_ count: Int, at instant: ContinuousClock.Instant) {
    refill(at: instant)
    tokens -= Double(count)
  }

  /// How long to hold the transfers back.
  ///
  /// - Parameter instant: now.
  /// - Returns: zero where bytes may come.
  package mutating func wait(at instant: ContinuousClock.Instant) -> Duration {
    refill(at: instant)
    return tokens > 0 ? .zero : .seconds((1 - tokens) / bytesPerSecond)
  }

  /// Whether the bucket is more than half full: those who go first leave it unused.
  ///
  /// - Parameter instant: now.
  /// - Returns: whether others may take of it.
  package mutating func isPlentiful(at instant: ContinuousClock.Instant) -> Bool {
    refill(at: instant)
    return tokens > burst / 2
  }

  private mutating func refill(at instant: ContinuousClock.Instant) {
    guard instant > updated else { return }
    tokens = min(burst, tokens + (instant - updated) / .seconds(1) * bytesPerSecond)
    updated = instant
  }
}
