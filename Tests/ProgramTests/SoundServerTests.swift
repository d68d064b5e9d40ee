import Glibc
import TestSupport
import Testing

/// The program on ALSA, where a sound server of the test's own stands for a card.
@Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: SoundServer.isInstalled))
struct SoundServerTests {
  /// What `listen` reports of its position.
  private func reports(_ program: Program) throws -> [JSONLine] {
    try JSONLine.lines(of: program.output).filter { $0["event"]?.text == "position" }
  }

  private func listen(_ room: Room, _ output: String, on server: SoundServer) throws -> Program {
    try Program(
      ["listen", "--server", room.url, "--output", output, "--json"],
      variables: server.variables)
  }

  @Test(arguments: ["alsa:ear", "alsa:null"])
  func `a device is played to in real time, and its position is known`(
    output: String
  ) async throws {
    let home = try TemporaryFolder()
    let server = try await SoundServer(home)
    let room = try await Room.ruler()
    let program = try listen(room, output, on: server)
    // `null` takes frames as fast as they come: it is found out, and paced by our own clock.
    // On a busy machine it may take a splice or two until it is.
    try await program.wait("five positions in a row in time", .seconds(30)) {
      let drifts = try reports($0).dropFirst(7).suffix(5).compactMap {
        $0["drift_ms"]?.number
      }
      return drifts.count == 5 && drifts.allSatisfy { abs($0) < 20 }
    }
    let last = try reports(program).suffix(5)
    let (first, end) = (try #require(last.first), try #require(last.last))
    let moved = (end["position"]?.number ?? 0) - (first["position"]?.number ?? 0)
    let passed = (end["at"]?.number ?? 0) - (first["at"]?.number ?? 0)
    #expect(abs(moved - passed) < 0.04, "\(moved) s of sound in \(passed) s")
    program.send(SIGTERM)
    #expect(try await program.end().status == 0)
    await room.stop()
  }

  @Test func `a sound server that dies is told once, and the end does not wait for it`()
    async throws
  {
    let home = try TemporaryFolder()
    let server = try await SoundServer(home)
    let room = try await Room.ruler()
    let program = try listen(room, "alsa:ear", on: server)
    try await program.wait("positions") { try reports($0).count >= 2 }
    server.kill()
    try await program.waitForOutput("alsa:ear: ")
    try await Task.sleep(for: .seconds(2))
    let told = try JSONLine.lines(of: program.output).filter { $0["event"]?.text == "error" }
    // The write that failed, and that the server refuses since; each try is told no more.
    #expect((1...2).contains(told.count), "\(told)")
    let begin = program.send(SIGTERM)
    let outcome = try await program.end()
    #expect(outcome.status == 0)
    #expect(outcome.at - begin < .seconds(1))
    await room.stop()
  }
}
