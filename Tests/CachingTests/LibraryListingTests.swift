import Glibc
import RoomProtocol
import Storage
import Synchronization
import Testing
import TestSupport

@testable import Caching

@Suite struct LibraryListingTests {
  private let folder: TemporaryFolder
  private let listing: LibraryListing
  private let clock = ManualClock()

  init() throws {
    folder = try TemporaryFolder()
    listing = LibraryListing(folder: folder.path, server: "http://a", now: clock.read)
  }

  private func refresh(_ tracks: [Track]) async throws -> LibraryRefresh {
    try await listing.refresh(by: try TextFetcher(tracks))
  }

  @Test func `before the first refresh there is nothing`() async throws {
    #expect(try await listing.stamp() == nil)
    #expect(try await listing.tracks().isEmpty)
    #expect(try await listing.search("a").isEmpty)
  }

  @Test func `tracks come back as they were, in natural order`() async throws {
    let odd = Track(
      id: "no hash/at all", filename: "Track 3", title: "\u{1b}[2J", replayGainDB: -7.5,
      replayPeak: 0.9, available: false)
    let capitals = Track(id: TrackID("sha256:" + String(repeating: "AB", count: 32)))
    let tracks = [.made(1, file: "track 10"), .made(2, "Two", file: "Track 2"), odd, capitals]
    let refresh = try await refresh(tracks)
    #expect(refresh.new == 4)
    #expect(refresh.count == 4)
    #expect(try await listing.tracks() == [capitals, tracks[1], odd, tracks[0]])
    #expect(
      try await listing.tracks([odd.id, "x", capitals.id]) == [odd.id: odd, capitals.id: capitals])
    #expect(try await listing.stamp()?.checked == 0)
    #expect(try await listing.stamp()?.count == 4)
  }

  @Test func `a refresh counts what is new, gone and changed`() async throws {
    _ = try await refresh([.made(1, "One"), .made(2, "Two"), .made(3, "Three")])
    clock.set(10)
    let refresh = try await refresh([.made(3, "Three"), .made(2, "Deux"), .made(4, "Quatre")])
    #expect((refresh.new, refresh.gone, refresh.changed, refresh.count) == (1, 1, 1, 3))
    #expect(try await listing.search("two").isEmpty)
    #expect(try await listing.search("one").isEmpty)
    #expect(try await listing.search("deux").map(\.id) == [Track.made(2).id])
    #expect(try await listing.search("three").count == 1)
    #expect(try await listing.stamp()?.changed == 10)
  }

  @Test func `the same bytes write nothing but the time`() async throws {
    let tracks = (0..<200).map { Track.made($0, "Title \($0)") }
    _ = try await refresh(tracks)
    let before = try size("-wal")
    clock.set(99)
    let refresh = try await refresh(tracks)
    #expect((refresh.new, refresh.gone, refresh.changed, refresh.count) == (0, 0, 0, 200))
    #expect(try await listing.stamp()?.checked == 99)
    #expect(try await listing.stamp()?.changed == 0)
    #expect(try size("-wal") <= before + 4 * 4120)
  }

  @Test func `a tag that the server knows again saves the listing`() async throws {
    _ = try await listing.refresh(by: try TextFetcher([.made(1, "One")], tag: "\"v1\""))
    clock.set(7)
    var silent = TextFetcher("", tag: "\"v1\"")
    silent.breaks = true
    let refresh = try await listing.refresh(by: silent)
    #expect(refresh.count == 1)
    #expect(try await listing.stamp()?.checked == 7)
    #expect(try await listing.search("one").count == 1)
  }

  @Test func `a body cut at every place gives the same rows`() async throws {
    let tracks = [Track.made(1, "a\"b"), .made(2, "東京"), .made(3, nil, album: "]},{")]
    let text = String(decoding: try WireJSON.encode(tracks), as: UTF8.self)
    for length in 1...40 {
      let listing = LibraryListing(folder: folder.path, server: "\(length)")
      _ = try await listing.refresh(by: TextFetcher(text, pieceLength: length))
      #expect(try await listing.tracks() == tracks, "in pieces of \(length)")
    }
  }

  @Test func `one bad element does not lose the list`() async throws {
    let text = #"[{"id":"a","title":"One"}, {"title":"no id"}, 7, {"id":"b"}, {"id":"a"}]"#
    let refresh = try await listing.refresh(by: TextFetcher(text))
    #expect((refresh.count, refresh.unreadable) == (2, 2))
    // Of two with one id the first counts.
    #expect(try await listing.search("one").map(\.id) == ["a"])
  }

  @Test(
    arguments: [
      ("<html>", false), ("", false), ("[{\"id\":\"b\"}", false), ("[{\"id\":\"b\"}", true),
      ("[{\"id\":\"b\"}]", true), ("[1, 2]", false), ("{\"error\":\"no\"}", false),
      ("[{\"id\":\"b\"}] x", false),
    ])
  func `what is no whole listing leaves the old one`(text: String, breaks: Bool) async throws {
    _ = try await refresh([.made(1, "One")])
    await #expect(throws: (any Error).self) {
      try await listing.refresh(by: TextFetcher(text, breaks: breaks))
    }
    #expect(try await listing.tracks() == [.made(1, "One")])
    #expect(try await listing.search("one").count == 1)
    // And the next one succeeds.
    #expect(try await refresh([.made(2)]).new == 1)
  }

  @Test func `an empty library is a listing`() async throws {
    _ = try await refresh([.made(1, "One")])
    #expect(try await refresh([]).gone == 1)
    #expect(try await listing.tracks().isEmpty)
    #expect(try await listing.stamp()?.count == 0)
  }

  @Test func `readers see the old listing until the new one is whole`() async throws {
    _ = try await refresh((0..<50).map { .made($0, "Old") })
    let listing = listing
    let asked = Mutex<[Int]>([])
    let fetcher = AskingFetcher(
      bytes: try WireJSON.encode((100..<150).map { Track.made($0, "New") })
    ) {
      let count = try await listing.search("old").count
      asked.withLock { $0.append(count) }
    }
    let refresh = try await listing.refresh(by: fetcher)
    #expect((refresh.new, refresh.gone) == (50, 50))
    #expect(asked.withLock { $0 } == [50, 50, 50, 50])
    #expect(try await listing.search("new").count == 50)
  }

  @Test func `two refreshes at once both succeed`() async throws {
    let tracks = (0..<300).map { Track.made($0, "Title \($0)") }
    let other = LibraryListing(folder: folder.path, server: "http://a")
    let fetcher = try TextFetcher(tracks)
    async let first = listing.refresh(by: fetcher)
    async let second = other.refresh(by: fetcher)
    let counts = try await [first.new, second.new]
    #expect(counts.sorted() == [0, 300])
    #expect(try await other.tracks().count == 300)
  }

  @Test func `a refresh under way elsewhere is not waited for without patience`() async throws {
    _ = try await refresh([])
    let name = try #require(try Folder.names(in: folder.file("libraries")).first)
    let lock = try FileLock(ifFree: folder.file("libraries/\(name.prefix(32)).db.lock"))
    #expect(lock != nil)
    let fetcher = try TextFetcher([Track]())
    await #expect(throws: LibraryError.busy) {
      try await listing.refresh(by: fetcher, patience: .zero)
    }
    withExtendedLifetime(lock) {}
  }

  @Test func `servers have listings of their own`() async throws {
    let other = LibraryListing(folder: folder.path, server: "http://b")
    _ = try await refresh([.made(1, "One")])
    #expect(try await other.search("one").isEmpty)
  }

  @Test func `a damaged file is made anew`() async throws {
    _ = try await refresh([.made(1, "One")])
    let name = try #require(
      try Folder.names(in: folder.file("libraries")).first { $0.hasSuffix(".db") })
    let broken = LibraryListing(folder: folder.file("second"), server: "http://a")
    try folder.write("second/libraries/\(name)", Array("no database, but long enough".utf8))
    #expect(try await broken.stamp() == nil)
    #expect(try await broken.refresh(by: try TextFetcher([.made(1, "One")])).new == 1)
  }

  @Test func `a listing of an older program is read on, in its order`() async throws {
    let tracks: [Track] = [
      .made(1, "One", file: "track 10"), .made(2, "Two", file: "Track 2"),
      .made(3, "Three", file: "a"),
    ]
    try Folder.create(folder.file("libraries"))
    let path = await listing.path
    do {
      let old = try SQLiteConnection(
        path: path, migrations: Array(ListingDatabase.schema.prefix(2)))
      for (row, track) in tracks.enumerated() {
        try old.run(
          """
          INSERT INTO track (row, id, filename, title, duration, available, natural)
          VALUES (?, ?, ?, ?, ?, 1, '')
          """, row + 7, ListingDatabase.stored(track.id), track.filename, track.title,
          track.duration)
        try old.run(
          "INSERT INTO search (rowid, title, filename) VALUES (?, ?, ?)", row + 7, track.title,
          track.filename)
      }
      try old.run(
        "INSERT INTO listing (server, checked, changed, count) VALUES ('http://a', 1, 1, 3)")
    }
    #expect(try await listing.stamp()?.count == 3)
    #expect(try await listing.tracks() == [tracks[2], tracks[1], tracks[0]])
    #expect(try await listing.search("tr") == [tracks[1], tracks[0]])
    // And from the next refresh on the order is kept.
    #expect(try await refresh(tracks).changed == 0)
    #expect(try ListingOrder.isKept(in: SQLiteConnection(path: path)))
    #expect(try await listing.search("tr") == [tracks[1], tracks[0]])
  }

  @Test func `what is added by itself takes its place in the order`() async throws {
    _ = try await refresh([.made(1, "One", file: "1"), .made(3, "Three", file: "3")])
    try await listing.add([.made(2, "Two", file: "2"), .made(3, "Three", file: "0")])
    #expect(try await listing.tracks().map(\.filename) == ["0", "1", "2"])
    #expect(try await listing.stamp()?.count == 3)
    #expect(try await listing.search("two").count == 1)
  }

  @Test func `elements are put into another order where they lie`() {
    var random = SeededGenerator(seed: 8)
    for count in 0..<30 {
      let sources = (0..<count).shuffled(using: &random)
      var names = (0..<count).map { "element number \($0)" }
      let wanted = sources.map { names[$0] }
      names.rearrange(sources)
      #expect(names == wanted)
    }
  }

  @Test func `random libraries end up as the server has them`() async throws {
    var random = SeededGenerator(seed: 77)
    let words = ["Around", "the", "World", "Zoë", "東京", "事変", "100%", "!!!", "AC/DC"]
    for _ in 0..<12 {
      let numbers = (0..<60).shuffled(using: &random).prefix(Int.random(in: 0...60, using: &random))
      let tracks = numbers.map { number in
        Track.made(
          number, words.randomElement(using: &random), artist: words.randomElement(using: &random),
          file: "\(words.randomElement(using: &random) ?? "") \(number)")
      }
      _ = try await refresh(tracks)
      #expect(Set(try await listing.tracks()) == Set(tracks))
      for word in words {
        let fits = tracks.filter {
          "\($0.title ?? "") \($0.artist ?? "") \($0.filename)".contains(word)
        }
        #expect(Set(try await listing.search(word).map(\.id)) == Set(fits.map(\.id)), "\(word)")
      }
    }
  }

  private func size(_ suffix: String) throws -> Int64 {
    let names = try Folder.names(in: folder.file("libraries"))
    let name = try #require(names.first { $0.hasSuffix(".db\(suffix)") })
    return try OpenFile(folder.file("libraries/\(name)")).length()
  }
}

/// A wall clock that a test sets.
final class ManualClock: Sendable {
  private let time = Mutex(0.0)
  var read: @Sendable () -> Double { { [self] in time.withLock { $0 } } }
  func set(_ value: Double) { time.withLock { $0 = value } }
}

/// A fetcher that does something else between its four pieces.
private struct AskingFetcher: LibraryFetcher {
  var bytes: [UInt8]
  var ask: @Sendable () async throws -> Void

  func fetch(unless tag: String?, into feed: ListingFeed) async throws -> LibraryAnswer {
    let quarter = bytes.count / 4 + 1
    for start in stride(from: 0, to: bytes.count, by: quarter) {
      _ = bytes[start..<min(start + quarter, bytes.count)].withUnsafeBytes(feed.receive)
      try await ask()
    }
    return .whole(tag: nil)
  }
}
