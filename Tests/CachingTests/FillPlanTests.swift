import RoomProtocol
import TestSupport
import Testing

@testable import Caching

@Suite struct FillPlanTests {
  private static let start = ContinuousClock.now

  private static func ids(_ names: String...) -> [TrackID] { names.map { TrackID($0) } }

  private func plan(_ parallel: Int = 2, retries: Int? = 3, _ names: String...) -> FillPlan {
    var plan = FillPlan(parallel: parallel, retry: RetryPolicy(limit: retries))
    plan.want(names.map { TrackID($0) })
    return plan
  }

  @Test func `tracks are begun in their order, so many at once, each once`() {
    var plan = plan(2, "a", "b", "a", "c")
    #expect(plan.next(at: Self.start) == .start("a"))
    #expect(plan.next(at: Self.start) == .start("b"))
    #expect(plan.next(at: Self.start) == .wait(until: nil))
    plan.succeeded("b")
    #expect(plan.next(at: Self.start) == .start("c"))
    plan.succeeded("a")
    plan.succeeded("c")
    #expect(plan.next(at: Self.start) == .over)
    #expect(plan.wanted == Self.ids("a", "b", "c"))
    #expect(plan.obstacle(of: "a") == nil)
  }

  @Test func `one that may still come gives its place to the next, and comes again later`() {
    var plan = plan(1, "a", "b")
    #expect(plan.next(at: Self.start) == .start("a"))
    #expect(plan.failed("a", .passing, at: Self.start, chance: 0) == .seconds(1))
    #expect(plan.next(at: Self.start) == .start("b"))
    plan.succeeded("b")
    #expect(plan.next(at: Self.start) == .wait(until: Self.start + .seconds(1)))
    #expect(plan.next(at: Self.start + .seconds(1)) == .start("a"))
    #expect(plan.failed("a", .passing, at: Self.start, chance: 0) == .seconds(2))
  }

  @Test func `tries end, unless the track grows in between`() {
    var plan = plan(1, retries: 1, "a")
    for _ in 0..<5 {
      #expect(plan.next(at: Self.start + .seconds(10)) == .start("a"))
      let pause = plan.failed("a", .passing, hasGrown: true, at: Self.start, chance: 0)
      #expect(pause == .seconds(1))
    }
    #expect(plan.next(at: Self.start + .seconds(10)) == .start("a"))
    #expect(plan.failed("a", .passing, at: Self.start, chance: 0) == nil)
    #expect(plan.next(at: Self.start + .seconds(10)) == .over)
    #expect(plan.obstacle(of: "a") == .missing)
  }

