import Glibc
import RoomProtocol
import RoomServer
import Storage
import TestSupport
import Testing

/// What commands make of answers that are wrong, late, cut short or lost.
///
/// One line, the right exit code, and nothing done twice or left unsaid. `ProtocolMatrixTests` tries a
/// page or a broken line at every endpoint.
@Suite(.timeLimit(.minutes(3))) struct BadAnswerTests {
  /// How an answer is bad, and what comes of it.
  struct Row: Sendable, CustomTestStringConvertible {
    var answer: Faults.BadAnswer
    var status: Int32
    var words: String

    init(_ answer: Faults.BadAnswer, _ status: Int32, _ words: String) {
      (self.answer, self.status, self.words) = (answer, status, words)
    }

    var testDescription: String { "\(answer)" }
  }

  private static let perhapsDone = "it may have been done all the same: look before you try again"
  private static let elsewhere = "http://portal.invalid/sign-in?from=us"

  static let rows = [
    Row(.page(500, title: "Oh no"), 69, "HTTP 500, Oh no"),
    Row(.page(200, title: "Hotel\n Wi-Fi"), 76, "a web page: Hotel Wi-Fi"),
    Row(.page(413, title: "Too much"), 65, "HTTP 413, Too much"),
    Row(.nothing(200), 76, "an empty answer"), Row(.nothing(204), 76, "an empty answer"),
    Row(.nothing(500), 69, "HTTP 500"), Row(.text(200, "thanks"), 76, "an answer of another shape"),
    Row(.text(422, "no \u{1B}[31mred\nlines"), 69, "no \\x1b[31mred\\nlines"),
    Row(.text(410, "gone"), 66, "gone"), Row(.text(412, "busy"), 75, "busy"),
    Row(.text(429, "slow down"), 75, "slow down"), Row(.status(403), 77, "failing on purpose"),
    Row(.redirect(302, to: elsewhere), 76, "points elsewhere: to http://portal.invalid/sign-in"),
    Row(.redirect(302, to: "channels"), 76, "redirects in circles"),
    Row(.half, 69, "broke"), Row(.hangUp, 69, "broke"), Row(.silence, 75, "--timeout"),
  ]

  @Test(arguments: rows)
  func `a list is asked for, and the answer is bad`(row: Row) async throws {
    let visit = try await BadVisit()
    await visit.answer(.channels, row.answer)
    for words in [["channel", "list"], ["channel", "list", "--json"]] {
      let outcome = try await visit.run(words + ["--timeout", "1"])
      #expect(outcome.status == row.status, "\(outcome.errors)")
      #expect(outcome.output.isEmpty)
      #expect(outcome.errors.replacing("\\\\", with: "\\").contains(row.words), "\(outcome.errors)")
      #expect(outcome.complaints.count { !$0.hasPrefix("hint: ") } == 1, "\(outcome.errors)")
    }
    await visit.recover()
    #expect(try await visit.run(["channel", "list"]).status == 0)
    await visit.stage.end()
  }

  @Test(arguments: [
    Row(.page(502, title: "Bad Gateway"), 69, "Bad Gateway"), Row(.half, 69, "broke"),
    Row(.hangUp, 69, "broke"), Row(.silence, 75, "--timeout"),
  ])
  func `a change whose answer is lost is made once, and what is not known is said`(
    row: Row
  ) async throws {
    let visit = try await BadVisit()
    for (endpoint, words) in [
      (Endpoint.createChannel, ["channel", "create", "Attic"]),
      (.createPlaylist, ["playlist", "create", "Evening"]),
    ] {
      await visit.answer(endpoint, row.answer, isDone: true)
      let outcome = try await visit.run(words + ["--timeout", "1"])
      await visit.recover()
      #expect(outcome.status == row.status, "\(outcome.errors)")
      #expect(outcome.output.isEmpty)
      let failures = outcome.complaints.filter { $0.hasPrefix("blastoise: cannot ") }
      #expect(failures.count == 1, "\(outcome.errors)")
      #expect(outcome.errors.contains(row.words), "\(outcome.errors)")
      #expect(outcome.complaints.last?.hasPrefix("hint: ") == true)
      #expect(outcome.complaints.last?.hasSuffix(Self.perhapsDone) == true, "\(outcome.errors)")
    }
    // Of the queue the room's own state tells.
    await visit.answer(.editQueue, row.answer, isDone: true)
    let added = try await visit.run(["queue", "add", "yuki", "--timeout", "1"])
    await visit.recover()
    // A proxy's word is an answer.
    let isLost = row.answer != .page(502, title: "Bad Gateway")
    #expect(added.status == (isLost ? 0 : 69), "\(added.errors)")
    let rooms = try await visit.run(["channel", "list"]).output
    #expect(rooms.split(separator: "\n").count { $0.contains("Attic") } == 1, "\(rooms)")
    let lists = try await visit.run(["playlist", "list"]).output
    #expect(lists.split(separator: "\n").count { $0.contains("Evening") } == 1, "\(lists)")
    #expect(await visit.stage.server.state()?.queue?.count == Stage.titles.count + 1)
    await visit.stage.end()
  }

  @Test func `of an edit in two steps the half that was made is said`() async throws {
    let visit = try await BadVisit()
    var faults = Faults()
    faults.failures = [
      .init(.editQueue, .nothing(204), isDone: true, .once), .init(.editQueue, .status(500)),
    ]
    await visit.stage.server.setFaults(faults)
    let before = await visit.stage.server.state()?.queue?.map(\.id)
    let outcome = try await visit.run(["queue", "move", "1", "6", "--to", "3"])
    #expect(outcome.status == 69, "\(outcome.errors)")
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains("only a part was done"), "\(outcome.errors)")
    #expect(outcome.errors.contains("blastoise queue list"), "\(outcome.errors)")
    #expect(await visit.stage.server.state()?.queue?.map(\.id) != before)
    await visit.stage.end()
  }

  @Test func `a playlist that could be made but not filled is said to be there`() async throws {
    let visit = try await BadVisit()
    let list = try visit.stage.home.write(
      "list.m3u8", Array("#EXTM3U\n#EXTINF:50,Night Ferry\nx\n".utf8))
    await visit.answer(.editPlaylistTracks, .page(500, title: "Oh no"))
    let outcome = try await visit.run(["playlist", "import", list, "--name", "Trip"])
    #expect(outcome.status == 69, "\(outcome.errors)")
    #expect(outcome.errors.contains("the playlist \"Trip\" is made, but"), "\(outcome.errors)")
    let saved = try await visit.run(["queue", "save", "Night"])
    #expect(saved.status == 69, "\(saved.errors)")
    #expect(saved.errors.contains("the playlist \"Night\" is made, but"), "\(saved.errors)")
    await visit.stage.end()
  }

  @Test func `of several files those that are too large are named, and the others go`()
    async throws
  {
    let visit = try await BadVisit()
    // The holes of a file take no room on the disk.
    let large = try visit.stage.home.write("large.mp3", [])
    #expect(truncate(large, 2_200_000_000) == 0)
    let sent = try visit.sound("sent.mp3")
    let outcome = try await visit.run(["upload", large, sent])
    #expect(outcome.status == 65, "\(outcome.errors)")
    #expect(outcome.output.contains("uploaded \(sent)"), "\(outcome.output)")
    #expect(outcome.errors.contains("cannot upload \(large): a file may have 512 MiB at most"))
    #expect(outcome.errors.contains("uploaded 1 of 2 files"), "\(outcome.errors)")
    // A proxy says it with a page, before it has read the file.
    await visit.answer(.upload, .page(413, title: "Request Entity Too Large"))
    let refused = try await visit.run(["upload", large])
    #expect(refused.status == 65, "\(refused.errors)")
    #expect(refused.complaints.count == 1, "\(refused.errors)")
    #expect(refused.errors.contains("Request Entity Too Large"), "\(refused.errors)")
    await visit.stage.end()
  }

  @Test
  func `a page in the place of a file's answer ends the uploads, of which none is said to be done`()
    async throws
  {
    let visit = try await BadVisit()
    let files = try ["one.mp3", "two.mp3"].map(visit.sound)
    await visit.answer(.upload, .page(200, title: "Hotel"))
    let outcome = try await visit.run(["upload"] + files)
    #expect(outcome.status == 76, "\(outcome.errors)")
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains("1 more file was not tried"), "\(outcome.errors)")
    await visit.recover()
    #expect(try await visit.run(["upload"] + files).status == 0)
    await visit.stage.end()
  }

  @Test func `a page in the place of a track is not kept, and the track is, once it comes`()
    async throws
  {
    let visit = try await BadVisit()
    await visit.answer(.track, .page(200, title: "Hotel"))
    let outcome = try await visit.run(["cache", "add", "ferry", "--retry", "0"])
    #expect(outcome.status == 75, "\(outcome.errors)")
    #expect(outcome.errors.contains("a web page"), "\(outcome.errors)")
    #expect(try await visit.run(["cache", "list", "--ids"]).output.isEmpty)
    await visit.recover()
    #expect(try await visit.run(["cache", "add", "ferry"]).status == 0)
    #expect(try await visit.run(["cache", "verify"]).status == 0)
    await visit.stage.end()
  }

  @Test func `a server that fails once and recovers loses nothing`() async throws {
    let visit = try await BadVisit()
    for (endpoint, words) in [
      (Endpoint.playlists, ["playlist", "list"]), (.me, ["whoami"]),
      (.library, ["library", "refresh"]),
      (.createChannel, ["channel", "create", "Attic"]), (.editQueue, ["queue", "add", "yuki"]),
    ] {
      await visit.answer(endpoint, .page(500, title: "Oh no"), .once)
      let failed = try await visit.run(words)
      #expect(failed.status == 69, "\(words): \(failed.errors)")
      #expect(failed.errors.contains("HTTP 500, Oh no"), "\(failed.errors)")
      let done = try await visit.run(words)
      #expect(done.status == 0, "\(words): \(done.errors)")
    }
    #expect(try await visit.run(["whoami"]).output.hasPrefix("ada"))
    await visit.stage.end()
  }

  @Test func `whoever guesses passwords has to wait, and is told so`() async throws {
    let visit = try await BadVisit { $0.loginBurst = 2 }
    func login(_ password: String) async throws -> Program.Outcome {
      try await Program.run(
        ["login", "ada", "--server", visit.stage.server.baseURL],
        variables: ["BLASTOISE_PASSWORD": password])
    }
    #expect(try await login("wrong").status == 77)
    #expect(try await login("secret").status == 0)
    for _ in 0..<2 { #expect(try await login("wrong").status == 77) }
    let outcome = try await login("secret")
    #expect(outcome.status == 75, "\(outcome.errors)")
    #expect(
      outcome.errors.hasPrefix(
        "blastoise: cannot sign in as ada: too many failed log-ins; try again"))
    // Whoever is signed in already does not notice.
    #expect(try await visit.run(["whoami"]).output.hasPrefix("ada"))
    await visit.stage.end()
  }
}

/// A stage on which ada is signed in, whose server answers badly where it is told to.
private struct BadVisit: Sendable {
  let stage: Stage

  init(change: (inout ServerConfiguration) -> Void = { _ in }) async throws {
    stage = try await Stage(["login"], change: change)
  }

  func run(_ words: [String]) async throws -> Program.Outcome {
    try await Program.run(words + ["--server", stage.server.baseURL], home: stage.home)
  }

  func answer(
    _ endpoint: Endpoint, _ answer: Faults.BadAnswer, isDone: Bool = false,
    _ repetition: Faults.Repetition = .always
  ) async {
    var faults = Faults()
    faults.failures = [.init(endpoint, answer, isDone: isDone, repetition)]
    await stage.server.setFaults(faults)
  }

  func recover() async { await stage.server.setFaults(Faults()) }

  /// A file that can be sent, with a sound of its own.
  func sound(_ name: String) throws -> String {
    try stage.home.write(name, Music.tag(name) + Fixture.bytes("audio/noise-cbr.mp3"))
  }
}
