import Glibc
import RoomProtocol
import RoomServer
import TestSupport
import Testing

/// `library play` with the built program: by a listener that leaves its room, and without a server.
@Suite(.serialized, .timeLimit(.minutes(2))) struct LibraryPlayTests {
  private static let rulers = [
    (name: "a.flac", fixture: "audio/ruler.flac"), (name: "b.flac", fixture: "audio/ruler.flac"),
    (name: "c.flac", fixture: "audio/ruler.flac"),
  ]

  private func run(
    _ words: [String], _ home: TemporaryFolder, status: Int32 = 0
  ) async throws -> Program.Outcome {
    let outcome = try await Program.run(words, home: home)
    #expect(outcome.status == status, "\(words): \(outcome.output)\(outcome.errors)")
    return outcome
  }

  private func events(_ program: Program, _ name: String) throws -> [JSONLine] {
    try JSONLine.lines(of: program.output).filter { $0["event"]?.text == name }
  }

  @Test func `the listener leaves the room, the verbs are its own, and join leads back`()
    async throws
  {
    let room = try await Room(Self.rulers)
    let home = try TemporaryFolder()
    let listener = try Program(room.listen("--json"), home: home)
    try await listener.waitForOutput(#""event": "position""#)
    let before = try #require(await room.server.state())
    #expect(before.listenerCount == 1)
    let second = try #require(before.queue?[1].id.rawValue)
    // Each takes effect without asking the server: nobody is in the room meanwhile.
    for (words, answer) in [
      (["library", "play", second, "--server", room.url], "playing the library: "),
      (["next"], "at row 3: "), (["prev"], "at row 2: "), (["jump", "1"], "at row 1: "),
      (["seek", "0:40"], "at 0:40 of 0:50"), (["pause"], "paused the library"),
      (["mode", "shuffle"], "in shuffle"), (["toggle"], "playing the library"),
      (["status"], "not in sync with anyone"),
    ] {
      let outcome = try await run(words, home)
      #expect(outcome.output.contains(answer), "\(words): \(outcome.output)")
      #expect(await room.server.state()?.listenerCount == 0, "\(words)")
    }
    let state = try #require(await room.server.state())
    #expect(state.currentIndex == before.currentIndex && !state.paused)
    #expect(state.playbackMode == before.playbackMode)
    #expect(try events(listener, "source").map { $0["source"]?.text } == ["library"])

    let back = try await run(["join"], home)
    #expect(back.output.contains("listening to Lobby"))
    #expect(await room.server.state()?.listenerCount == 1)
    let places = try events(listener, "position").count
    try await eventually("it is in sync") {
      let later = try events(listener, "position").dropFirst(places)
      return later.contains { abs($0["drift_ms"]?.number ?? 1000) < 50 }
    }
    #expect(try events(listener, "source").last?["source"]?.text == "room")
    // Now the verbs are the room's again: a guest's are refused.
    let refused = try await run(["next"], home, status: 77)
    #expect(refused.errors.contains("guests"))
    await room.stop()
  }

  @Test func `the prompt knows it, and shows that nobody is in sync`() async throws {
    let room = try await Room(Self.rulers)
    let home = try TemporaryFolder()
    let listener = try Program(room.listen(), home: home, isTyped: true)
    try await listener.waitForOutput("joined Lobby")
    let last = try #require(await room.server.state()?.queue?.last?.id.rawValue)
    listener.type("library play \(last)")
    try await listener.waitForOutput("library, not in sync with anyone")
    try await listener.waitForOutput("playing the library: ")
    listener.type("next\nstatus")
    try await listener.waitForOutput("at row 1: ")
    listener.type("join")
    try await listener.waitForOutput("listening to Lobby")
    await room.stop()
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `what is cached plays without a server, and ends at a signal`(
    signal: Int32
  ) async throws {
    let room = try await Room(Self.rulers)
    let home = try TemporaryFolder()
    let words = ["library", "play", "--server", room.url, "--output", "null", "--json"]
    let first = try Program(words + ["--for", "3"], home: home)
    try await first.waitForOutput(#""event": "download""#)
    let outcome = try await first.end()
    #expect(outcome.status == 0, "\(outcome.errors)")
    await room.stop()
    let second = try Program(words + ["--cached"], home: home)
    try await second.waitForOutput(#""event": "started""#)
    let status = try await run(["status", "--json"], home)
    let seen = try #require(try JSONLine.lines(of: status.output).first)
    #expect(seen["source"]?.text == "library" && seen["connection"]?.text == "none")
    let join = try await run(["join"], home, status: 69)
    #expect(join.errors.contains("cannot reach"), "\(join.errors)")
    #expect(try await run(["status"], home).output.contains("not in sync with anyone"))
    let sentAt = second.send(signal)
    let end = try await second.end()
    #expect(end.status == 0, "\(end.errors)")
    // 300 ms is the figure to reach; a busy machine may add to it.
    #expect(end.at - sentAt < .seconds(1))
  }
}
