import Testing

@testable import RoomServer

@Suite struct AttemptLimiterTests {
  private let start = ContinuousClock.now
  private let home = "192.168.1.2"

  private func limiter() -> AttemptLimiter { AttemptLimiter(burst: 3, interval: .seconds(30)) }

  @Test func `the first few are free, then each waits for the one before`() {
    var limiter = limiter()
    for _ in 0..<3 { #expect(limiter.take("ada", from: home, at: start) == nil) }
    #expect(limiter.take("ada", from: home, at: start) == .seconds(30))
    // What is refused costs nothing.
    #expect(limiter.take("ada", from: home, at: start + .seconds(29)) == .seconds(1))
    #expect(limiter.take("ada", from: home, at: start + .seconds(30)) == nil)
    #expect(limiter.take("ada", from: home, at: start + .seconds(31)) == .seconds(29))
  }

  @Test func `whoever waits long enough has all tries again`() {
    var limiter = limiter()
    for _ in 0..<3 { _ = limiter.take("ada", from: home, at: start) }
    for _ in 0..<3 { #expect(limiter.take("ada", from: home, at: start + .seconds(90)) == nil) }
    #expect(limiter.take("ada", from: home, at: start + .seconds(90)) != nil)
  }

  @Test func `a success forgets what failed before it`() {
    var limiter = limiter()
    for _ in 0..<3 { _ = limiter.take("ada", from: home, at: start) }
    limiter.forget("ADA", from: home)
    #expect(limiter.take("ada", from: home, at: start) == nil)
    #expect(limiter.count == 1)
  }

  @Test(arguments: [
    ("ada", "192.168.1.3", true), ("bob", "192.168.1.2", true), ("ADA", "192.168.1.2", false),
  ])
  func `another name or another place is not held up`(name: String, address: String, isFree: Bool) {
    var limiter = limiter()
    for _ in 0..<3 { _ = limiter.take("ada", from: home, at: start) }
    #expect((limiter.take(name, from: address, at: start) == nil) == isFree)
  }

  @Test(arguments: [
    ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2:ffff::1", true), ("fe80::1", "fe80::2", true),
    ("2001:db8:1:2::1", "2001:db8:1:3::1", false), ("::1", "::1", true),
  ])
  func `a household has one beginning of IPv6 addresses`(one: String, other: String, isSame: Bool) {
    var limiter = limiter()
    for _ in 0..<3 { _ = limiter.take("ada", from: one, at: start) }
    #expect((limiter.take("ada", from: other, at: start) != nil) == isSame)
  }

  @Test func `no more is remembered than a bounded number, those last that tried last`() {
    var limiter = limiter()
    for _ in 0..<3 { _ = limiter.take("ada", from: home, at: start) }
    for index in 0..<(AttemptLimiter.capacity + 5) {
      _ = limiter.take("name \(index)", from: home, at: start + .milliseconds(index / 1000))
    }
    #expect(limiter.count == AttemptLimiter.capacity)
    // Three failures weigh more than one.
    #expect(limiter.take("ada", from: home, at: start + .seconds(1)) != nil)
    _ = limiter.take("late", from: home, at: start + .seconds(200))
    #expect(limiter.count == 1)
  }
}
