import FoundationEssentials
import Glibc
import RoomProtocol
import RoomServer
import TestSupport
import Testing

/// SIGINT, SIGTERM and SIGHUP end the program quickly, whatever it is at.
@Suite(.serialized, .timeLimit(.minutes(3))) struct EndingTests {
  /// What a run is at when the signal comes.
  enum Situation: String, CaseIterable, Sendable {
    case demo, serving, playing, paused, recording, deadServer, blackHole, missingDevice
  }

  private struct Standing {
    var program: Program
    var room: Room?
    var stranger: RawServer?
  }

  private func reach(_ situation: Situation) async throws -> Standing {
    switch situation {
    case .demo:
      let program = try Program(["demo", "--output", "null", "--json"])
      try await program.waitForOutput(#""event": "started""#)
      return Standing(program: program)
    case .serving:
      let program = try Program(["serve", Fixture.path("audio"), "--port", "0"])
      try await program.waitForOutput("serving at http://")
      return Standing(program: program)
    case .playing, .paused, .recording:
      let room = try await Room.ruler()
      if situation == .paused { await room.server.control(.pause) }
      let home = try TemporaryFolder()
      let output = situation == .recording ? "wav:\(home.file("x.wav"))" : "null"
      let program = try Program(
        ["listen", "--server", room.url, "--output", output, "--json"], home: home)
      try await program.waitForOutput(
        situation == .paused ? #""event": "state""# : #""event": "position""#)
      return Standing(program: program, room: room)
    case .deadServer:
      let port = try RawServer { _ in }
      port.stop()
      let program = try Program([
        "listen", "--server", "http://127.0.0.1:\(port.port)", "--output", "null", "--json",
      ])
      try await program.waitForOutput(#""event": "disconnected""#)
      return Standing(program: program)
    case .blackHole:
      // Takes every connection and says nothing.
      let hole = try RawServer { $0.waitForEnd() }
      let program = try Program([
        "listen", "--server", "http://127.0.0.1:\(hole.port)", "--output", "null",
      ])
      try await program.wait("a connection") { _ in hole.connectionCount > 0 }
      return Standing(program: program, stranger: hole)
    case .missingDevice:
      let room = try await Room.ruler()
      let program = try Program([
        "listen", "--server", room.url, "--output", "alsa:nosuch", "--json",
      ])
      try await program.waitForOutput("alsa:nosuch")
      return Standing(program: program, room: room)
    }
  }

  @Test(arguments: Situation.allCases, [SIGTERM, SIGINT, SIGHUP])
  func `a signal ends it`(situation: Situation, signal: Int32) async throws {
    let standing = try await reach(situation)
    let sentAt = standing.program.send(signal)
    let outcome = try await standing.program.end()
    #expect(outcome.status == 0, "\(outcome.errors)")
    let took = outcome.at - sentAt
    print("\(situation.rawValue), signal \(signal): ended after \(took)")
    // 300 ms is the figure to reach (docs/measurements.md); a busy machine may add to it.
    #expect(took < .seconds(1))
    if situation == .recording { try checkRecording(of: standing.program) }
    if situation == .demo, took < .milliseconds(250) {
      // Later than that it was cut short, and could not tidy up.
      let left = try FileManager.default.contentsOfDirectory(atPath: standing.program.home.path)
      #expect(!left.contains { $0.hasPrefix("blastoise-demo-") }, "\(left)")
    }
    standing.stranger?.stop()
    await standing.room?.stop()
  }

  private func checkRecording(of program: Program) throws {
    let recording = try Recording(program.home.file("x.wav"))
    #expect(recording.hasSound)
    let header = try Fixture.bytes(at: program.home.file("x.wav"))[40..<44]
    let length = header.reversed().reduce(0) { $0 << 8 | Int($1) }
    #expect(length == recording.samples.count * 2, "the header does not know the length")
  }

  @Test func `timeout(1) signals twice, and a recording is finished all the same`() async throws {
    let standing = try await reach(.recording)
    standing.program.send(SIGTERM)
    standing.program.send(SIGTERM)
    #expect(try await standing.program.end().status == 0)
    try checkRecording(of: standing.program)
    await standing.room?.stop()
  }

  @Test func `a second signal ends it at once`() async throws {
    let program = try Program(["demo", "--output", "null", "--json"])
    try await program.waitForOutput(#""event": "started""#)
    program.send(SIGINT)
    let sentAt = program.send(SIGINT)
    let outcome = try await program.end()
    #expect(outcome.status == 0)
    #expect(outcome.at - sentAt < .seconds(1))
  }

  @Test func `a reader who goes away ends it`() async throws {
    let room = try await Room.ruler()
    for words in [room.listen("--json"), ["demo", "--output", "null"]] {
      let script = #"program=$1; shift; "$program" "$@" | head -n 1"#
      let program = try Program(
        ["-c", script, "sh", Program.path] + words, program: "/bin/sh")
      let outcome = try await program.end()
      #expect(outcome.output.split(separator: "\n").count == 1)
      #expect(!outcome.errors.contains("cannot write"))
    }
    await room.stop()
  }

  @Test func `events that nobody reads any more end at the next`() async throws {
    let room = try await Room.ruler()
    let listener = try Program(room.listen("--json"))
    try await listener.waitForOutput(#""event": "started""#)
    let script = #""$1" events | head -n 1"#
    let program = try Program(
      ["-c", script, "sh", Program.path], home: listener.home, program: "/bin/sh")
    var count = 0
    try await program.wait("its end") { _ in
      count += 1
      await room.server.broadcast(.toast(message: "the kettle boils \(count)", kind: "info"))
      return !program.isRunning
    }
    let output = try await program.end().output
    #expect(output.hasPrefix("the kettle boils"))
    #expect(output.split(separator: "\n").count == 1)
    await room.stop()
  }

  @Test func `quit at the prompt ends it, the end of input does not`() async throws {
    let room = try await Room.ruler()
    let program = try Program(room.listen("--json"), isTyped: true)
    try await program.waitForOutput(#""event": "started""#)
    program.type("quit")
    #expect(try await program.end().status == 0)
    // Without input, as under systemd, it plays on.
    let other = try Program(room.listen("--json", "--for", "1"))
    let outcome = try await other.end()
    #expect(outcome.status == 0)
    #expect(outcome.output.contains(#""event": "position""#))
    await room.stop()
  }
}
