import TestSupport
import Testing

@testable import Caching

@Suite struct RateLimitTests {
  private static let start = ContinuousClock.now

  @Test func `a rest lets a quarter of a second's bytes through at once`() {
    var limit = RateLimit(bytesPerSecond: 1000, at: Self.start)
    #expect(limit.wait(at: Self.start) == .zero)
    limit.take(249, at: Self.start)
    #expect(limit.wait(at: Self.start) == .zero)
    limit.take(1, at: Self.start)
    #expect(limit.wait(at: Self.start) > .zero)
    // An hour's rest is no more than a full bucket.
    let later = Self.start + .seconds(3600)
    limit.take(250, at: later)
    #expect(limit.wait(at: later) > .zero)
  }

  @Test func `what is overdrawn is waited for`() {
    var limit = RateLimit(bytesPerSecond: 1000, at: Self.start)
    limit.take(10_250, at: Self.start)
    let wait = limit.wait(at: Self.start)
    #expect(abs((wait - .seconds(10)) / .seconds(1)) < 0.01)
    #expect(limit.wait(at: Self.start + wait - .milliseconds(10)) > .zero)
    #expect(limit.wait(at: Self.start + wait) == .zero)
  }

  @Test func `a clock that steps back gives nothing`() {
    var limit = RateLimit(bytesPerSecond: 1000, at: Self.start)
    limit.take(1000, at: Self.start)
    let wait = limit.wait(at: Self.start)
    #expect(limit.wait(at: Self.start - .seconds(100)) == wait)
    #expect(limit.wait(at: Self.start) == wait)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `whoever waits as told gets the rate, whatever comes in pieces`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let rate = Int64.random(in: 1...10_000_000, using: &random)
    var limit = RateLimit(bytesPerSecond: rate, at: Self.start)
    var now = Self.start
    var taken = 0.0
    for _ in 0..<500 {
      let wait = limit.wait(at: now)
      #expect(wait >= .zero)
      if Bool.random(using: &random) {
        // Sometimes somebody comes later than he might.
        now += wait + .milliseconds(Int.random(in: 0...20, using: &random))
      } else {
        now += wait
      }
      guard limit.wait(at: now) == .zero else { continue }
      let piece = Int.random(in: 1...65_536, using: &random)
      limit.take(piece, at: now)
      taken += Double(piece)
      let seconds = (now - Self.start) / .seconds(1)
      // Never more than the rate, one burst and the piece that overdrew it.
      #expect(taken <= Double(rate) * seconds + limit.burst + 65_536, "seed \(seed)")
    }
    // And, but for the late comings, no less.
    now += limit.wait(at: now)
    let late = 500 * 0.02
    #expect(taken >= Double(rate) * ((now - Self.start) / .seconds(1) - late) - 2, "seed \(seed)")
  }
}
