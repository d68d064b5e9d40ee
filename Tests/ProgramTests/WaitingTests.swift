import Glibc
import RoomProtocol
import RoomServer
import TestSupport
import Testing

/// A `listen` that waits for what waiting can heal, says so once, and goes on.
@Suite(.serialized, .timeLimit(.minutes(3))) struct WaitingTests {
  @Test func `a server that starts later is joined`() async throws {
    let stranger = try RawServer { _ in }
    stranger.stop()
    let port = stranger.port
    let program = try Program([
      "listen", "--server", "http://127.0.0.1:\(port)", "--output", "null",
    ])
    try await program.waitForOutput("it is tried again")
    let room = try await Room.ruler { $0.port = port }
    try await program.waitForOutput("joined Lobby")
    program.send(SIGTERM)
    let outcome = try await program.end()
    #expect(outcome.status == 0)
    #expect(outcome.output.split(separator: "\n").count { $0.contains("127.0.0.1:\(port)") } == 1)
    await room.stop()
  }

  @Test func `a device that is missing is told once, and the room is followed`() async throws {
    let room = try await Room([("a.flac", "audio/ruler.flac"), ("b.flac", "audio/ruler.flac")])
    let program = try Program(["listen", "--server", room.url, "--output", "alsa:nosuch"])
    try await program.waitForOutput("alsa:nosuch")
    try await program.waitForOutput("joined Lobby")
    await room.server.control(.jump(index: 1))
    try await program.waitForOutput("2. Blastoise")
    // Long enough for the first two tries more.
    try await Task.sleep(for: .milliseconds(1600))
    program.send(SIGTERM)
    let outcome = try await program.end()
    #expect(outcome.status == 0)
    let told = outcome.output + outcome.errors
    #expect(told.split(separator: "\n").count { $0.contains("nosuch") } == 1, "\(told)")
    #expect(told.contains("--output null"), "the way out")
    #expect(outcome.errors.isEmpty, "\(outcome.errors)")
    await room.stop()
  }

  @Test func `a kick ends it with the server's reason`() async throws {
    let room = try await Room.ruler()
    let program = try Program(room.listen())
    try await program.waitForOutput("joined Lobby")
    await room.server.broadcast(.kick(reason: "logged in \u{1B}[31melsewhere"))
    let outcome = try await program.end()
    #expect(outcome.status == 77)
    #expect(outcome.complaints.count == 2)
    #expect(outcome.errors.contains(#"logged in \x1b[31melsewhere"#))
    await room.stop()
  }

  @Test func `a wish that a guest types is refused at once`() async throws {
    let room = try await Room.ruler()
    let program = try Program(room.listen(), isTyped: true)
    try await program.waitForOutput("joined Lobby")
    try await program.waitForOutput("1. Blastoise")
    program.type("pause")
    try await program.waitForErrors("guests may only listen")
    program.send(SIGTERM)
    #expect(try await program.end().status == 0)
    await room.stop()
  }
}
