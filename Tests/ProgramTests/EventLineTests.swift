import Glibc
import RoomProtocol
import RoomServer
import TestSupport
import Testing

/// What `listen` prints, for programs and for people.
@Suite(.timeLimit(.minutes(3))) struct EventLineTests {
  @Test func `each event is one line of JSON with its documented keys`() async throws {
    let documented = try DocumentedEvents.keys()
    #expect(documented.count > 15)
    let room = try await Room([("a.flac", "audio/ruler.flac"), ("b.flac", "audio/ruler.flac")])
    await room.server.add([Track(id: "lost", filename: "lost.mp3", duration: 50)])
    let server = room.server
    let program = try Program(room.listen("--json"))
    try await program.waitForOutput(#""event": "started""#)
    try await program.waitForOutput(#""event": "position""#)
    await server.control(.seek(timestamp: 30))
    try await program.waitForOutput(#""event": "seek""#)
    await server.broadcast(.toast(message: "hello", kind: "info"))
    await server.broadcast(.scanProgress(scanning: true, processed: 1, total: 2))
    await server.sendText(#"{"type": "fetch_progress", "id": "1", "status": "x", "progress": 0.5}"#)
    await server.control(.jump(index: 2))
    try await program.waitForOutput(#""event": "error""#)
    await server.dropSockets(code: 1012)
    try await program.waitForOutput(#""event": "disconnected""#)
    program.send(SIGTERM)
    let outcome = try await program.end()
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)
    var seen: Set<String> = []
    for line in try JSONLine.lines(of: outcome.output) {
      let event = try #require(line["event"]?.text)
      seen.insert(event)
      let keys = try #require(documented[event], "\(event) is not documented")
      let own = line.keys.subtracting(["event", "at"])
      // Where an error is about no track, it names none.
      #expect(own == keys || event == "error" && own == ["message"], "\(event): \(own)")
      #expect(abs((line["at"]?.number ?? 0) - Double(time(nil))) < 60)
    }
    let expected: Set = [
      "connected", "disconnected", "channels", "track", "state", "queue", "position", "started",
      "seek", "download", "device", "scan", "toast", "fetch", "error",
    ]
    #expect(expected.subtracting(seen) == [])
    await room.stop()
  }

  @Test func `people read a line an event, and nothing twice`() async throws {
    let room = try await Room([("a.flac", "audio/ruler.flac"), ("b.flac", "audio/ruler.flac")])
    let server = room.server
    let program = try Program(room.listen())
    try await program.waitForOutput("1. Blastoise - Ruler (0:50)\n")
    await server.control(.pause)
    try await program.waitForOutput("paused at ")
    await server.control(.unpause)
    try await program.waitForOutput("goes on at ")
    await server.control(.jump(index: 1))
    try await program.waitForOutput("2. Blastoise - Ruler (0:50)\n")
    program.send(SIGTERM)
    let outcome = try await program.end()
    #expect(outcome.status == 0)
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("joined Lobby as guest-") } == 1)
    #expect(lines.count == 5, "\(outcome.output)")
    await room.stop()
  }

  @Test func `a queue of 10,000 rows takes little memory`() async throws {
    let room = try await Room.ruler()
    let program = try Program(room.listen("--json"))
    try await program.waitForOutput(#""event": "position""#)
    await room.server.add(
      (0..<10_000).map { row in
        Track(
          id: TrackID("row-\(row)"), filename: "row \(row).flac", title: "A title, number \(row)",
          artist: "Some artist", album: "Some album", duration: 200)
      })
    try await program.waitForOutput(#""event": "queue", "at""#)
    try await program.wait("10,001 rows") { $0.output.contains(#""length": 10001"#) }
    let status = String(
      decoding: try Fixture.bytes(at: "/proc/\(program.pid)/status"), as: UTF8.self)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    let kilobytes = try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first)
    print("10,001 rows: \(kilobytes) kB resident in a debug build")
    #expect(try #require(Int(kilobytes)) < 200_000)
    program.send(SIGTERM)
    #expect(try await program.end().status == 0)
    await room.stop()
  }

  @Test func `whoever reads standard output and goes away ends the sound`() async throws {
    let room = try await Room.ruler()
    let home = try TemporaryFolder()
    let command = """
      "\(Program.path)" listen --server \(room.url) --output stdout 2>"\(home.file("errors"))" \
      | head -c 50000 >/dev/null; echo "${PIPESTATUS[0]}"
      """
    let shell = try Program(["-c", command], home: home, program: "/bin/bash")
    let outcome = try await shell.end()
    #expect(outcome.output == "74\n")
    let errors = String(decoding: try Fixture.bytes(at: home.file("errors")), as: UTF8.self)
    #expect(errors.contains("blastoise: cannot write stdout: broken pipe\n"))
    #expect(!errors.contains("tried again"))
    await room.stop()
  }
}
