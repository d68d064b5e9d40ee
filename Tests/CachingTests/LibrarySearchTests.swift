import Caching
import RoomProtocol
import Testing
import TestSupport

@Suite struct LibrarySearchTests {
  private let folder: TemporaryFolder
  private let listing: LibraryListing

  private static let tracks: [Track] = [
    .made(0xabc123, "Around the World", artist: "Daft Punk", album: "Homework", file: "07.mp3"),
    .made(0xabc124, "World", artist: "Zoë", album: "Nuit", file: "08.mp3"),
    .made(3, "One More Time", artist: "Daft Punk", album: "Discovery", file: "d/Track 10.mp3"),
    .made(4, "Aerodynamic", artist: "Daft Punk", album: "Discovery", file: "d/Track 2.mp3"),
    .made(5, "群青日和", artist: "東京事変", album: "教育", file: "tokyo.flac"),
    .made(6, "Ｐｅｒｆｅｃｔ", artist: "Röyksopp", album: "Ænima", file: "p.flac"),
    .made(7, "Hell's Bells", artist: "AC/DC", file: "bells \"live\".ogg"),
    .made(8, "Pardon", artist: "!!!", file: "chk.ogg"),
    .made(9, nil, artist: "MØ", file: "Straße (final) world tour.ogg"),
    .made(10, "เพลงรัก", artist: "한국가수", file: "thai.ogg"),
  ]

  init() throws {
    folder = try TemporaryFolder()
    listing = LibraryListing(folder: folder.path, server: "http://a")
  }

  private func found(_ words: String) async throws -> [String] {
    _ = try await listing.refresh(by: try TextFetcher(Self.tracks))
    return try await listing.search(words).map(\.filename)
  }

  @Test(
    arguments: [
      ("around world", ["07.mp3"]), ("WORLD AROUND", ["07.mp3"]), ("aro wor", ["07.mp3"]),
      ("daft discovery", ["d/Track 2.mp3", "d/Track 10.mp3"]), ("zoe", ["08.mp3"]),
      ("ZOË", ["08.mp3"]), ("zoe\u{308}", ["08.mp3"]), ("群青", ["tokyo.flac"]),
      ("事変", ["tokyo.flac"]), ("変", ["tokyo.flac"]), ("東京 教育", ["tokyo.flac"]),
      ("京東", []), ("royksopp", ["p.flac"]), ("perfect", ["p.flac"]), ("ａｅｎｉｍａ", ["p.flac"]),
      ("ac/dc", ["bells \"live\".ogg"]), ("ac dc", ["bells \"live\".ogg"]),
      ("\"live\"", ["bells \"live\".ogg"]), ("hell's", ["bells \"live\".ogg"]),
      ("!!!", ["chk.ogg"]),
      ("pardon !!!", ["chk.ogg"]), ("pardon ???", []),
      ("mø tour", ["Straße (final) world tour.ogg"]),
      ("mo tour", ["Straße (final) world tour.ogg"]),
      ("strasse", ["Straße (final) world tour.ogg"]),
      ("tour.ogg", ["Straße (final) world tour.ogg"]),
      ("รัก", ["thai.ogg"]), ("국가", ["thai.ogg"]), ("nothing", []), ("", []), ("   ", []),
      ("AND OR NOT", []), ("title:world", []),
      ("wor*", ["08.mp3", "07.mp3", "Straße (final) world tour.ogg"]),
      ("a\u{0}b", []), ("NEAR(a b)", []),
      ("^world", ["08.mp3", "07.mp3", "Straße (final) world tour.ogg"]),
    ])
  func `all words must be there, from their beginning`(words: String, files: [String]) async throws
  {
    #expect(try await found(words) == files)
  }

  @Test func `titles come before artists, albums and file names`() async throws {
    #expect(
      try await found("world") == ["08.mp3", "07.mp3", "Straße (final) world tour.ogg"])
    #expect(try await listing.search("world", limit: 1).map(\.filename) == ["08.mp3"])
  }

  @Test func `the place of all words decides, then the files' order`() async throws {
    let tracks: [Track] = [
      .made(1, "Blue", artist: "Moon", file: "1"), .made(2, "x", album: "Blue Moons", file: "2"),
      .made(3, "x", artist: "Moony Blues", file: "3"), .made(4, "Moon of Blue", file: "4"),
      .made(5, "Once in a Blue Moon", file: "5"), .made(6, "Blues Moon", file: "6"),
      .made(7, "blue moon", file: "7"), .made(8, "BLUE MOON", file: "6b"),
      .made(9, "x", file: "blue/moon"), .made(10, "Blue Moonlight", file: "0"),
      .made(11, "blue moon!", file: "8"), .made(12, "Blue Sun", file: "9"),
    ]
    _ = try await listing.refresh(by: try TextFetcher(tracks))
    let found = try await listing.search("blue moon").map(\.filename)
    #expect(found == ["6b", "7", "0", "6", "8", "4", "5", "3", "2", "1", "blue/moon"])
    for limit in 0...12 {
      let first = try await listing.search("blue moon", limit: limit).map(\.filename)
      #expect(first == Array(found.prefix(limit)))
    }
    #expect(
      try await listing.search("blue moon", inOrder: true).map(\.filename)
        == ["0", "1", "2", "3", "4", "5", "6", "6b", "7", "8", "blue/moon"])
    #expect(try await listing.search("moon !").map(\.filename) == ["8"])
  }

  @Test func `a hash is found by its beginning`() async throws {
    _ = try await listing.refresh(
      by: try TextFetcher(Self.tracks + [Track(id: "abc12f"), Track(id: "sha256:abc12e")]))
    #expect(try await listing.tracks(hashBeginning: "abc123").map(\.filename) == ["07.mp3"])
    #expect(try await listing.tracks(hashBeginning: "abc12").count == 4)
    #expect(try await listing.tracks(hashBeginning: "abc12f").map(\.id) == ["abc12f"])
    #expect(try await listing.tracks(hashBeginning: "zz").isEmpty)
    #expect(
      try await listing.tracks(hashBeginning: String(repeating: "f", count: 65)).isEmpty)
  }

  @Test func `albums and artists are listed once and chosen whole`() async throws {
    _ = try await found("")
    #expect(try await listing.albums().count == 5)
    #expect(try await listing.artists().first == "!!!")
    let tracks = try await listing.tracks(album: "Discovery", artist: "Daft Punk")
    #expect(tracks.map(\.filename) == ["d/Track 2.mp3", "d/Track 10.mp3"])
    #expect(try await listing.tracks(album: nil, artist: "Daft Punk").count == 3)
    #expect(try await listing.tracks(album: "Discovery", artist: "Zoë").isEmpty)
  }
}
