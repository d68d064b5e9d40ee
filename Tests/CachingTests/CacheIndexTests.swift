import Glibc
import RoomProtocol
import Storage
import TestSupport
import Testing

@testable import Caching

/// The index's file: older, newer, damaged, in use, gone.
@Suite(.timeLimit(.minutes(3))) struct CacheIndexTests {
  private let folder: TemporaryFolder
  private let server = "http://one"
  private var path: String { folder.file("cache/index.db") }

  init() throws {
    folder = try TemporaryFolder()
  }

  private func cache() -> TrackCache {
    TrackCache(
      folder: folder.file("cache"),
      fetcher: ScriptedFetcher(lines: (0..<300).map { .whole(noise(100, seed: $0 + 1)) }))
  }

  private func fill(_ count: Int) async throws {
    let cache = cache()
    for number in 0..<count { _ = try await cache.file(for: TrackID("\(number)"), server: server) }
    await cache.close()
  }

  /// Many tracks, entered at once rather than fetched.
  private func enter(_ count: Int) async throws {
    try await fill(1)
    let index = try CacheIndex(path: path)
    try index.database.transaction {
      for number in 1..<count {
        let bytes = noise(100, seed: UInt64(number + 1000))
        let digest = ContentHash.digest(of: bytes).hex
        try folder.write("cache/tracks/\(digest)", bytes)
        try index.enter(
          CacheIndex.Row(
            key: TrackKey(server: server, track: TrackID("\(number)")), bytes: 100,
            digest: digest, isVerified: false, fetched: wallTime(), lastUsed: 1))
      }
    }
  }

  private static let firstSchema = Migration(
    """
    CREATE TABLE track (
      server TEXT NOT NULL, id TEXT NOT NULL, bytes INTEGER NOT NULL, digest TEXT NOT NULL,
      content_type TEXT, verified INTEGER NOT NULL, fetched REAL NOT NULL, last_used REAL NOT NULL,
      PRIMARY KEY (server, id)
    ) WITHOUT ROWID;
    CREATE INDEX track_by_digest ON track (digest);
    CREATE INDEX track_by_use ON track (last_used);
    """)

  private static let firstInsert =
    "INSERT OR REPLACE INTO track VALUES ('http://one', ?, 3, ?, NULL, 0, 1, 1)"

  // MARK: - Schemas

  @Test func `an index of the first schema goes on, beside a program that still writes it`()
    async throws
  {
    try Folder.create(folder.file("cache/tracks"))
    let digest = ContentHash.digest(of: [1, 2, 3]).hex
    let old = try SQLiteConnection(path: path, migrations: [Self.firstSchema])
    try folder.write("cache/tracks/\(digest)", [1, 2, 3])
    try old.run(Self.firstInsert, "a", digest)
    let cache = cache()
    guard case .file = try await cache.entry(for: "a", server: server) else {
      Issue.record("lost")
      return
    }
    try await cache.pin("a", server: server)
    // The old program goes on with the connection it has.
    try old.run(Self.firstInsert, "b", digest)
    try old.run(Self.firstInsert, "a", digest)
    #expect(try await cache.keptIDs(server: server) == ["a", "b"])
    #expect(try await cache.row(of: "a", server: server)?.isPinned == true)
    #expect(throws: MigrationError.newerDatabase(path: path, found: 2, known: 1)) {
      try SQLiteConnection(path: path, migrations: [Self.firstSchema])
    }
  }

  @Test func `an index of a newer schema is left alone, and tracks play unkept`() async throws {
    try await fill(3)
    let newer = try SQLiteConnection(path: path)
    try newer.execute("PRAGMA user_version = 9")
    let before = try Folder.names(in: folder.file("cache/tracks"))
    let cache = cache()
    let refusal = MigrationError.newerDatabase(path: path, found: 9, known: 2)
    await #expect(throws: refusal) { try await cache.list() }
    await #expect(throws: refusal) { try await cache.prune(to: 0) }
    for id: TrackID in ["0", "1"] {
      guard case .download(let download) = try await cache.entry(for: id, server: server) else {
        Issue.record("not played")
        return
      }
      #expect(!download.progress.isKept)
    }
    await cache.close()
    var refusals = 0
    for await event in cache.events {
      if case .notKept(nil, let reason as MigrationError) = event, reason == refusal {
        refusals += 1
      }
    }
    #expect(refusals == 1)
    #expect(try Folder.names(in: folder.file("cache/tracks")) == before)
  }

  // MARK: - Damage

  @Test func `an index that is none is set aside, said once`() async throws {
    try await fill(3)
    try AtomicFile.write(Array("no database at all, but some text".utf8), to: path)
    let cache = cache()
    #expect(try await cache.list() == [])
    #expect(try Fixture.bytes(at: "\(path).damaged").starts(with: Array("no data".utf8)))
    _ = try await cache.file(for: "x", server: server)
    await cache.close()
    var mendings: [Int] = []
    for await event in cache.events {
      if case .mended(let mending) = event { mendings.append(mending.tracks) }
    }
    #expect(mendings == [0])
    // What nothing says the id of is gone.
    #expect(try Folder.names(in: folder.file("cache/tracks")).count == 1)
  }

  @Test(arguments: 0..<6) func `what can be read of a damaged index is kept`(seed: UInt64)
    async throws
  {
    try await enter(80)
    var bytes = try Fixture.bytes(at: path)
    // Any page but the first, which holds the schema.
    var random = SeededGenerator(seed: seed)
    let page = Int.random(in: 1..<(bytes.count / 4096), using: &random)
    for place in 0..<4096 { bytes[page * 4096 + place] = UInt8.random(in: 0...255, using: &random) }
    try AtomicFile.write(bytes, to: path)
    let cache = cache()
    let first = try await cache.list().count
    _ = try await cache.prune()
    _ = try await cache.file(for: "new", server: server)
    let rows = try await cache.list()
    #expect(rows.count > first / 4, "page \(page): \(first), then \(rows.count)")
    for row in rows {
      let file = try Fixture.bytes(at: row.path ?? "")
      #expect(ContentHash.digest(of: file).hex == row.digest)
    }
    let digests = Set(rows.map { $0.digest ?? "" }).sorted()
    #expect(try Folder.names(in: folder.file("cache/tracks")) == digests)
    let index = try CacheIndex(path: path)
    #expect(try index.database.rows("PRAGMA integrity_check") { $0.text(0) } == ["ok"])
  }

  @Test func `two processes find a damaged index, and one mends it`() async throws {
    try await fill(20)
    let one = cache()
    let two = cache()
    _ = try await two.list()
    try AtomicFile.write(Array("no database".utf8), to: path)
    async let first = one.keptIDs(server: server)
    async let second = two.keptIDs(server: server)
    #expect(try await first == second)
    _ = try await one.file(for: "x", server: server)
    #expect(try await two.keptIDs(server: server) == ["x"])
  }

  // MARK: - What a kill leaves

  @Test func `what can't be entered keeps no name`() async throws {
    let first = cache()
    // The name is given, the row is not there, and all goes back.
    let row = CacheIndex.Row(
      key: TrackKey(server: server, track: "a"), bytes: 1, digest: "d", contentType: nil,
      isVerified: false, fetched: 0, lastUsed: 0)
    _ = try await first.file(for: "b", server: server)
    let part = try folder.write("cache/parts/x.part", [1])
    let index = try CacheIndex(path: path)
    // Refuses at the commit, when the name is given already.
    try index.database.execute(
      """
      CREATE TABLE parent (id INTEGER PRIMARY KEY);
      CREATE TABLE child (id INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED);
      CREATE TRIGGER no AFTER INSERT ON track BEGIN INSERT INTO child VALUES (9); END
      """)
    await #expect(throws: SQLiteError.self) { try await first.enter(row, part: part) }
    #expect(try Folder.names(in: folder.file("cache/tracks")).count == 1)
    #expect(try Fixture.bytes(at: part) == [1])
  }

  @Test func `rows without files and files without rows go at the next start`() async throws {
    try await fill(3)
    let cache = cache()
    try await cache.pin("0", server: server)
    for id: TrackID in ["0", "1"] {
      unlink(try #require(try await cache.row(of: id, server: server)?.path))
    }
    try folder.write("cache/tracks/" + String(repeating: "0", count: 64), [1])
    // A track that was entered, before its part's name was taken away.
    let whole = try #require(try await cache.row(of: "2", server: server))
    let key = TrackKey(server: server, track: "2")
    let part = PartFile.path(of: key, in: folder.file("cache/parts"))
    link(whole.path ?? "", part)
    try AtomicFile.write(
      Array((PartRecord.heading(key) + PartRecord().line(boot: bootID)).utf8),
      to: PartFile.mapPath(of: part))
    #expect(try await self.cache().list().map(\.id) == ["2"])
    _ = try await self.cache().prune()
    #expect(try Folder.names(in: folder.file("cache/tracks")) == [whole.digest])
    #expect(try Folder.names(in: folder.file("cache/parts")) == [])
    #expect(try await self.cache().room().used == 100)
    let index = try CacheIndex(path: path)
    #expect(try index.rows(server: nil).count == 1)
  }

  // MARK: - Others at work

  @Test func `a track that came whole waits for a busy index`() async throws {
    try await fill(1)
    let other = try SQLiteConnection(path: path)
    try other.execute("BEGIN IMMEDIATE")
    let cache = cache()
    async let file = cache.file(for: "late", server: server)
    // Longer than the busy timeout of one second.
    try await Task.sleep(for: .milliseconds(1500))
    #expect(try await cache.keptIDs(server: server) == ["0"])
    try other.execute("COMMIT")
    _ = try await file
    #expect(try await cache.keptIDs(server: server) == ["0", "late"])
  }

  @Test func `a whole track that a busy index keeps out is entered later, without the network`()
    async throws
  {
    try await fill(1)
    let bytes = noise(50_000)
    let id = TrackID("sha256:\(ContentHash.digest(of: bytes).hex)")
    let other = try SQLiteConnection(path: path)
    try other.execute("BEGIN IMMEDIATE")
    let time = ManualTime()
    let cache = TrackCache(
      folder: folder.file("cache"), fetcher: ScriptedFetcher(.whole(bytes)), time: time.source)
    let task = Task { try await cache.file(for: id, server: server) }
    try await eventually("it waits for the index") { time.sleeperCount == 1 }
    time.advance(by: .seconds(61))
    await #expect(throws: CacheError.self) { try await task.value }
    try other.execute("COMMIT")
    let row = try #require(try await self.cache().row(of: id, server: server))
    #expect(row.state == .incomplete && row.bytes == 50_000 && row.expected == 50_000)
    let offline = TrackCache(
      folder: folder.file("cache"), fetcher: ScriptedFetcher(.init(isRefused: true)))
    let file = try await offline.file(for: id, server: server)
    #expect(try Fixture.bytes(at: file.path) == bytes)
  }

  @Test func `a cache that somebody removes while it is in use begins anew`() async throws {
    let cache = cache()
    _ = try await cache.file(for: "a", server: server)
    _ = system("rm -r '\(folder.file("cache"))'")
    #expect(try await cache.keptIDs(server: server) == [])
    _ = try await cache.file(for: "b", server: server)
    #expect(try await self.cache().keptIDs(server: server) == ["b"])
  }

  @Test func `what another process plays is not evicted, until that is killed`() async throws {
    try await fill(2)
    let root = folder.file("cache")
    let gate = folder.file("gate")
    mkfifo(gate, 0o600)
    async let child = #expect(processExitsWith: .signal(SIGKILL)) {
      [root = root as String, gate = gate as String] in
      let cache = TrackCache(folder: root)
      guard case .file(let file) = try await cache.entry(for: "0", server: "http://one") else {
        exit(1)
      }
      // Says that it plays, then waits to be told to end.
      let said = open(gate, O_WRONLY)
      var byte: UInt8 = 0
      close(said)
      let told = open(gate, O_RDONLY)
      read(told, &byte, 1)
      withExtendedLifetime(file) { _ = kill(getpid(), SIGKILL) }
    }
    let heard = await Task.detached { open(gate, O_RDONLY) }.value
    close(heard)
    let cache = cache()
    #expect(try await cache.prune(to: 0).removed.map(\.id) == ["1"])
    #expect(try await cache.remove("0", server: server) == .inUse)
    let end = await Task.detached { open(gate, O_WRONLY) }.value
    close(end)
    _ = await child
    #expect(try await cache.prune(to: 0).removed.map(\.id) == ["0"])
  }
}

extension TrackCache {
  fileprivate func enter(_ row: CacheIndex.Row, part: String) throws {
    _ = try withIndex { try enter(row, part: part, into: $0) }
  }
}
