import RoomClient
import RoomProtocol
import Testing

@testable import CommandLineFront

@Suite struct PlaylistLookupTests {
  private static let shelf = PlaylistShelf(
    mine: [
      Playlist(id: "p1", name: "Evening"), Playlist(id: "p2", name: "Evenings"),
      Playlist(id: "q1", name: "Morning"), Playlist(id: "p9", name: "Rain\u{1B}[2J"),
    ],
    shared: [
      Playlist(id: "s1", name: "evening"), Playlist(id: "s2", name: "Morning coffee"),
      Playlist(id: "p1", name: "Evening"), Playlist(id: "s3", name: "Noon"),
      Playlist(id: "s4", name: "Noon"),
    ])

  @Test(arguments: [
    ("p2", "p2"), ("Evening", "p1"), ("EVENINGS", "p2"), ("mor", "q1"), ("Morning c", "s2"),
    ("s1", "s1"), ("rain", "p9"),
  ])
  func `by id, name or beginning, one's own first`(text: String, id: String) throws {
    #expect(try Self.shelf.playlist(text).id.rawValue == id)
  }

  @Test(arguments: [
    ("even", FailureCode.ambiguous, "\"even\" fits 2 playlists"),
    ("noon", .ambiguous, "\"noon\" fits 2 playlists"),
    ("night", .notFound, "no playlist \"night\""), ("", .notFound, "no playlist \"\""),
  ])
  func `several or none are told`(text: String, code: FailureCode, message: String) {
    let error = #expect(throws: Diagnostic.self) { try Self.shelf.playlist(text) }
    #expect(error?.code == code)
    #expect(error?.message == message)
  }

  @Test func `the nearest is suggested, fit for a terminal`() {
    let near = #expect(throws: Diagnostic.self) { try Self.shelf.playlist("evning") }
    #expect(near?.hint == "did you mean Evening?")
    let empty = #expect(throws: Diagnostic.self) { try Self.shelf.playlist("") }
    #expect(empty?.hint?.hasPrefix("playlists are Evening") == true)
    let far = #expect(throws: Diagnostic.self) { try Self.shelf.playlist("xyzzy") }
    #expect(far?.hint?.contains("Rain\\x1b[2J") == true)
  }

  @Test func `a second playlist of one name is refused`() {
    for name in ["evening", " Evening ", "EVENINGS"] {
      #expect(throws: Diagnostic.self) { try Self.shelf.checkName(name, hint: "") }
    }
    #expect(throws: Never.self) { try Self.shelf.checkName("Noon", hint: "") }
    // One that is called so already may keep its name, or write it otherwise.
    #expect(throws: Never.self) { try Self.shelf.checkName("EVENING", of: "p1", hint: "") }
    #expect(throws: Diagnostic.self) { try Self.shelf.checkName("EVENING", of: "p2", hint: "") }
    for name in ["", " \t"] {
      #expect(throws: Diagnostic.self) { try GivenName.check(name) }
    }
  }

  @Test func `what programs read holds no token`() {
    let playlist = Playlist(id: "p", shareToken: "secret")
    #expect(playlist.json().description.contains("\"shared\": true"))
    #expect(!playlist.json().description.contains("secret"))
    let listing = PlaylistListing(playlist, nil)
    #expect(!(listing.json.description + listing.lines(on: nil).joined()).contains("secret"))
  }
}

@Suite struct PlaylistListingTests {
  private static let playlist = Playlist(
    id: "p", name: "Late\u{07}", description: "a\nb", ownerName: "ada", isPublic: true,
    shareToken: "t", trackIDs: ["a", "unknown\u{1B}", "a", "b"])
  private static let catalogue: [TrackID: Track] = [
    "a": Track(id: "a", title: "Around the World", artist: "Daft Punk", duration: 429),
    "b": Track(id: "b", title: "雪が降る", duration: nil, available: false),
  ]

  @Test func `titles come from the library, unknown ids stay ids`() {
    #expect(
      PlaylistListing(Self.playlist, Self.catalogue).lines(on: nil) == [
        "Late\\x07 (of ada, public, shared)", "a\\nb", "1   7:09  Daft Punk - Around the World",
        "2  --:--  unknown\\x1b", "3   7:09  Daft Punk - Around the World",
        "4  --:--  雪が降る (not available)", "4 tracks, 14:18, 1 not in the library",
      ])
  }

  @Test func `without a library there are the ids`() {
    let lines = PlaylistListing(Self.playlist, nil).lines(on: nil)
    #expect(lines[2] == "1  --:--  a")
    #expect(lines.last == "4 tracks")
  }

  @Test func `rows fit a narrow terminal`() {
    let terminal = Console.Terminal(columns: 24, rows: 10)
    let lines = PlaylistListing(Self.playlist, Self.catalogue).lines(on: terminal)
    for line in lines.dropFirst(2).dropLast() { #expect(Printable.width(line) <= 24, "\(line)") }
  }
}

@Suite struct ShareLinkTests {
  @Test(arguments: [
    ("abc", nil, "abc"), ("http://h/api/playlists/shared/abc", "http://h", "abc"),
    ("https://h:1/music/api/playlists/shared/a%2Fb?x#y", "https://h:1/music", "a/b"),
  ])
  func `a token alone, or at the end of an address`(
    text: String, server: String?, token: String
  ) throws {
    let link = try ShareLink.read(text)
    #expect(link.server == server)
    #expect(link.token == token)
  }

  @Test(arguments: [
    "http://h", "http://h/api/playlists/abc", "http://h/api/playlists/shared/",
    "http://h/playlists/shared/abc", "https://h/api/playlists/shared/%zz",
  ])
  func `another address is refused, and not repeated`(text: String) {
    let error = #expect(throws: Diagnostic.self) { try ShareLink.read(text) }
    #expect(error?.code == .usage)
    #expect(error?.message.contains(text) == false)
  }

  @Test func `what is printed is what is read`() throws {
    let link = ShareLink(server: try ServerAddress("http://localhost:3001/x/"), token: "a/b c")
    let read = try ShareLink.read(link.text)
    #expect(read.server == "http://localhost:3001/x")
    #expect(read.token == "a/b c")
  }
}
