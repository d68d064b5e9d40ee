import RoomProtocol
import Synchronization
import TestSupport
import Testing

@testable import Caching

/// Filling a real cache from scripts, on a clock that the test moves.
@Suite(.timeLimit(.minutes(3))) struct FillerTests {
  private struct Gone: Error {}

  /// A script a track; a track without one is gone.
  private struct ShelfFetcher: TrackFetcher {
    var tracks: [TrackID: ScriptedFetcher]

    func fetch(_ request: TrackRequest, into sink: any DownloadSink) async throws {
      guard let script = tracks[request.track] else { throw Gone() }
      try await script.fetch(request, into: sink)
    }
  }

  /// What was told, in words.
  private final class Log: Sendable {
    private let told = Mutex<[String]>([])
    private let downloads = Mutex<[TrackID: Download]>([:])

    /// Waits until a track's download has been called off; a script knows no cancel itself.
    func waitForCancel(of id: TrackID) async throws {
      try await eventually("\(id) is called off") { downloads.withLock { $0[id] }?.failure != nil }
    }

    var lines: [String] { told.withLock { $0 } }

    func take(_ event: FillEvent) {
      let line: String
      switch event {
      case .wanted(let ids): line = "wanted \(ids.map(\.rawValue).joined(separator: " "))"
      case .started(let id, let download):
        downloads.withLock { $0[id] = download }
        line = "started \(id)"
      case .postponed(let id, _, let pause): line = "postponed \(id) by \(pause / .seconds(1))"
      case .ended(let id, .fetched(let bytes)): line = "fetched \(id) \(bytes)"
      case .ended(let id, .present(let bytes)): line = "present \(id) \(bytes)"
      case .ended(let id, .absent(let obstacle, let error)):
        line = "\(obstacle) \(id) \(error.map { "\(type(of: $0))" } ?? "untried")"
      }
      told.withLock { $0.append(line) }
    }
  }

  private static let server = "http://room"

  private let folder: TemporaryFolder
  private let time = ManualTime()
  private let log = Log()

  init() throws { folder = try TemporaryFolder() }

  private func cache(_ tracks: [TrackID: ScriptedFetcher]) -> TrackCache {
    TrackCache(folder: folder.path, fetcher: ShelfFetcher(tracks: tracks))
  }

  private func filler(
    _ cache: TrackCache, parallel: Int = 2, retries: Int? = 1,
    deadline: ContinuousClock.Instant? = nil, isPinning: Bool = false
  ) -> Filler {
    Filler(
      cache: cache, server: Self.server,
      plan: FillPlan(parallel: parallel, retry: RetryPolicy(limit: retries)),
      deadline: deadline, isPinning: isPinning, time: time.source, chance: { 0 }
    ) { error in
      if case CacheError.fetch(_, let cause) = error, cause is Gone { .lasting } else { .passing }
    }
  }

  private static func bytes(_ count: Int) -> ScriptedFetcher {
    ScriptedFetcher(.whole(noise(count)))
  }

  @Test func `what is missing is fetched, what is there counts as used, what is gone is told`()
    async throws
  {
    let cache = cache(["a": Self.bytes(1000), "b": Self.bytes(2000)])
    _ = try await cache.file(for: "a", server: Self.server)
    let before = try #require(try await cache.row(of: "a", server: Self.server)).lastUsed
    let end = await filler(cache, parallel: 1, isPinning: true)
      .fill(["a", "b", "c"]) { log.take($0) }
    #expect(end == nil)
    #expect(
      log.lines.filter { !$0.hasPrefix("started") } == [
        "wanted a b c", "present a 1000", "fetched b 2000", "lost c CacheError",
      ])
    let row = try #require(try await cache.row(of: "a", server: Self.server))
    #expect(row.lastUsed > before)
    #expect(row.isPinned)
    #expect(try await cache.row(of: "b", server: Self.server)?.isPinned == true)
  }

  @Test func `a failure that may pass is tried again after its pause, so often and no more`()
    async throws
  {
    let refused = ScriptedFetcher.Line(isRefused: true)
    let cache = cache([
      "a": ScriptedFetcher(refused, .whole(noise(10))), "b": ScriptedFetcher(refused),
    ])
    let (filler, log) = (filler(cache), log)
    let filling = Task { await filler.fill(["a", "b"]) { log.take($0) } }
    try await eventually("both wait") {
      log.lines.filter { $0.hasPrefix("postponed") }.count == 2 && time.sleeperCount > 0
    }
    #expect(!log.lines.contains { $0.hasPrefix("fetched") })
    time.advance(by: .seconds(1))
    _ = await filling.value
    #expect(log.lines.contains("fetched a 10"))
    #expect(log.lines.contains("missing b CacheError"))
    #expect(log.lines.filter { $0 == "postponed b by 1.0" }.count == 1)
  }

  @Test func `at its time it ends with what is there`() async throws {
    var slow = ScriptedFetcher.Line.whole(noise(50_000))
    slow.pausesAfter = 20_000
    let slowFetcher = ScriptedFetcher(slow)
    let cache = cache(["a": Self.bytes(10), "b": slowFetcher, "c": Self.bytes(10)])
    let filler = filler(cache, parallel: 1, deadline: time.now + .seconds(60))
    let log = log
    let filling = Task { await filler.fill(["a", "b", "c"]) { log.take($0) } }
    await slowFetcher.pause()
    time.advance(by: .seconds(59))
    #expect(!log.lines.contains { $0.hasPrefix("missing") })
    time.advance(by: .seconds(1))
    try await log.waitForCancel(of: "b")
    slowFetcher.open()
    _ = await filling.value
    #expect(log.lines.contains("fetched a 10"))
    #expect(log.lines.suffix(2) == ["missing b untried", "missing c untried"])
  }

  @Test func `late from the beginning, it ends whatever has just begun`() async throws {
    var slow = ScriptedFetcher.Line.whole(noise(50_000))
    slow.pausesAfter = 20_000
    let cache = cache(["a": ScriptedFetcher(slow), "b": Self.bytes(10)])
    let filler = filler(cache, parallel: 1, deadline: time.now - .seconds(1))
    _ = await filler.fill(["a", "b"]) { log.take($0) }
    #expect(log.lines.suffix(2) == ["missing a untried", "missing b untried"])
  }

  @Test func `cancelled it calls the downloads off and tells what is missing`() async throws {
    var slow = ScriptedFetcher.Line.whole(noise(50_000))
    slow.pausesAfter = 20_000
    let slowFetcher = ScriptedFetcher(slow)
    let cache = cache(["a": slowFetcher, "b": Self.bytes(10)])
    let (filler, log) = (filler(cache, parallel: 1), log)
    let filling = Task { await filler.fill(["a", "b"]) { log.take($0) } }
    await slowFetcher.pause()
    filling.cancel()
    try await log.waitForCancel(of: "a")
    slowFetcher.open()
    _ = await filling.value
    #expect(log.lines.suffix(2) == ["missing a untried", "missing b untried"])
  }

  @Test func `other wishes are taken while it runs`() async throws {
    var slow = ScriptedFetcher.Line.whole(noise(50_000))
    slow.pausesAfter = 20_000
    let slowFetcher = ScriptedFetcher(slow)
    let cache = cache(["a": slowFetcher, "b": Self.bytes(10), "c": Self.bytes(20)])
    let filler = filler(cache, parallel: 1)
    let (wants, want) = AsyncStream.makeStream(of: [TrackID].self)
    let log = log
    let filling = Task { await filler.fill(["a", "b"], then: wants) { log.take($0) } }
    await slowFetcher.pause()
    want.yield(["c", "b"])
    try await eventually("it hears") { log.lines.contains("wanted c b") }
    slowFetcher.open()
    try await eventually("all are here") { log.lines.contains("fetched b 10") }
    want.finish()
    _ = await filling.value
    #expect(
      log.lines.filter { $0.hasPrefix("fetched") } == [
        "fetched a 50000", "fetched c 20", "fetched b 10",
      ])
  }
}