  @Test func `while the server is away all wait, and the tries count once for all`() {
    var plan = plan(2, retries: 1, "a", "b", "c")
    #expect(plan.next(at: Self.start) == .start("a"))
    #expect(plan.next(at: Self.start) == .start("b"))
    #expect(plan.failed("a", .line, at: Self.start, chance: 0) == .seconds(1))
    #expect(plan.failed("b", .line, at: Self.start, chance: 0) == .seconds(1))
    #expect(plan.next(at: Self.start) == .wait(until: Self.start + .seconds(1)))
    let later = Self.start + .seconds(1)
    #expect(plan.next(at: later) == .start("a"))
    #expect(plan.next(at: later) == .start("b"))
    #expect(plan.failed("a", .line, at: later, chance: 0) == nil)
    #expect(plan.failed("b", .line, at: later, chance: 0) == nil)
    #expect(plan.next(at: later) == .over)
    for id in Self.ids("a", "b", "c") { #expect(plan.obstacle(of: id) == .missing) }
  }

  @Test func `what is lost does not come again, and what ends all lets nothing begin`() {
    var plan = plan(1, "a", "b", "c")
    #expect(plan.next(at: Self.start) == .start("a"))
    #expect(plan.failed("a", .lasting, at: Self.start, chance: 0) == nil)
    #expect(plan.obstacle(of: "a") == .lost)
    #expect(plan.next(at: Self.start) == .start("b"))
    #expect(plan.failed("b", .end, at: Self.start, chance: 0) == nil)
    #expect(plan.next(at: Self.start) == .over)
    #expect(plan.obstacle(of: "c") == .missing)
  }

  @Test func `a few that find no room do not keep the others, many do`() {
    var plan = FillPlan(parallel: 1, retry: RetryPolicy(limit: 0))
    plan.want((0..<20).map { TrackID("\($0)") })
    var started = 0
    while case .start(let id) = plan.next(at: Self.start) {
      started += 1
      if id == "3" {
        plan.succeeded(id)
      } else {
        _ = plan.failed(id, .noRoom, at: Self.start, chance: 0)
      }
    }
    #expect(started == 4 + 8)
    #expect(plan.obstacle(of: "19") == .noRoom)
    // With other wishes there may be room.
    plan.want(Self.ids("19"))
    #expect(plan.next(at: Self.start) == .start("19"))
  }

  @Test func `other wishes go first, and what runs goes on`() {
    var plan = plan(1, "a", "b")
    #expect(plan.next(at: Self.start) == .start("a"))
    plan.want(Self.ids("c", "b"))
    #expect(plan.next(at: Self.start) == .wait(until: nil))
    plan.succeeded("a")
    #expect(plan.next(at: Self.start) == .start("c"))
    #expect(plan.obstacle(of: "b") == .missing)
  }

  @Test func `what is here already is not begun`() {
    var plan = plan(1, "a", "b", "c")
    #expect(plan.next(at: Self.start) == .start("a"))
    // One that runs, one that waits, the same again, one that nobody wants.
    let taken = (["a", "b", "b", "x"] as [TrackID]).map { plan.takePresent($0) }
    #expect(taken == [false, true, false, false])
    plan.succeeded("a")
    #expect(plan.next(at: Self.start) == .start("c"))
    // Wanted anew it is still known to be here.
    plan.want(Self.ids("b"))
    let isNews = plan.takePresent("b")
    #expect(!isNews)
    #expect(plan.obstacle(of: "b") == nil)
  }

  @Test func `after a stop nothing begins, and what fails is missing`() {
    var plan = plan(1, "a", "b")
    #expect(plan.next(at: Self.start) == .start("a"))
    plan.stop()
    #expect(plan.next(at: Self.start) == .wait(until: nil))
    #expect(plan.failed("a", .passing, at: Self.start, chance: 0) == nil)
    #expect(plan.next(at: Self.start) == .over)
    #expect(plan.obstacle(of: "a") == .missing)
  }

  @Test(arguments: [(1, 1.0), (2, 2), (3, 4), (6, 32), (7, 60), (1_000_000, 60)])
  func `pauses grow to a minute`(failures: Int, seconds: Double) {
    let policy = RetryPolicy(limit: nil)
    #expect(policy.delay(after: failures, chance: 0) == .seconds(seconds))
    #expect(policy.delay(after: failures, chance: 1) == .seconds(seconds / 2))
  }

  /// Whatever happens, no more run than may, no track runs twice at once, and each has an end.
  @Test(arguments: 1...30 as ClosedRange<UInt64>)
  func `a plan comes to its end`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let parallel = Int.random(in: 1...5, using: &random)
    var plan = FillPlan(parallel: parallel, retry: RetryPolicy(limit: 2))
    let all = (0..<30).map { TrackID("\($0)") }
    plan.want(all.shuffled(using: &random))
    var now = Self.start
    var running: [TrackID] = []
    var steps = 0
    while true {
      steps += 1
      guard steps < 10_000 else {
        Issue.record("no end, seed \(seed)")
        return
      }
      switch plan.next(at: now) {
      case .start(let id):
        #expect(!running.contains(id))
        running.append(id)
        #expect(running.count <= parallel)
        continue
      case .over:
        #expect(running.isEmpty)
        for id in plan.wanted { _ = plan.obstacle(of: id) }
        return
      case .wait(let until):
        if running.isEmpty {
          guard let until else {
            Issue.record("waits for nothing, seed \(seed)")
            return
          }
          now = until
          continue
        }
      }
      let id = running.remove(at: Int.random(in: 0..<running.count, using: &random))
      let failures: [FillFailure] = [.passing, .line, .lasting, .noRoom]
      if Bool.random(using: &random) {
        plan.succeeded(id)
      } else {
        _ = plan.failed(
          id, failures.randomElement(using: &random) ?? .passing, at: now, chance: 0.5)
      }
    }
  }
}
