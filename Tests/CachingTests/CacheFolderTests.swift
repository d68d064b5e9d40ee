import Glibc
import RoomProtocol
import Storage
import TestSupport
import Testing

@testable import Caching

/// Whose the cache's folder is, and what happens where its disk is full.
@Suite(.timeLimit(.minutes(3))) struct CacheFolderTests {
  private let folder: TemporaryFolder
  private let server = "http://one"

  init() throws {
    folder = try TemporaryFolder()
  }

  private func cache(in path: String, bytes: Int = 1000) -> TrackCache {
    TrackCache(
      folder: path, limits: CacheLimits(maxSize: .max, reserve: 0),
      fetcher: ScriptedFetcher(lines: (0..<20).map { .whole(noise(bytes, seed: $0 + 1)) }))
  }

  @Test(arguments: [0o000, 0o022, 0o377] as [mode_t])
  func `it is nobody else's, whatever the umask`(mask: mode_t) async throws {
    let path = folder.file("cache")
    await #expect(processExitsWith: .success) {
      [path = path as String, mask = mask as mode_t] in
      umask(mask)
      let fetcher = ScriptedFetcher(.whole([1, 2, 3]))
      let cache = TrackCache(folder: path, fetcher: fetcher)
      let file = try await cache.file(for: "a", server: "http://one")
      precondition(permissions(of: file.path) == 0o600)
    }
    for name in ["", "/tracks", "/parts", "/quarantine"] {
      #expect(permissions(of: path + name) == 0o700, "\(name)")
    }
    #expect(permissions(of: "\(path)/index.db") == 0o600)
  }

  @Test func `nor are the libraries' listings`() throws {
    let path = folder.file("x.db")
    _ = try ListingDatabase(path: path)
    #expect(permissions(of: path) == 0o600)
    try AtomicFile.write(Array("no database".utf8), to: path, mode: 0o644)
    _ = try ListingDatabase(path: path)
    #expect(permissions(of: path) == 0o600)
  }

  @Test func `a folder that was open to others is closed`() async throws {
    for name in ["cache", "cache/tracks"] {
      mkdir(folder.file(name), 0o755)
      chmod(folder.file(name), 0o777)
    }
    _ = try await cache(in: folder.file("cache")).file(for: "a", server: server)
    #expect(permissions(of: folder.file("cache")) == 0o700)
    #expect(permissions(of: folder.file("cache/tracks")) == 0o700)
  }

  @Test(arguments: ["tracks", "parts", "quarantine", "index.db", "index.db-wal"])
  func `a link in the place of what is ours is not followed`(name: String) async throws {
    let other = folder.file("other")
    if name.hasPrefix("index") {
      try AtomicFile.write([1, 2], to: other)
    } else {
      mkdir(other, 0o700)
    }
    mkdir(folder.file("cache"), 0o700)
    symlink(other, folder.file("cache/\(name)"))
    let cache = cache(in: folder.file("cache"))
    guard case .download(let download) = try await cache.entry(for: "a", server: server) else {
      Issue.record("no download")
      return
    }
    #expect(!download.progress.isKept)
    await cache.close()
    var code: Int32?
    for await event in cache.events {
      if case .notKept(nil, let reason as FileError) = event { code = reason.code }
    }
    #expect(code == ELOOP)
    if name.hasPrefix("index") {
      #expect(try Fixture.bytes(at: other) == [1, 2])
    } else {
      #expect(try Folder.names(in: other) == [])
    }
  }

  @Test func `the folder itself may be a link to another disk`() async throws {
    mkdir(folder.file("disk"), 0o700)
    symlink(folder.file("disk"), folder.file("cache"))
    _ = try await cache(in: folder.file("cache")).file(for: "a", server: server)
    #expect(try Folder.names(in: folder.file("disk/tracks")).count == 1)
  }

  @Test(arguments: ["link", "fifo", "folder"])
  func `what somebody plants in the place of a track is neither read nor kept`(kind: String)
    async throws
  {
    let path = try await cache(in: folder.file("cache")).file(for: "a", server: server).path
    let secret = try folder.write("secret", noise(1000, seed: 1))
    unlink(path)
    switch kind {
    case "link": symlink(secret, path)
    case "fifo": mkfifo(path, 0o600)
    default: mkdir(path, 0o700)
    }
    let again = cache(in: folder.file("cache"))
    guard case .download = try await again.entry(for: "a", server: server) else {
      Issue.record("believed")
      return
    }
    #expect(try Fixture.bytes(at: secret).count == 1000)
    _ = try await again.verify()
    #expect(try await again.row(of: "x", server: server) == nil)
  }

  @Test func `what is not the cache's stays, whatever is cleared`() async throws {
    let root = folder.file("cache")
    let others = ["sessions/a.cookies", "blastoise.conf", "libraries/x.db", "tracks/notes.txt"]
    for name in others { try folder.write("cache/\(name)", [1, 2]) }
    _ = try await cache(in: root).file(for: "a", server: server)
    try folder.write("cache/tracks/" + String(repeating: "0", count: 64), [1])
    let again = cache(in: root)
    _ = try await again.prune(to: 0)
    _ = try await again.verify()
    #expect(try await again.list() == [])
    for name in others { #expect(try Fixture.bytes(at: folder.file("cache/\(name)")) == [1, 2]) }
    #expect(try Folder.names(in: folder.file("cache/tracks")) == ["notes.txt"])
  }

  // MARK: - A full disk

  @Test(
    .enabled(if: SmallDisk.isAvailable, "nothing can be mounted here"), arguments: [true, false])
  func `with not one byte free a cache can be pruned and looked at`(hasBallast: Bool)
    async throws
  {
    let disk = try SmallDisk(bytes: 4 * 1024 * 1024)
    let path = "\(disk.path)/cache"
    try await fill(path)
    if !hasBallast { unlink("\(path)/ballast") }
    disk.fill("rest")
    disk.fill("more")
    let cache = cache(in: path)
    if hasBallast { #expect(try await cache.list().count == 10) }
    #expect(try await cache.remove("9", server: server) == .removed(bytes: 100_000))
    #expect(try await cache.room().free < 512 * 1024)
    #expect(try await cache.remove("3", server: server) == .removed(bytes: 100_000))
    let pruning = try await cache.prune(to: 500_000)
    #expect(pruning.removed.count == 3 && pruning.used == 500_000)
    #expect(try await cache.prune(to: 0).removed.count == 5)
    #expect(try await self.cache(in: path).list() == [])
    #expect(permissions(of: "\(path)/ballast") == 0o600)
  }

  /// Ten tracks of 100,000 bytes, by a cache that is gone afterwards.
  private func fill(_ path: String) async throws {
    let cache = cache(in: path, bytes: 100_000)
    for number in 0..<10 { _ = try await cache.file(for: TrackID("\(number)"), server: server) }
  }
}