/// A gate on a clock that the test moves.
@Suite struct TransferGateTests {
  @Test func `a gate shuts when too much has come, and opens with time`() {
    let time = ManualTime()
    let gate = TransferGate(bytesPerSecond: 1000, time: time.source)
    let only = gate.begin()
    #expect(!gate.isShut(for: only))
    gate.take(1250)
    #expect(gate.isShut(for: only))
    time.advance(by: .milliseconds(900))
    #expect(gate.isShut(for: only))
    time.advance(by: .milliseconds(200))
    #expect(!gate.isShut(for: only))
    #expect(gate.received == 1250)
  }

  @Test func `the first goes first, and the others get what it leaves`() {
    let time = ManualTime()
    let gate = TransferGate(bytesPerSecond: 1000, time: time.source)
    let (first, second) = (gate.begin(), gate.begin())
    gate.take(200)
    // 50 of 250 are left: enough for the first alone.
    #expect(!gate.isShut(for: first) && gate.isShut(for: second))
    time.advance(by: .milliseconds(100))
    #expect(!gate.isShut(for: second), "the first has left it")
    gate.take(100)
    gate.end(first)
    #expect(!gate.isShut(for: second), "it is the first now")
  }

  @Test func `without a rate nobody is held back`() {
    let gate = TransferGate(bytesPerSecond: nil)
    let (first, second) = (gate.begin(), gate.begin())
    gate.take(1 << 40)
    #expect(!gate.isShut(for: first) && !gate.isShut(for: second))
  }
}
