import Glibc
import RoomClient
import RoomProtocol
import RoomServer
import TestSupport
import Testing

@testable import CommandLineFront

@Suite(.timeLimit(.minutes(3))) struct TrackChoiceTests {
  private static let tracks: [Track] = [
    made(1, "One More Time", artist: "Daft Punk", album: "Discovery", file: "track 10.mp3"),
    made(2, "Aerodynamic", artist: "Daft Punk", album: "Discovery", file: "track 2.mp3"),
    made(3, "Da Funk", artist: "Daft Punk", album: "Homework", file: "da.mp3"),
    made(4, "Time", artist: "Hans", album: "Disco", file: "time.mp3"),
    made(5, "Gone", artist: "Nobody", file: "gone.mp3", available: false),
  ]

  private static func made(
    _ number: Int, _ title: String, artist: String, album: String? = nil, file: String,
    available: Bool = true
  ) -> Track {
    Track(
      id: TrackID("sha256:\(number)2345" + String(repeating: "ab", count: 29) + "c"),
      filename: file, title: title, artist: artist, album: album, available: available)
  }

  /// Chooses as a command would; the queue's second row is "Time".
  private func choose(
    _ arguments: String..., options: [String: String] = [:], adding more: [Track] = [],
    cached: CachedIDs? = nil
  ) async throws -> [String]? {
    let folder = try TemporaryFolder()
    var titles: [String]?
    try await Shell.with(Self.tracks + more) { shell in
      let silence = open("/dev/null", O_WRONLY)
      defer { close(silence) }
      let invocation = Invocation(command: .queueAdd, operands: arguments, values: options)
      let context = try CommandContext(
        invocation: invocation, console: Console(output: silence, errors: silence),
        environment: [
          "XDG_STATE_HOME": folder.path, "XDG_CACHE_HOME": folder.path,
          "XDG_CONFIG_HOME": folder.path,
        ])
      let session = try await ServerSession(
        server: ServerAddress(shell.server.baseURL), configuration: context.transport, store: nil)
      let queue = QueueRows(tracks: [Self.tracks[0], Self.tracks[3]], currentIndex: 1)
      let choice = TrackChoice(context, of: session.server, on: session, cached: cached) { queue }
      do {
        if cached != nil {
          _ = try await context.library(of: session.server, on: session).refresh()
        }
        titles = try await choice.tracks(arguments) { "add \($0)" }?.map(\.displayTitle)
      } catch {
        await session.end()
        throw error
      }
      await session.end()
    }
    return titles
  }

  @Test(
    arguments: [
      ("aero", "Aerodynamic"), ("daft time", "One More Time"), ("time", "Time"),
      ("22345a", "Aerodynamic"), ("sha256:32345ab", "Da Funk"),
      ("SHA256".lowercased() + ":42345abab", "Time"),
      ("@current", "Time"), ("@1", "One More Time"), ("@last", "Time"),
    ])
  func `one argument is one track`(text: String, title: String) async throws {
    #expect(try await choose(text) == [title])
  }

  @Test(
    arguments: [
      ("aerodinamic", "did you mean Aerodynamic?"),
      ("one mroe time", "did you mean One More Time?"),
      ("xaft punk", nil), ("dft punk", "did you mean Daft Punk?"),
      ("pnuk", "did you mean Punk?"), ("nothing here", nil), ("", nil),
    ])
  func `the nearest title or artist is suggested`(text: String, hint: String?) async throws {
    let error = await #expect(throws: Diagnostic.self) { try await choose(text) }
    #expect(error?.code == .notFound)
    #expect(error?.hint == hint)
  }

  @Test(
    arguments: [
      ("daft", FailureCode.ambiguous), ("nothing here", .notFound), ("22345", .notFound),
      ("gone", .notFound), ("@7", .outOfRange), ("@x", .usage), ("", .notFound),
    ])
  func `what is not one track is refused`(text: String, code: FailureCode) async throws {
    let error = await #expect(throws: Diagnostic.self) { try await choose(text) }
    #expect(error?.code == code)
  }

  @Test func `arguments keep their order, and all must be found`() async throws {
    #expect(try await choose("@last", "aero", "da funk") == ["Time", "Aerodynamic", "Da Funk"])
    let error = await #expect(throws: Diagnostic.self) { try await choose("aero", "zzz") }
    #expect(error?.code == .notFound)
  }

  @Test(
    arguments: [
      (["album": "discovery"], ["Aerodynamic", "One More Time"]),
      (["artist": "Daft"], ["Da Funk", "Aerodynamic", "One More Time"]),
      (["artist": "daft punk", "album": "Homework"], ["Da Funk"]),
      (["match": "time"], ["Time", "One More Time"]),
      (["match": "time", "artist": "Daft Punk"], ["One More Time"]),
      (["match": "track"], ["Aerodynamic", "One More Time"]),
    ])
  func `options choose several, in natural order`(
    options: [String: String], titles: [String]
  ) async throws {
    #expect(try await choose(options: options) == titles)
  }

  @Test(
    arguments: [
      ([:], FailureCode.usage), (["album": "disc"], .ambiguous), (["album": "x"], .notFound),
      (["artist": "Hans", "album": "Homework"], .notFound), (["match": "zzz"], .notFound),
      (["artist": "Nobody"], .notFound), (["playlist": "none"], .notFound),
    ])
  func `options that find nothing are refused`(
    options: [String: String], code: FailureCode
  ) async throws {
    let error = await #expect(throws: Diagnostic.self) { try await choose(options: options) }
    #expect(error?.code == code)
  }

  @Test func `more than fifty are asked about`() async throws {
    let many = (10..<70).map {
      Self.made($0, "Piece \($0)", artist: "Band", album: "Long", file: "\($0).mp3")
    }
    let error = await #expect(throws: Diagnostic.self) {
      try await choose(options: ["album": "Long"], adding: many)
    }
    #expect(error?.code == .needsYes)
    #expect(error?.what.contains("add 60 tracks") == true)
    let chosen = try await choose(options: ["album": "Long", "yes": "1"], adding: many)
    #expect(chosen?.count == 60)
  }

  // MARK: - The cache

  /// What the cache has: "One More Time", "Time", and one that the library does not know.
  private static let kept: Set<TrackID> = [tracks[0].id, tracks[3].id, stranger]
  private static let stranger = TrackID("sha256:" + String(repeating: "f", count: 64))

  @Test(arguments: [
    ("daft", "One More Time"), ("time", "Time"), ("12345a", "One More Time"),
    ("ffffff", stranger.rawValue), (stranger.rawValue, stranger.rawValue), ("@last", "Time"),
  ])
  func `who looks after the cache means what is in it`(text: String, title: String) async throws {
    let cached = CachedIDs(ids: Self.kept, isOnly: true)
    #expect(try await choose(text, cached: cached) == [title])
  }

  @Test(arguments: ["aero", "22345a", "sha256:22345a", "zzz", "../../etc/passwd"])
  func `what is not in it is not found there`(text: String) async throws {
    let error = await #expect(throws: Diagnostic.self) {
      try await choose(text, cached: CachedIDs(ids: Self.kept, isOnly: true))
    }
    #expect(error?.code == .notFound)
  }

  @Test func `options choose among what is in it`() async throws {
    let cached = CachedIDs(ids: Self.kept, isOnly: true)
    for options in [["artist": "daft"], ["album": "Discovery"], ["match": "more"]] {
      #expect(try await choose(options: options, cached: cached) == ["One More Time"])
    }
    let everything = try await choose(options: ["library": "1"], cached: cached)
    #expect(everything == ["Time", "One More Time"])
    let error = await #expect(throws: Diagnostic.self) {
      try await choose(options: ["album": "Homework"], cached: cached)
    }
    #expect(error?.code == .notFound)
  }

  @Test func `who fills the cache may name a whole id that nobody knows`() async throws {
    let cached = CachedIDs(ids: ["odd"], isOnly: false)
    let id = "sha256:" + String(repeating: "0", count: 64)
    #expect(try await choose(id, "odd", "aero", cached: cached) == [id, "odd", "Aerodynamic"])
    for text in ["sha256:000000", String(repeating: "0", count: 64), "even"] {
      let error = await #expect(throws: Diagnostic.self) { try await choose(text, cached: cached) }
      #expect(error?.code == .notFound)
    }
  }
}
