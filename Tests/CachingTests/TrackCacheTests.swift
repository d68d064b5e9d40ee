import Caching
import Glibc
import RoomProtocol
import Storage
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct TrackCacheTests {
  private let folder: TemporaryFolder
  private let server = "http://127.0.0.1:3001"

  init() throws {
    folder = try TemporaryFolder()
  }

  private func cache(_ fetcher: ScriptedFetcher) -> TrackCache {
    TrackCache(folder: folder.file("cache"), fetcher: fetcher)
  }

  private func parts() throws -> [String] { try Folder.names(in: folder.file("cache/parts")) }

  private func tracks() throws -> [String] { try Folder.names(in: folder.file("cache/tracks")) }

  private func id(of bytes: [UInt8]) -> TrackID {
    TrackID("sha256:\(ContentHash.digest(of: bytes.prefix(65_536)).hex)")
  }

  @Test func `a track is fetched once, named by its digest, and found by the next cache`()
    async throws
  {
    let bytes = noise(200_000)
    let fetcher = ScriptedFetcher(.whole(bytes))
    let file = try await cache(fetcher).file(for: id(of: bytes), server: server)
    #expect(file.path.hasSuffix("/tracks/\(ContentHash.digest(of: bytes).hex)"))
    #expect(file.bytes == 200_000)
    #expect(file.isVerified)
    #expect(try Fixture.bytes(at: file.path) == bytes)
    #expect(try tracks().count == 1)
    guard case .file(let again) = try await cache(fetcher).entry(for: id(of: bytes), server: server)
    else {
      Issue.record("not kept")
      return
    }
    #expect(again.path == file.path && again.bytes == file.bytes && again.isVerified)
    #expect(fetcher.fetches == 1)
  }

  @Test func `its folders are private`() async throws {
    _ = try await cache(ScriptedFetcher(.whole([1]))).file(for: "a", server: server)
    for name in ["cache", "cache/tracks", "cache/parts", "cache/quarantine"] {
      #expect(permissions(of: folder.file(name)) == 0o700)
    }
  }

  @Test func `the same track asked twice at once is one download`() async throws {
    let fetcher = ScriptedFetcher(.init(bytes: noise(30_000), pausesAfter: 10_000))
    let cache = cache(fetcher)
    async let first = cache.file(for: "a", server: server)
    await fetcher.pause()
    guard case .download(let running) = try await cache.entry(for: "a", server: server) else {
      Issue.record("not running")
      return
    }
    #expect(running.progress.received == 10_000)
    fetcher.open()
    _ = try await first
    #expect(fetcher.fetches == 1)
  }

  @Test func `an id of any shape makes no file name`() async throws {
    let cache = cache(ScriptedFetcher(.whole(noise(10)), .whole(noise(20)), .whole(noise(30))))
    for id in ["../../etc/passwd", "/etc/passwd", "a\u{0}b\u{1B}[2J"] {
      _ = try await cache.file(for: TrackID(id), server: server)
    }
    let names = try tracks()
    #expect(names.count == 3)
    #expect(names.allSatisfy { Hex.bytes($0)?.count == 32 })
  }

  @Test func `equal content of two servers is one file under two entries`() async throws {
    let fetcher = ScriptedFetcher(.whole(noise(1000)))
    let cache = cache(fetcher)
    let one = try await cache.file(for: "a", server: server)
    let two = try await cache.file(for: "a", server: "http://other")
    #expect(one.path == two.path)
    #expect(fetcher.fetches == 2)
    #expect(try tracks().count == 1)
  }

  @Test(arguments: [0, 1, 999]) func `a file that was cut or removed is fetched again`(
    length: Int
  ) async throws {
    let fetcher = ScriptedFetcher(.whole(noise(1000)))
    let file = try await cache(fetcher).file(for: "a", server: server)
    if length == 0 {
      unlink(file.path)
    } else {
      try OpenFile(file.path, flags: O_RDWR).truncate(to: Int64(length))
    }
    let again = try await cache(fetcher).file(for: "a", server: server)
    #expect(try Fixture.bytes(at: again.path) == noise(1000))
    #expect(fetcher.fetches == 2)
  }

  @Test func `an empty track is a track`() async throws {
    let file = try await cache(ScriptedFetcher(.whole([]))).file(for: "a", server: server)
    #expect(file.bytes == 0)
  }

  // MARK: - What servers and lines do

  @Test func `a short body of a server without ranges is fetched again, and what was read stands`()
    async throws
  {
    let bytes = noise(50_000)
    let short = ScriptedFetcher.Line(bytes: Array(bytes[..<20_000]), promised: 50_000)
    let fetcher = ScriptedFetcher(short, .whole(bytes))
    let file = try await cache(fetcher).file(for: "a", server: server)
    #expect(try Fixture.bytes(at: file.path) == bytes)
    #expect(file.path.hasSuffix(ContentHash.digest(of: bytes).hex))
    #expect(fetcher.fetches == 2)
  }

  @Test func `a body that is short twice fails, and leaves what came for another time`()
    async throws
  {
    let fetcher = ScriptedFetcher(.init(bytes: noise(20_000), promised: 50_000))
    let cache = cache(fetcher)
    await #expect {
      try await cache.file(for: "a", server: server)
    } throws: { error in
      guard case CacheError.wrongLength("a", promised: 50_000, received: 20_000) = error else {
        return false
      }
      return true
    }
    #expect(fetcher.fetches == 2)
    #expect(try tracks() == [])
    #expect(try parts().count == 2)
    let again = try await self.cache(ScriptedFetcher(.whole(noise(50_000)))).file(
      for: "a", server: server)
    #expect(try Fixture.bytes(at: again.path) == noise(50_000))
    #expect(try parts() == [])
  }

  @Test func `a second try with other bytes is another file, and costs a restart`() async throws {
    let other = noise(50_000, seed: 2)
    let fetcher = ScriptedFetcher(.init(bytes: noise(20_000), promised: 50_000), .whole(other))
    let file = try await cache(fetcher).file(for: "a", server: server)
    #expect(try Fixture.bytes(at: file.path) == other)
    #expect(file.path.hasSuffix(ContentHash.digest(of: other).hex))
  }

  @Test func `where a reader has the old bytes, other bytes are a failure`() async throws {
    let fetcher = ScriptedFetcher(
      .init(bytes: noise(20_000), promised: 50_000, pausesAfter: 20_000),
      .whole(noise(50_000, seed: 2)))
    let cache = cache(fetcher)
    let file = Task { try await cache.file(for: "a", server: server) }
    await fetcher.pause()
    guard case .download(let download) = try await cache.entry(for: "a", server: server) else {
      Issue.record("no download")
      return
    }
    var buffer = [UInt8](repeating: 0, count: 100)
    let reader = download.reader()
    _ = try buffer.withUnsafeMutableBytes { try reader.read(at: 0, into: $0) }
    fetcher.open()
    await #expect {
      _ = try await file.value
    } throws: {
      if case CacheError.changed("a") = $0 { true } else { false }
    }
    #expect(try tracks() + parts() == [])
  }

  @Test func `a line that breaks is tried once more`() async throws {
    let bytes = noise(50_000)
    let lost = ScriptedFetcher.Line(bytes: Array(bytes[..<20_000]), isLost: true)
    let file = try await cache(ScriptedFetcher(lost, .whole(bytes))).file(for: "a", server: server)
    #expect(try Fixture.bytes(at: file.path) == bytes)
  }

  @Test func `a refusal is not tried again, and the next asking tries anew`() async throws {
    let fetcher = ScriptedFetcher(.init(isRefused: true), .whole([1]))
    let cache = cache(fetcher)
    await #expect {
      try await cache.file(for: "a", server: server)
    } throws: { error in
      if case CacheError.fetch("a", let cause) = error {
        cause is ScriptedFetcher.Lost
      } else {
        false
      }
    }
    #expect(fetcher.fetches == 1)
    #expect(try await cache.file(for: "a", server: server).bytes == 1)
  }

  // MARK: - The check of the id

  @Test func `a beginning that never matches, but stays the same, is kept unverified`()
    async throws
  {
    let fetcher = ScriptedFetcher(.whole(noise(100_000)))
    let file = try await cache(fetcher).file(for: id(of: [1]), server: server)
    #expect(!file.isVerified)
    #expect(fetcher.fetches == 2)
  }

  @Test func `a beginning that changes is a broken line`() async throws {
    let bytes = noise(100_000)
    var flipped = bytes
    flipped[40_000] ^= 1
    let cache = cache(ScriptedFetcher(.whole(flipped), .whole(bytes)))
    await #expect {
      try await cache.file(for: id(of: bytes), server: server)
    } throws: {
      if case CacheError.brokenLine = $0 { true } else { false }
    }
    #expect(try tracks() + parts() == [])
  }

  @Test func `the tail is none of the id's business`() async throws {
    let bytes = noise(100_000)
    let fetcher = ScriptedFetcher(.whole(bytes))
    let file = try await cache(fetcher).file(for: id(of: bytes), server: server)
    #expect(file.isVerified)
    #expect(fetcher.fetches == 1)
  }

  @Test(arguments: ["sha256:ab", "sha256:\(String(repeating: "G", count: 64))", "track-1"])
  func `an id of another form is not checked`(id: String) async throws {
    let fetcher = ScriptedFetcher(.whole([1, 2]))
    let file = try await cache(fetcher).file(for: TrackID(id), server: server)
    #expect(!file.isVerified)
    #expect(fetcher.fetches == 1)
  }

  // MARK: - Where nothing can be kept

  @Test func `a cache that can't be made still brings tracks`() async throws {
    try AtomicFile.write([], to: folder.file("cache"))
    let fetcher = ScriptedFetcher(.whole(noise(1000)))
    let cache = cache(fetcher)
    guard case .download(let download) = try await cache.entry(for: "a", server: server) else {
      Issue.record("no download")
      return
    }
    #expect(!download.progress.isKept)
    await #expect(throws: CacheError.self) { try await cache.file(for: "a", server: server) }
    var buffer = [UInt8](repeating: 0, count: 2000)
    let reader = download.reader()
    let count = try buffer.withUnsafeMutableBytes { try reader.read(at: 0, into: $0) }
    #expect(Array(buffer[..<count]) == noise(1000))
    await cache.close()
    var reasons = 0
    for await event in cache.events {
      if case .notKept(_, let reason) = event, reason is FileError { reasons += 1 }
    }
    #expect(reasons >= 1)
  }

  @Test func `a cancelled download ends its readers, and is gone on with by the next`() async throws
  {
    let fetcher = ScriptedFetcher(.init(bytes: noise(30_000), pausesAfter: 10_000))
    let cache = cache(fetcher)
    guard case .download(let download) = try await cache.entry(for: "a", server: server) else {
      Issue.record("no download")
      return
    }
    await fetcher.pause()
    await cache.cancel("a", server: server)
    var byte: [UInt8] = [0]
    let reader = download.reader()
    #expect {
      try byte.withUnsafeMutableBytes { try reader.read(at: 10_000, into: $0) }
    } throws: {
      if case CacheError.cancelled = $0 { true } else { false }
    }
    guard case .download(let next) = try await cache.entry(for: "a", server: server) else {
      Issue.record("no download")
      return
    }
    #expect(next.progress.received == 10_000)
    #expect(next.progress.isKept)
  }

  // MARK: - A kill

  @Test func `a kill while downloading leaves nothing that counts`() async throws {
    let path = folder.file("cache")
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let fetcher = ScriptedFetcher(
        .whole(noise(500)), .init(bytes: noise(30_000), pausesAfter: 10_000))
      let cache = TrackCache(folder: path, fetcher: fetcher)
      _ = try await cache.file(for: "kept", server: "s")
      _ = try await cache.entry(for: "half", server: "s")
      await fetcher.pause()
      kill(getpid(), SIGKILL)
    }
    #expect(try tracks().count == 1)
    // A file renamed but not entered yet looks like this.
    try AtomicFile.write([1], to: folder.file("cache/tracks/\(String(repeating: "0", count: 64))"))
    let fetcher = ScriptedFetcher(.whole(noise(30_000)))
    let cache = TrackCache(folder: path, fetcher: fetcher)
    guard case .file(let kept) = try await cache.entry(for: "kept", server: "s") else {
      Issue.record("lost")
      return
    }
    #expect(try Fixture.bytes(at: kept.path) == noise(500))
    #expect(try tracks().count == 1)
    _ = try await cache.file(for: "half", server: "s")
    #expect(fetcher.fetches == 1)
  }

  @Test func `the download of another process is not swept`() async throws {
    let fetcher = ScriptedFetcher(.init(bytes: noise(30_000), pausesAfter: 10_000))
    let first = cache(fetcher)
    async let file = first.file(for: "a", server: server)
    await fetcher.pause()
    _ = try await cache(ScriptedFetcher(.whole([1]))).file(for: "b", server: server)
    fetcher.open()
    #expect(try await file.bytes == 30_000)
  }

  @Test(arguments: [
    (["XDG_CACHE_HOME": "/x", "HOME": "/h"], "/x/blastoise"),
    (["XDG_CACHE_HOME": "", "HOME": "/h"], "/h/.cache/blastoise"),
    (["XDG_CACHE_HOME": "relative", "HOME": "/h"], "/h/.cache/blastoise"),
    (["HOME": "/h"], "/h/.cache/blastoise"),
  ])
  func `where the cache is`(environment: [String: String], folder: String) {
    #expect(TrackCache.defaultFolder(environment: environment) == folder)
  }
}
