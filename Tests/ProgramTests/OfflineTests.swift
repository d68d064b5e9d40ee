import Glibc
import RoomProtocol
import RoomServer
import Storage
import TestSupport
import Testing

/// What the program does from the disk alone: with no server, and with a disk that refuses.
@Suite(.serialized, .timeLimit(.minutes(3))) struct OfflineTests {
  private static let tracks = [("a.flac", "audio/ruler.flac"), ("b.flac", "audio/ruler.flac")]

  private func room(_ change: (inout ServerConfiguration) -> Void = { _ in }) async throws -> Room {
    try await Room(Self.tracks.map { (name: $0.0, fixture: $0.1) }, change: change)
  }

  /// Runs a command of somebody who is signed in.
  private func run(_ words: [String], _ home: TemporaryFolder) async throws -> Program.Outcome {
    try await Program.run(words, home: home, variables: ["BLASTOISE_PASSWORD": "secret"])
  }

  @Test func `kept playlists are shown without the server, and not edited`() async throws {
    let room = try await room()
    let home = try TemporaryFolder()
    let server = ["--server", room.url]
    for words in [["signup", "ada"], ["playlist", "create", "Evening", "@last", "@current"]] {
      let outcome = try await run(words + server, home)
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    let shown = try await run(["playlist", "show", "Evening"] + server, home)
    let found = try await run(["library", "search", "ruler"] + server, home)
    let exported = try await run(["playlist", "export", "Evening"] + server, home)
    await room.stop()
    for (words, before) in [(["show", "Evening"], shown), (["export", "Evening"], exported)] {
      let outcome = try await run(["playlist"] + words + server, home)
      #expect(outcome.status == 0)
      #expect(outcome.output == before.output)
      #expect(outcome.complaints.count == 1)
      #expect(outcome.errors.hasPrefix("the server can't be reached: playlists as of "))
    }
    let again = try await run(["library", "search", "ruler"] + server, home)
    #expect(again.output == found.output && !found.output.isEmpty && again.errors.isEmpty)
    let list = try await run(["playlist", "list", "--json"] + server, home)
    let answer = try JSONLine(list.output)
    #expect(answer["as_of"]?.number ?? 0 > 1_700_000_000)
    #expect(list.output.hasPrefix(#"{"mine": [{"id": ""#) && list.output.contains("Evening"))
    for words in [["delete", "Evening", "--yes"], ["add", "Evening", "b"]] {
      #expect(try await run(["playlist"] + words + server, home).status == 69)
    }
    // Somebody else's are none of ours.
    let elsewhere = ["playlist", "list", "--server", "http://127.0.0.1:1"]
    #expect(try await run(elsewhere, home).status == 69)
  }

  @Test func `a listener without its server says what is cached`() async throws {
    let room = try await room()
    let home = try TemporaryFolder()
    let words = room.listen()
    let first = try Program(words + ["--json"], home: home)
    try await first.wait("two tracks") { $0.output.split(separator: #""finished""#).count == 3 }
    try await stop(first)
    await room.stop()
    let second = try Program(words, home: home)
    try await second.waitForOutput("meanwhile: 2 tracks are cached, blastoise library play")
    let status = try JSONLine(try await run(["status", "--json"], home).output)
    #expect(status["connection"]?.text == "connecting")
    #expect(status["outage"]?["cached"]?.number == 2)
    let text = try await run(["status"], home).output
    #expect(text.contains("trying again") && text.contains("2 tracks are cached"))
    let back = try await self.room { $0.port = room.port }
    try await second.waitForOutput("joined Lobby")
    try await stop(second)
    #expect(second.output.split(separator: "\n").count { $0.contains("are cached") } == 1)
    await back.stop()
  }

  @Test(arguments: [false, true])
  func `with the server killed the track plays on`(isCached: Bool) async throws {
    let home = try TemporaryFolder()
    try Music.fill(home.file("music"), [("a.flac", "audio/ruler.flac")])
    let server = try Program(["serve", home.file("music"), "--port", "0"])
    try await server.waitForOutput("serving at http://")
    let url = try #require(server.output.firstMatch(of: /http:\/\/[0-9.:]+/)).output
    let words = ["listen", "--server", String(url), "--output", "null", "--json"]
    if isCached {
      let first = try Program(words, home: home)
      try await first.waitForOutput(#""finished""#)
      try await stop(first)
    }
    let listener = try Program(words, home: home)
    try await listener.waitForOutput(#""event": "position""#)
    if !isCached { try await listener.waitForOutput(#""finished""#) }
    server.send(SIGKILL)
    _ = try await server.end()
    try await listener.waitForOutput(#""event": "disconnected""#)
    let before = try positions(listener).last ?? 0
    try await listener.wait("two seconds more") { try (positions($0).last ?? 0) > before + 2 }
    #expect(!listener.output.contains(#""starved""#))
    try await stop(listener)
  }

  @Test func `a signal ends it with the next track on its way`() async throws {
    let room = try await room {
      // The first takes a second, so does the second.
      $0.faults.bytesPerSecond = 300_000
    }
    let listener = try Program(room.listen("--json"))
    try await listener.wait("the second download") {
      $0.output.split(separator: #""state": "started""#).count == 3
    }
    let sentAt = listener.send(SIGTERM)
    let outcome = try await listener.end()
    #expect(outcome.status == 0)
    print("with a prefetch: ended after \(outcome.at - sentAt)")
    #expect(outcome.at - sentAt < .seconds(1))
    await room.stop()
  }

  /// What keeps the cache from keeping.
  enum Refusal: String, CaseIterable, Sendable {
    case noFolder, newerIndex
  }

  @Test(arguments: Refusal.allCases)
  func `where nothing can be kept it is said once, and all plays`(refusal: Refusal) async throws {
    let room = try await room()
    let home = try TemporaryFolder()
    let cache = home.file("cache")
    switch refusal {
    case .noFolder: try Music.write([1], to: cache)
    case .newerIndex:
      try Folder.create("\(cache)/blastoise")
      let index = try SQLiteConnection(path: "\(cache)/blastoise/index.db")
      try index.execute("PRAGMA user_version = 99")
    }
    let listener = try Program(room.listen(), home: home)
    try await listener.waitForOutput("tracks can't be kept: ")
    for row in [1, 0, 1] {
      await room.server.control(.jump(index: row))
      try await listener.wait("row \(row + 1)") { program in
        let status = try await Program.run(["status", "--json"], home: home).output
        let answer = try JSONLine(status)
        return answer["index"]?.number == Double(row) && answer["position"]?.number ?? 0 > 0.2
      }
    }
    try await stop(listener)
    let told = (listener.output + listener.errors).split(separator: "\n")
    #expect(told.count { $0.contains("can't be kept") } == 1, "\(told)")
    await room.stop()
  }

  private func positions(_ program: Program) throws -> [Double] {
    try JSONLine.lines(of: program.output).filter { $0["event"]?.text == "position" }
      .compactMap { $0["position"]?.number }
  }

  private func stop(_ program: Program) async throws {
    program.send(SIGTERM)
    #expect(try await program.end().status == 0)
  }
}
