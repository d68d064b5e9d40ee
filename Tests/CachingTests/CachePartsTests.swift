import Glibc
import RoomProtocol
import Storage
import TestSupport
import Testing

@testable import Caching

/// Downloads that are not whole, as the cache tells of them, and the room they take.
@Suite(.timeLimit(.minutes(3))) struct CachePartsTests {
  private let folder: TemporaryFolder
  private let server = "http://one"

  init() throws {
    folder = try TemporaryFolder()
  }

  private func cache(
    _ lines: ScriptedFetcher.Line..., limit: Int64 = .max, reserve: Int64 = 0
  ) -> TrackCache {
    TrackCache(
      folder: folder.file("cache"), limits: CacheLimits(maxSize: limit, reserve: reserve),
      fetcher: ScriptedFetcher(lines: lines))
  }

  /// Leaves 10,000 of 30,000 bytes of a track, as a download that was called off does.
  private func leavePart(_ id: TrackID) async throws {
    let fetcher = ScriptedFetcher(
      .init(bytes: noise(30_000), promised: 30_000, pausesAfter: 10_000))
    let cache = TrackCache(folder: folder.file("cache"), fetcher: fetcher)
    _ = try await cache.entry(for: id, server: server)
    await fetcher.pause()
    #expect(try await cache.row(of: id, server: server)?.state == .downloading)
    await cache.close()
  }

  @Test func `a part is downloading while somebody has it, incomplete afterwards`() async throws {
    try await leavePart("a")
    let cache = cache()
    let row = try #require(try await cache.list().first)
    #expect(row.id == "a" && row.server == server && row.state == .incomplete)
    #expect(row.bytes == 10_000 && row.expected == 30_000 && row.digest == nil)
    #expect(try await cache.row(of: "a", server: server) == row)
    #expect(try await cache.keptIDs(server: server) == [])
    let stats = try await cache.stats()
    #expect(stats.parts == 1 && stats.partBytes == 10_000 && stats.files == 0)
    #expect(try await cache.room().used == 10_000)
  }

  @Test func `a part goes before a finished track, and by name`() async throws {
    try await leavePart("part")
    let whole = ScriptedFetcher(.whole(noise(5000, seed: 2)))
    _ = try await TrackCache(folder: folder.file("cache"), fetcher: whole).file(
      for: "whole", server: server)
    let cache = cache()
    let pruning = try await cache.prune(to: 5000)
    #expect(pruning.removed.map(\.id) == ["part"] && pruning.freed == 10_000)
    try await leavePart("part")
    #expect(try await cache.remove("part", server: server) == .removed(bytes: 10_000))
    #expect(try Folder.names(in: folder.file("cache/parts")) == [])
    #expect(try await cache.keptIDs(server: server) == ["whole"])
  }

  @Test func `a part that nobody goes on with goes after two weeks, unless pinned`() async throws {
    try await leavePart("old")
    try await leavePart("pinned")
    let cache = cache()
    try await cache.pin("pinned", server: server)
    var times = [timespec(), timespec()]
    for index in 0...1 { times[index].tv_sec = Int(wallTime()) - 15 * 86_400 }
    for name in try Folder.names(in: folder.file("cache/parts")) {
      utimensat(AT_FDCWD, folder.file("cache/parts/\(name)"), times, 0)
    }
    #expect(try await cache.prune().removed.map(\.id) == ["old"])
    #expect(try await cache.list().map(\.id) == ["pinned"])
  }

  @Test func `what runs is neither pruned nor removed, and its rest counts as taken`()
    async throws
  {
    let fetcher = ScriptedFetcher(
      .init(bytes: noise(30_000), promised: 30_000, pausesAfter: 10_000))
    let running = TrackCache(folder: folder.file("cache"), fetcher: fetcher)
    async let file = running.file(for: "a", server: server)
    await fetcher.pause()
    let cache = cache(limit: 100_000)
    #expect(try await cache.room().left == 70_000)
    #expect(try await cache.prune(to: 0).over > 0)
    #expect(try await cache.remove("a", server: server) == .inUse)
    let other = TrackKey(server: server, track: "b")
    #expect(try await cache.makeRoom(for: 70_001, of: other) == 1)
    let own = TrackKey(server: server, track: "a")
    #expect(try await cache.makeRoom(for: 90_000, of: own) == 0)
    fetcher.open()
    #expect(try await file.bytes == 30_000)
  }

  @Test func `who waits for another process's download gets its file`() async throws {
    let fetcher = ScriptedFetcher(
      .init(bytes: noise(30_000), promised: 30_000, pausesAfter: 10_000))
    let first = TrackCache(folder: folder.file("cache"), fetcher: fetcher)
    let time = ManualTime()
    let unused = ScriptedFetcher(.init(isRefused: true))
    let second = TrackCache(
      folder: folder.file("cache"), fetcher: unused, time: time.source)
    async let one = first.file(for: "a", server: server)
    await fetcher.pause()
    async let two = second.file(for: "a", server: server)
    try await eventually("it waits") { time.sleeperCount == 1 }
    // A player does not wait: it streams unkept.
    guard case .download(let unkept) = try await second.entry(for: "a", server: server) else {
      Issue.record("no download")
      return
    }
    #expect(!unkept.progress.isKept)
    await second.cancel("a", server: server)
    fetcher.open()
    #expect(try await one.bytes == 30_000)
    time.advance(by: .milliseconds(200))
    #expect(try await two.bytes == 30_000)
  }

  @Test func `who waits can be called off`() async throws {
    try await leavePart("a")
    let key = TrackKey(server: server, track: "a")
    guard case .ours(let part, _) = try PartFile.open(key, in: folder.file("cache/parts")) else {
      Issue.record("busy")
      return
    }
    let cache = cache(.whole([1]))
    let waiting = Task { try await cache.file(for: "a", server: server) }
    try await Task.sleep(for: .milliseconds(50))
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    withExtendedLifetime(part) {}
  }

  @Test func `what does not fit fails where it is to be kept, and streams where it is played`()
    async throws
  {
    let cache = cache(.whole(noise(3_000_000)), limit: 1_000_000)
    await #expect {
      try await cache.file(for: "a", server: server)
    } throws: {
      if case CacheError.noRoom("a", missing: 2_000_000) = $0 { true } else { false }
    }
    #expect(try await cache.list() == [])
    guard case .download(let download) = try await cache.entry(for: "a", server: server) else {
      Issue.record("no download")
      return
    }
    try await eventually("all has come") { download.progress.isComplete }
    #expect(!download.progress.isKept && download.progress.received == 3_000_000)
  }

  @Test func `a cache of no size keeps nothing`() async throws {
    let cache = cache(.whole(noise(3_000_000)), limit: 0)
    guard case .download(let download) = try await cache.entry(for: "a", server: server) else {
      Issue.record("no download")
      return
    }
    try await eventually("all has come") { download.progress.isComplete }
    #expect(!download.progress.isKept)
    try await eventually("nothing is left") { try await cache.list() == [] }
  }

  @Test func `room is made while a track comes`() async throws {
    for (id, seed) in [("a", 1), ("b", 2)] as [(TrackID, UInt64)] {
      let fetcher = ScriptedFetcher(.whole(noise(400_000, seed: seed)))
      _ = try await TrackCache(folder: folder.file("cache"), fetcher: fetcher).file(
        for: id, server: server)
    }
    let cache = cache(.whole(noise(500_000, seed: 3)), limit: 1_000_000)
    _ = try await cache.file(for: "c", server: server)
    #expect(try await cache.keptIDs(server: server) == ["b", "c"])
  }
}
