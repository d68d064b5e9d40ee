import RoomSync
import TestSupport
import Testing

@Suite struct ReconnectPolicyTests {
  let start = ContinuousClock.now

  @Test func `waits grow by three seconds up to thirty`() {
    var policy = ReconnectPolicy()
    let waits = (0..<12).map { _ in policy.delay(after: .lost, at: start, random: 0.5) }
    let expected = [3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 30, 30].map { Duration.seconds($0) }
    #expect(waits == expected)
  }

  @Test(arguments: 0..<20)
  func `waits are spread by a fifth to either side`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var policy = ReconnectPolicy()
    for attempt in 0..<30 {
      let chance = Double.random(in: 0..<1, using: &random)
      let delay = policy.delay(after: .lost, at: start, random: chance)
      let wait = try #require(delay)
      let middle = Double(min(3 * (attempt + 1), 30))
      #expect(wait >= .seconds(middle * 0.8) && wait <= .seconds(middle * 1.2), "seed \(seed)")
    }
  }

  @Test(arguments: [
    ReconnectPolicy.Ending.closed(code: 1001), .closed(code: 1012), .addressChanged,
  ])
  func `a clean restart or a new address is tried at once, but not twice`(
    ending: ReconnectPolicy.Ending
  ) {
    var policy = ReconnectPolicy()
    #expect(policy.delay(after: ending, at: start, random: 0.5) == .zero)
    policy.succeeded()
    #expect(policy.delay(after: ending, at: start + .seconds(9), random: 0.5) == .seconds(3))
    policy.succeeded()
    #expect(policy.delay(after: ending, at: start + .seconds(10), random: 0.5) == .zero)
  }

  @Test func `a server that comes back slowly is not hurried after the first attempt`() {
    var policy = ReconnectPolicy()
    #expect(policy.delay(after: .closed(code: 1012), at: start, random: 0.5) == .zero)
    #expect(policy.delay(after: .lost, at: start, random: 0.5) == .seconds(3))
    #expect(
      policy.delay(after: .closed(code: 1012), at: start + .seconds(60), random: 0.5)
        == .seconds(6))
  }

  @Test func `a new address starts the count anew`() {
    var policy = ReconnectPolicy()
    for _ in 0..<5 { _ = policy.delay(after: .lost, at: start, random: 0.5) }
    #expect(policy.delay(after: .addressChanged, at: start, random: 0.5) == .zero)
    #expect(policy.delay(after: .lost, at: start, random: 0.5) == .seconds(3))
  }

  @Test func `success starts the count anew`() {
    var policy = ReconnectPolicy()
    for _ in 0..<5 { _ = policy.delay(after: .lost, at: start, random: 0.5) }
    policy.succeeded()
    #expect(policy.delay(after: .closed(code: 1006), at: start, random: 0.5) == .seconds(3))
  }

  @Test(arguments: [ReconnectPolicy.Ending.kicked, .refused(status: 401), .refused(status: 403)])
  func `after a kick or a refusal there is no attempt`(ending: ReconnectPolicy.Ending) {
    var policy = ReconnectPolicy()
    #expect(policy.delay(after: ending, at: start, random: 0.5) == nil)
  }

  @Test(arguments: [404, 429, 500, 503])
  func `any other refusal waits`(status: Int) {
    var policy = ReconnectPolicy()
    #expect(policy.delay(after: .refused(status: status), at: start, random: 0.5) == .seconds(3))
  }
}
