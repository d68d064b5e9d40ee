import Glibc
import RoomProtocol
import Storage
import TestSupport
import Testing

@testable import Caching

/// What people do with a cache beside filling it.
@Suite(.timeLimit(.minutes(3))) struct CacheTendingTests {
  private let folder: TemporaryFolder
  private let server = "http://one"

  init() throws {
    folder = try TemporaryFolder()
  }

  /// A cache whose fetcher brings 1,000 bytes for each track, others for each fetch.
  private func cache(_ limit: Int64 = .max, reserve: Int64 = 0) -> TrackCache {
    TrackCache(
      folder: folder.file("cache"), limits: CacheLimits(maxSize: limit, reserve: reserve),
      fetcher: ScriptedFetcher(lines: (0..<100).map { .whole(noise(1000, seed: $0 + 1)) }))
  }

  /// A cache that finds tracks which another has brought: that one's downloads, which its events
  /// hold, are gone.
  private func filled(_ ids: TrackID..., limit: Int64 = .max) async throws -> TrackCache {
    let first = cache()
    for id in ids { _ = try await first.file(for: id, server: server) }
    return cache(limit)
  }

  private func tracks() throws -> [String] { try Folder.names(in: folder.file("cache/tracks")) }

  @Test func `where there is no cache nothing is made`() async throws {
    let cache = TrackCache(folder: folder.file("cache"))
    #expect(try await cache.keptIDs(server: server) == [])
    #expect(try await cache.list() == [])
    #expect(try await cache.row(of: "a", server: server) == nil)
    #expect(try await cache.stats().files == 0)
    #expect(try await cache.room().used == 0)
    #expect(try await cache.remove("a", server: server) == .notHere)
    #expect(try await cache.prune(to: 0) == CachePruning())
    #expect(try await cache.verify() == [])
    #expect(permissions(of: folder.file("cache")) == nil)
  }

  @Test func `rows say what is here of which server`() async throws {
    let cache = try await filled("a", "b")
    _ = try await self.cache().file(for: "c", server: "http://two")
    #expect(try await cache.keptIDs(server: server) == ["a", "b"])
    #expect(try await cache.list(server: server).map(\.id) == ["b", "a"])
    #expect(try await cache.list().map(\.id) == ["c", "b", "a"])
    let row = try #require(try await cache.row(of: "a", server: server))
    #expect(row.state == .complete && row.bytes == 1000 && row.expected == 1000)
    #expect(row.digest == ContentHash.digest(of: noise(1000, seed: 1)).hex)
    #expect(try Fixture.bytes(at: row.path ?? "") == noise(1000, seed: 1))
    #expect(try await cache.row(of: "a", server: "http://two") == nil)
  }

  @Test func `a file that somebody has removed has no row`() async throws {
    let cache = try await filled("a", "b")
    unlink(try #require(try await cache.row(of: "a", server: server)?.path))
    #expect(try await cache.list().map(\.id) == ["b"])
    #expect(try await cache.row(of: "a", server: server) == nil)
  }

  @Test func `without a fetcher what is not here is said`() async throws {
    _ = try await filled("a")
    let cache = TrackCache(folder: folder.file("cache"))
    guard case .file = try await cache.entry(for: "a", server: server) else {
      Issue.record("not found")
      return
    }
    await #expect {
      try await cache.entry(for: "b", server: server)
    } throws: {
      if case CacheError.notHere("b") = $0 { true } else { false }
    }
  }

  // MARK: - Going

  @Test func `a prune takes what was used longest ago, never what is pinned or in use`()
    async throws
  {
    let cache = try await filled("pinned", "used", "old", "new")
    try await cache.pin("pinned", server: server)
    guard case .file(let used) = try await cache.entry(for: "used", server: server) else {
      Issue.record("not kept")
      return
    }
    let pruning = try await TrackCache(folder: folder.file("cache")).prune(to: 3000)
    #expect(pruning.removed.map(\.id) == ["old"])
    #expect(pruning.freed == 1000 && pruning.used == 3000 && pruning.over == 0)
    let more = try await cache.prune(to: 0)
    #expect(more.removed.map(\.id) == ["new"])
    #expect(more.over == 2000)
    #expect(try tracks().count == 2)
    withExtendedLifetime(used) {}
  }

  @Test func `once nobody uses it a track may go, and unpinned too`() async throws {
    let cache = try await filled("a", "b")
    try await cache.pin("a", server: server)
    _ = try await cache.entry(for: "b", server: server)
    #expect(try await cache.prune(to: 0).removed.map(\.id) == ["b"])
    try await cache.unpin("a", server: server)
    #expect(try await cache.prune(to: 0).removed.map(\.id) == ["a"])
    #expect(try tracks() == [])
  }

  @Test func `a size of one's own knows no reserve, and what is missing of that is not over`()
    async throws
  {
    _ = try await filled("a", "b")
    let cache = cache(reserve: .max)
    #expect(try await cache.prune(to: 2000).removed == [])
    let pruning = try await cache.prune()
    #expect(pruning.removed.count == 2 && pruning.over == 0)
  }

  @Test func `equal content goes with its last track`() async throws {
    for server in [server, "http://two"] {
      let same = ScriptedFetcher(.whole(noise(500)))
      let cache = TrackCache(folder: folder.file("cache"), fetcher: same)
      _ = try await cache.file(for: "a", server: server)
    }
    let cache = cache()
    #expect(try await cache.room().used == 500)
    #expect(try await cache.remove("a", server: server) == .removed(bytes: 0))
    #expect(try tracks().count == 1)
    #expect(try await cache.remove("a", server: "http://two") == .removed(bytes: 500))
    #expect(try tracks() == [])
    #expect(try await cache.remove("a", server: server) == .notHere)
  }

  @Test func `what is in use is not removed by name either`() async throws {
    let cache = try await filled("a")
    let file = try await cache.file(for: "a", server: server)
    #expect(try await cache.remove("a", server: server) == .inUse)
    withExtendedLifetime(file) {}
  }

  @Test func `a pin outlives the file`() async throws {
    let cache = try await filled("a")
    try await cache.pin("a", server: server)
    unlink(try #require(try await cache.row(of: "a", server: server)?.path))
    let again = try await filled("a")
    #expect(try await again.row(of: "a", server: server)?.isPinned == true)
    #expect(try await again.remove("a", server: server) == .removed(bytes: 1000))
    #expect(try await filled("a").row(of: "a", server: server)?.isPinned == false)
  }

  @Test func `room is made, but not in vain and not of what is spared`() async throws {
    let cache = try await filled("a", "b", "c", limit: 3000)
    let key = TrackKey(server: server, track: "d")
    #expect(try await cache.makeRoom(for: 5000, of: key) == 2000)
    #expect(try await cache.keptIDs(server: server).count == 3)
    await cache.spare(["a"], server: server)
    #expect(try await cache.room().leftAtMost == 2000)
    #expect(try await cache.makeRoom(for: 1000, of: key) == 0)
    #expect(try await cache.keptIDs(server: server) == ["a", "c"])
    #expect(try await cache.makeRoom(for: 3000, of: key) == 1000)
  }

  // MARK: - Checking

  @Test func `a whole cache passes`() async throws {
    let cache = try await filled("a", "b", "c")
    let verdicts = try await cache.verify()
    #expect(Set(verdicts.map(\.row.id)) == ["a", "b", "c"])
    #expect(verdicts.allSatisfy { $0.finding == .whole })
  }

  @Test(arguments: ["cut", "flipped"]) func `what is wrong is set aside`(how: String) async throws {
    let cache = try await filled("a", "b")
    let path = try #require(try await cache.row(of: "a", server: server)?.path)
    var bytes = try Fixture.bytes(at: path)
    if how == "cut" { bytes.removeLast() } else { bytes[500] ^= 1 }
    try AtomicFile.write(bytes, to: path)
    let verdicts = try await cache.verify()
    let wrong = try #require(verdicts.first { $0.row.id == "a" })
    guard case .damaged(let quarantine) = wrong.finding else {
      Issue.record("found \(wrong.finding)")
      return
    }
    #expect(try Fixture.bytes(at: quarantine) == bytes)
    #expect(try await cache.keptIDs(server: server) == ["b"])
    #expect(try await cache.stats().quarantined == 1)
    _ = try await cache.prune(to: 0)
    #expect(try await cache.stats().quarantined == 0)
  }

  @Test func `what is missing loses its row, and what nothing refers to goes`() async throws {
    let cache = try await filled("a", "b")
    unlink(try #require(try await cache.row(of: "a", server: server)?.path))
    try AtomicFile.write([1], to: folder.file("cache/tracks/" + String(repeating: "0", count: 64)))
    let verdicts = try await cache.verify(server: server, ids: ["a"])
    #expect(verdicts.map(\.finding) == [.missing])
    #expect(try await cache.keptIDs(server: server) == ["b"])
    #expect(try tracks().count == 1)
  }

  @Test func `a track that was verified is held against its id again`() async throws {
    let bytes = noise(100_000)
    let id = TrackID("sha256:\(ContentHash.digest(of: bytes.prefix(65_536)).hex)")
    let other = TrackID("sha256:\(String(repeating: "0", count: 64))")
    let cache = TrackCache(folder: folder.file("cache"), fetcher: ScriptedFetcher(.whole(bytes)))
    _ = try await cache.file(for: id, server: server)
    _ = try await cache.file(for: other, server: server)
    #expect(try await cache.verify().map(\.finding) == [.whole, .whole])
    // The index itself may be wrong.
    let index = try CacheIndex(path: folder.file("cache/index.db"))
    try index.database.run("UPDATE track SET verified = 1")
    let again = try await cache.verify().map(\.finding)
    #expect(again.count == 2 && !again.contains(.whole))
  }

  // MARK: - Counts

  @Test func `hits and misses are counted by server`() async throws {
    let cache = try await filled("a")
    for _ in 0..<3 { _ = try await cache.entry(for: "a", server: server) }
    _ = try await cache.entry(for: "x", server: "http://two")
    _ = try await cache.file(for: "x", server: "http://two")
    try await eventually("all is counted") {
      let stats = try await cache.stats()
      return stats.servers == [
        CacheTraffic(
          server: server, hits: 3, misses: 0, bytesSaved: 3000, bytesFetched: 1000, tracks: 1,
          bytes: 1000),
        CacheTraffic(
          server: "http://two", hits: 0, misses: 1, bytesSaved: 0, bytesFetched: 1000, tracks: 1,
          bytes: 1000),
      ] && stats.files == 1 && stats.bytes == 1000
    }
  }
}
