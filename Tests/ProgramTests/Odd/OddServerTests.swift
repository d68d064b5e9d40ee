import TestSupport
import Testing

/// The program's commands against a server that answers in other ways than ours: what they do,
/// and how they end.
@Suite(.serialized, .timeLimit(.minutes(2))) struct OddServerTests {
  /// An odd server and a home whose session is ada's, or a guest's.
  private struct Visit {
    let server: OddServer
    let home: TemporaryFolder

    init(isGuest: Bool = false) async throws {
      server = try await OddServer()
      home = try TemporaryFolder()
      guard !isGuest else { return }
      let outcome = try await run("login", "ada")
      #expect(outcome.status == 0, "\(outcome.errors)")
    }

    func run(_ words: String...) async throws -> Program.Outcome {
      try await run(words)
    }

    func run(_ words: [String]) async throws -> Program.Outcome {
      try await Program.run(
        words + ["--server", server.url], home: home,
        variables: ["BLASTOISE_PASSWORD": "secret"])
    }

    /// Runs a command that must succeed without a complaint.
    @discardableResult
    func done(
      _ words: String..., location: SourceLocation = #_sourceLocation
    ) async throws -> String {
      let outcome = try await run(words)
      #expect(outcome.status == 0, "\(words): \(outcome.errors)", sourceLocation: location)
      #expect(failures(outcome).isEmpty, "\(words): \(outcome.errors)", sourceLocation: location)
      return outcome.output
    }

    /// Runs a command that must fail with one line and perhaps a hint.
    func refused(
      _ status: Int32, _ words: String..., saying text: String,
      location: SourceLocation = #_sourceLocation
    ) async throws {
      let outcome = try await run(words)
      #expect(outcome.status == status, "\(words): \(outcome.errors)", sourceLocation: location)
      #expect(outcome.output.isEmpty, "\(words)", sourceLocation: location)
      #expect(outcome.errors.contains(text), "\(outcome.errors)", sourceLocation: location)
      #expect(failures(outcome).count == 1, "\(outcome.errors)", sourceLocation: location)
      #expect(!outcome.errors.contains("<"), "\(outcome.errors)", sourceLocation: location)
    }

    /// The first letters of the songs in the queue.
    var queue: String? {
      get async { await server.room { room in Visit.letters(room.queue) } }
    }

    /// What is complained of; the other lines are a word to people.
    private func failures(_ outcome: Program.Outcome) -> [String] {
      outcome.complaints.filter { $0.hasPrefix("blastoise: ") }
    }

    static func letters(_ ids: [String]) -> String {
      ids.compactMap { $0.dropFirst(4).first.map(String.init) }.joined()
    }

    func end() { server.stop() }
  }

  @Test func `signing in and out, with a bare user and answers without a body`() async throws {
    let visit = try await Visit(isGuest: true)
    #expect(try await visit.done("whoami").contains("guest"))
    #expect(try await visit.done("login", "ada").contains("ada"))
    #expect(try await visit.done("whoami").contains("ada"))
    try await visit.done("logout")
    #expect(try await visit.done("whoami").contains("guest"))
    try await visit.refused(77, "login", "bob", saying: "nope")
    try await visit.refused(77, "signup", "bob", saying: "ask the owner for an account")
    visit.end()
  }

  @Test func `what a server says of itself under other names`() async throws {
    let visit = try await Visit(isGuest: true)
    let status = try #require(try JSONLine.lines(of: await visit.done("server", "--json")).first)
    #expect(status["guests"] == .bool(true))
    #expect(status["signups"] == .bool(false))
    #expect(status["imports"] == .bool(true))
    visit.end()
  }

  @Test func `rooms by numbers, one of them unreadable`() async throws {
    let visit = try await Visit(isGuest: true)
    let list = try await visit.run("channel", "list")
    #expect(list.output.contains("Main Hall"))
    #expect(list.output.contains("Side"))
    #expect(list.errors == "1 room could not be read\n")
    visit.end()
  }

  @Test func `rooms are made, renamed and deleted without a word of them`() async throws {
    let visit = try await Visit()
    #expect(try await visit.done("channel", "create", "Attic").contains("Attic"))
    #expect(await visit.server.room { $0.rooms.count } == 3)
    try await visit.done("channel", "edit", "Attic", "--name", "Loft")
    #expect(await visit.server.room { $0.rooms.values.contains("Loft") } == true)
    try await visit.done("channel", "delete", "Loft", "--yes")
    #expect(await visit.server.room { $0.rooms.count } == 2)
    try await visit.refused(64, "channel", "edit", "Side", "--name", "", saying: "blank")
    try await visit.refused(69, "channel", "delete", "Main", "--yes", saying: "not that one")
    visit.end()
  }

  @Test func `files are taken with a word of thanks`() async throws {
    let visit = try await Visit()
    let file = try visit.home.write("Fir.mp3", Fixture.bytes("audio/noise-cbr.mp3"))
    try await visit.done("upload", file)
    #expect(await visit.server.room { $0.songs.last?.title } == "Fir")
    _ = await visit.server.room { $0.failsOnce.insert("/api/upload") }
    try await visit.refused(69, "upload", file, saying: "Something broke")
    visit.end()
  }

  @Test func `the transport, with words and nothing for an answer`() async throws {
    let visit = try await Visit()
    #expect(try await visit.done("play").contains("Main Hall"))
    #expect(await visit.server.room { $0.isPaused } == false)
    try await visit.done("pause")
    #expect(await visit.server.room { $0.isPaused } == true)
    try await visit.done("seek", "0:12")
    #expect(await visit.server.room { $0.seconds } == 12)
    try await visit.done("next")
    #expect(await visit.server.room { $0.index } == 1)
    try await visit.done("jump", "elder")
    #expect(await visit.server.room { $0.index } == 4)
    try await visit.done("mode", "shuffle")
    #expect(await visit.server.room { $0.mode } == "shuffle")
    #expect(try await visit.done("mode") == "shuffle\n")
    visit.end()
  }

  @Test func `a listener plays there, and the verbs go through it`() async throws {
    let visit = try await Visit()
    _ = await visit.server.room { $0.isPaused = false }
    let listener = try Program(
      ["listen", "--server", visit.server.url, "--output", "null", "--json"], home: visit.home)
    try await listener.waitForOutput(#""event": "started""#)
    #expect(try await visit.done("status").contains("Amber"))
    try await visit.done("pause")
    #expect(await visit.server.room { $0.isPaused } == true)
    try await visit.done("queue", "remove", "2")
    #expect(await visit.queue == "ACDE")
    try await visit.done("jump", "3")
    #expect(await visit.server.room { $0.index } == 2)
    try await visit.done("play")
    try await listener.wait("the third plays") { $0.output.contains("Dogwood") }
    // This server moves no socket.
    try await visit.done("join", "Side")
    #expect(try await visit.done("status").contains("Side"))
    listener.send(15)
    let outcome = try await listener.end()
    #expect(outcome.status == 0)
    #expect(!outcome.output.contains("bug") && !outcome.errors.contains("bug"), "\(outcome)")
    visit.end()
  }

  @Test func `the queue, where removals and moves are read otherwise`() async throws {
    let visit = try await Visit()
    #expect(try await visit.done("queue", "list").contains("Cedar"))
    try await visit.done("queue", "remove", "2", "4", "1")
    #expect(await visit.queue == "CE")
    try await visit.done("queue", "add", "birch", "dogwood", "--at", "2")
    #expect(await visit.queue == "CBDE")
    try await visit.done("queue", "add", "amber", "--next")
    #expect(await visit.queue == "CABDE")
    // Down and up, one row and several.
    try await visit.done("queue", "move", "1", "--to", "4")
    #expect(await visit.queue == "ABDCE")
    try await visit.done("queue", "move", "2-3", "--to", "4")
    #expect(await visit.queue == "ACEBD")
    try await visit.done("queue", "move", "4-5", "--to", "1")
    #expect(await visit.queue == "BDACE")
    try await visit.done("queue", "crop")
    #expect(await visit.queue == "B")
    try await visit.done("queue", "clear", "--yes")
    #expect(await visit.queue == "")
    visit.end()
  }

  @Test func `refusals in plain text, pages and messages`() async throws {
    let visit = try await Visit()
    _ = await visit.server.room { $0.refusesEdits = true }
    try await visit.refused(69, "queue", "add", "@5", saying: "that does not work")
    #expect(await visit.queue == "ABCDE")
    visit.end()
    let guest = try await Visit(isGuest: true)
    try await guest.refused(77, "pause", saying: "guest")
    try await guest.refused(77, "playlist", "create", "Mine", saying: "members only")
    guest.end()
  }

  @Test func `a server that fails once is asked again`() async throws {
    let visit = try await Visit()
    for (path, words) in [
      ("/api/channels", ["channel", "list"]), ("/api/playlists", ["playlist", "list"]),
    ] {
      _ = await visit.server.room { $0.failsOnce.insert(path) }
      let failed = try await visit.run(words)
      #expect(failed.status == 69, "\(failed.errors)")
      #expect(failed.errors.contains("Something broke"), "\(failed.errors)")
      #expect((1...2).contains(failed.complaints.count))
      #expect(try await visit.run(words).status == 0)
    }
    visit.end()
  }

  @Test func `playlists, of which hardly an answer tells anything`() async throws {
    let visit = try await Visit()
    func songs(_ name: String) async -> String? {
      await visit.server.room { room in
        room.lists.values.first { $0.name == name }.map { Visit.letters($0.songs) }
      } ?? nil
    }
    try await visit.done("playlist", "create", "Trees")
    try await visit.done("playlist", "add", "Trees", "amber", "birch", "cedar", "elder")
    #expect(await songs("Trees") == "ABCE")
    try await visit.done("playlist", "move", "Trees", "1-2", "--to", "3")
    #expect(await songs("Trees") == "CEAB")
    try await visit.done("playlist", "remove", "Trees", "1", "3")
    #expect(await songs("Trees") == "EB")
    #expect(try await visit.done("playlist", "show", "Trees").contains("Elder"))
    try await visit.done("playlist", "edit", "Trees", "--name", "Woods", "--public")
    #expect(await visit.server.room { $0.lists.values.map(\.isPublic) } == [true])
    let shared = try await visit.done("playlist", "share", "Woods")
    #expect(shared.contains("tok-"))
    let token = try #require(await visit.server.room { $0.lists.values.first?.token } ?? nil)
    #expect(try await visit.done("playlist", "open", token).contains("Birch"))
    try await visit.refused(64, "playlist", "copy", token, saying: "\"Woods\" already")
    try await visit.done("playlist", "copy", token, "--name", "Copse")
    #expect(await visit.server.room { $0.lists.count } == 2)
    let number = try #require(
      await visit.server.room { room in room.lists.first { $0.value.token != nil }?.key } ?? nil)
    try await visit.done("playlist", "queue", "\(number)")
    #expect(await visit.queue == "ABCDEEB")
    try await visit.done("playlist", "delete", "\(number)", "--yes")
    #expect(await visit.server.room { $0.lists.count } == 1)
    try await visit.refused(66, "playlist", "open", "tok-0", saying: "No Such List")
    visit.end()
  }

  @Test func `imports without ids, in a list inside an object`() async throws {
    let visit = try await Visit()
    #expect(try await visit.done("fetch", "http://odd.test/fig").contains("Fig"))
    let two = try await visit.run("fetch", "http://odd.test/list", "--yes", "--queue")
    #expect(two.status == 0, "\(two.errors)")
    #expect(await visit.queue == "ABCDEGH")
    #expect(try await visit.done("fetch", "list").contains("Gum"))
    _ = await visit.server.room { room in
      room.jobs.append(OddRoom.Job(id: 99, title: "Iris", url: "http://odd.test/iris"))
    }
    try await visit.done("fetch", "cancel", "99")
    #expect(await visit.server.room { $0.jobs.last?.isCancelled } == true)
    try await visit.refused(69, "fetch", "ftp://odd.test/fig", saying: "no address")
    visit.end()
  }
}
