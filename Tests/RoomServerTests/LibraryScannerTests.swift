import Glibc
import RoomProtocol
import Storage
import Synchronization
import TestSupport
import Testing

@testable import RoomServer

/// What a scan told, put together.
private struct ScanReport {
  var files: [ScannedFile]?
  var probed: [String] = []
  var skipped: [String: String] = [:]
  var progress: [Int] = []
}

@Suite struct LibraryScannerTests {
  private static func scan(
    _ folder: TemporaryFolder, known: [ScannedFile] = [],
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) -> ScanReport {
    let probed = Mutex<[String]>([])
    let scanner = LibraryScanner(
      folder: folder.path,
      known: Dictionary(uniqueKeysWithValues: known.map { ($0.path, $0) }),
      probe: { path in
        let name = String(path.dropFirst(folder.path.count + 1))
        probed.withLock { $0.append(name) }
        if name.contains("broken") { throw RawError(what: "broken", code: 1) }
        return Track(id: "unknown", title: "Title of \(name)", duration: 5)
      }, isCancelled: isCancelled)
    var report = ScanReport()
    report.files = scanner.scan { event in
      switch event {
      case .skipped(let path, let reason): report.skipped[path] = reason
      case .progress(let processed, _): report.progress.append(processed)
      case .found: break
      }
    }
    report.probed = probed.withLock { $0 }
    return report
  }

  @Test func `tracks are found in all folders, by suffix`() throws {
    let folder = try TemporaryFolder()
    for name in ["b.mp3", "a/c.OGG", "a/d/e.flac", "notes.txt", ".hidden.mp3", ".git/x.mp3"] {
      try folder.write(name, name.utf8)
    }
    let outside = try TemporaryFolder()
    try outside.write("far.mp3", [1])
    symlink("\(outside.path)/far.mp3", "\(folder.path)/link.mp3")
    symlink(outside.path, "\(folder.path)/linked")
    symlink(folder.path, "\(folder.path)/loop")
    let report = Self.scan(folder)
    #expect(report.files?.map(\.path) == ["a/c.OGG", "a/d/e.flac", "b.mp3"])
    #expect(report.files?.map(\.track.filename) == ["a/c.OGG", "a/d/e.flac", "b.mp3"])
    #expect(report.files?.first?.track.title == "Title of a/c.OGG")
    #expect(report.progress == [0, 1, 2, 3])
  }

  @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 200_000])
  func `the id is the digest of the first 65,536 bytes`(size: Int) throws {
    let folder = try TemporaryFolder()
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try folder.write("a.mp3", bytes)
    let digest = ContentHash.digest(of: bytes.prefix(65_536)).hex
    #expect(Self.scan(folder).files?.first?.track.id == TrackID("sha256:\(digest)"))
  }

  @Test func `a second scan reads only what changed`() throws {
    let folder = try TemporaryFolder()
    for name in ["a.mp3", "b.mp3", "c.mp3", "d.mp3"] { try folder.write(name, name.utf8) }
    let first = try #require(Self.scan(folder).files)
    try folder.write("b.mp3", "longer than before".utf8)
    unlink("\(folder.path)/c.mp3")
    try folder.write("e.mp3", "new".utf8)
    var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 5)]
    utimensat(AT_FDCWD, "\(folder.path)/d.mp3", &times, 0)
    let second = Self.scan(folder, known: first)
    #expect(second.probed == ["b.mp3", "d.mp3", "e.mp3"])
    #expect(second.files?.map(\.path) == ["a.mp3", "b.mp3", "d.mp3", "e.mp3"])
  }

  @Test func `a broken file is reported and left out`() throws {
    let folder = try TemporaryFolder()
    try folder.write("a.mp3", [1])
    try folder.write("broken.mp3", [2])
    let report = Self.scan(folder)
    #expect(report.files?.map(\.path) == ["a.mp3"])
    #expect(Array(report.skipped.keys) == ["broken.mp3"])
  }

  @Test func `a scan can be given up`() throws {
    let folder = try TemporaryFolder()
    try folder.write("a.mp3", [1])
    let report = Self.scan(folder, isCancelled: { true })
    #expect(report.files == nil)
    #expect(report.probed.isEmpty)
  }
}

