import TestSupport
import Testing

@testable import Caching

@Suite struct CacheLimiterTests {
  private typealias Item = CacheLimiter.Item

  @Test func `the least recently used goes first, left-overs before all`() {
    var limiter = CacheLimiter(maxSize: 100, reserve: 0, free: 1000)
    limiter.items = [
      Item(path: "new", bytes: 40, lastUsed: 3), Item(path: "old", bytes: 40, lastUsed: 1),
      Item(path: "part", bytes: 10, lastUsed: 9, isLeftOver: true),
    ]
    #expect(limiter.plan(for: 10).victims.map(\.path) == [])
    #expect(limiter.plan(for: 15).victims.map(\.path) == ["part"])
    #expect(limiter.plan(for: 30).victims.map(\.path) == ["part", "old"])
    #expect(limiter.plan(for: 101).missing == 1)
  }

  @Test func `the disk's reserve counts as well as the limit`() {
    var limiter = CacheLimiter(maxSize: 1000, reserve: 50, free: 60, promised: 10)
    limiter.items = [Item(path: "a", bytes: 30, lastUsed: 1)]
    #expect(limiter.left == 0)
    #expect(limiter.plan(for: 30) == .init(victims: limiter.items))
    #expect(limiter.plan(for: 31).missing == 1)
  }

  @Test func `what a server promises can't overflow`() {
    var limiter = CacheLimiter(maxSize: 100, reserve: 0, free: .max, promised: .max, fixed: .max)
    limiter.items = [Item(path: "a", bytes: 1, lastUsed: 1)]
    #expect(limiter.plan(for: .max).missing > 0)
    #expect(CacheLimiter(maxSize: 0, reserve: .max, free: 0).plan(for: .max).missing == .max)
  }

  @Test(arguments: 0..<500) func `whatever is there, no more goes than must`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func number(_ range: ClosedRange<Int64>) -> Int64 { .random(in: range, using: &random) }
    var limiter = CacheLimiter(
      maxSize: number(0...1000), reserve: number(0...300), free: number(0...1500),
      promised: number(0...100), fixed: number(0...100))
    limiter.items = (0..<number(0...20)).map { index in
      Item(
        path: "\(index)", bytes: number(0...100), lastUsed: Double(number(0...9)),
        isLeftOver: number(0...3) == 0, isSpared: number(0...2) == 0)
    }
    let wanted = number(0...400)
    let plan = limiter.plan(for: wanted)
    let freed = plan.victims.reduce(0) { $0 + $1.bytes }
    #expect(plan.victims.filter(\.isSpared).isEmpty)
    // Gone, they leave exactly the room that was promised.
    var after = limiter
    after.items.removeAll { item in plan.victims.contains { $0.path == item.path } }
    after.free += freed
    #expect(after.plan(for: wanted) == .init(missing: plan.missing))
    if plan.missing == 0 {
      #expect(after.used + after.promised + wanted <= limiter.maxSize || plan.victims.isEmpty)
      #expect(after.left >= wanted)
    } else {
      // Then all has gone that may.
      #expect(after.items.allSatisfy { $0.isSpared || $0.bytes == 0 })
      #expect(limiter.leftAtMost < wanted)
    }
    // The last one was needed too, and none of a lower rank is left.
    if let last = plan.victims.last {
      #expect(limiter.left + freed - last.bytes < wanted)
      for item in after.items where !item.isSpared && item.bytes > 0 {
        #expect(!item.isLeftOver || last.isLeftOver)
        if item.isLeftOver == last.isLeftOver { #expect(item.lastUsed >= last.lastUsed) }
      }
    }
  }
}