@Suite(.serialized, .timeLimit(.minutes(3))) struct LibraryTests {
  @Test func `a folder becomes a library, with lengths, and plays`() async throws {
    let folder = try TemporaryFolder()
    let database = try TemporaryFolder()
    let names = ["ruler.flac": "z/ruler.flac", "noise.ogg": "noise.ogg", "noise-cbr.mp3": "n.mp3"]
    for (name, place) in names {
      try folder.write(place, try Fixture.bytes("audio/\(name)"))
    }
    // The same beginning twice is one track, whatever comes after it.
    try folder.write("zz-copy.flac", try Fixture.bytes("audio/ruler.flac") + [1, 2, 3])
    try folder.write("page.mp3", "<!doctype html><html></html>".utf8)
    let lines = Mutex<[String]>([])
    for run in 1...2 {
      try await withServer(tracks: []) {
        $0.musicFolder = folder.path
        $0.databasePath = "\(database.path)/room.db"
        $0.log = { line in lines.withLock { $0.append(line) } }
      } _: { (server: ServerHarness) async throws in
        let library: [Track] = try await server.send("GET", "/api/library").decode()
        #expect(library.map(\.filename) == ["n.mp3", "noise.ogg", "z/ruler.flac"])
        #expect(library.allSatisfy { ($0.duration ?? 0) > 0.5 })
        #expect(library.allSatisfy { $0.id.rawValue.count == 71 })
        let state = try await server.withSocket { try $0.state() }
        #expect(state.queue == library, "run \(run)")
        let bytes = try await server.send("GET", "/api/tracks/\(library[2].id)").body
        #expect(bytes == (try Fixture.bytes("audio/ruler.flac")))
      }
    }
    let skipped = lines.withLock { $0.filter { $0.hasPrefix("skipped") } }
    #expect(skipped.count == 2 && skipped.allSatisfy { $0.hasPrefix("skipped page.mp3: ") })
  }

  @Test func `a rescan follows the folder`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("a.ogg", try Fixture.bytes("audio/noise.ogg"))
    try await withServer(tracks: []) {
      $0.musicFolder = folder.path
      let clock = ManualWallClock()
      $0.wallClock = { clock.now }
    } _: { (server: ServerHarness) async throws in
      try folder.write("b.flac", try Fixture.bytes("audio/ruler.flac"))
      await server.server.rescan()
      #expect(await server.server.state()?.queue?.map(\.filename) == ["a.ogg", "b.flac"])
      unlink("\(folder.path)/a.ogg")
      await server.server.rescan()
      #expect(await server.server.state()?.queue?.map(\.filename) == ["b.flac"])
      #expect(await server.server.state()?.currentIndex == 0)
    }
  }

  @Test func `what people took out of the default channel stays out`() async throws {
    let folder = try TemporaryFolder()
    let database = try TemporaryFolder()
    try folder.write("a.ogg", try Fixture.bytes("audio/noise.ogg"))
    try folder.write("b.flac", try Fixture.bytes("audio/ruler.flac"))
    let configure: (inout ServerConfiguration) -> Void = {
      $0.musicFolder = folder.path
      $0.databasePath = "\(database.path)/room.db"
    }
    try await withServer(tracks: [], configure) { (server: ServerHarness) async throws in
      #expect(await server.server.edit(.remove([0])))
    }
    try folder.write("c.mp3", try Fixture.bytes("audio/noise-cbr.mp3"))
    try await withServer(tracks: [], configure) { (server: ServerHarness) async throws in
      let queue = await server.server.state()?.queue?.map(\.filename)
      #expect(queue == ["b.flac", "c.mp3"])
      let library: [Track] = try await server.send("GET", "/api/library").decode()
      #expect(library.count == 3)
    }
  }

  @Test func `a folder that isn't there is said`() async {
    let server = Server(ServerConfiguration(musicFolder: "/nowhere/at/all"))
    await #expect(throws: ServiceError.musicFolder(path: "/nowhere/at/all", code: ENOENT)) {
      try await server.start()
    }
    await server.stop()
  }
}
