import FoundationEssentials
import Glibc
import RoomClient
import RoomProtocol
import TestSupport
import Testing
import Transport

/// What is heard of the built program: by itself, and between two of its processes.
@Suite(.serialized, .timeLimit(.minutes(3))) struct SoundTests {
  @Test func `the demo needs nothing and ends by itself`() async throws {
    let program = try Program(["demo", "--for", "2", "--output", "null"])
    let outcome = try await program.end()
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("joined Demo"))
    // Nothing of it stays: neither music nor a cache.
    let left = try FileManager.default.contentsOfDirectory(atPath: program.home.path)
    #expect(!left.contains { $0.hasPrefix("blastoise-demo-") }, "\(left)")
  }

  @Test func `the demo sounds`() async throws {
    let home = try TemporaryFolder()
    let outcome = try await Program.run(
      ["demo", "--for", "2", "--output", "wav:\(home.file("demo.wav"))"], home: home)
    #expect(outcome.status == 0)
    let recording = try Recording(home.file("demo.wav"))
    #expect(recording.hasSound)
    #expect(recording.frames > 44100)
  }

  @Test func `stdout carries frames and nothing else`() async throws {
    let room = try await Room.ruler()
    let events = try TemporaryFolder()
    let program = try Program(
      ["listen", "--server", room.url, "--output", "stdout", "--for", "2"]
        + ["--json", "--events", events.file("events")])
    try await program.wait("sound") { program in
      Recording(raw: program.outputBytes).hasSound
    }
    let end = try await program.end()
    #expect(end.status == 0)
    let recording = Recording(raw: program.outputBytes)
    let first = try #require((0..<recording.frames).first { recording.ruler(at: $0) != nil })
    // Past the fade at the start it is the ruler itself, frame after frame.
    for step in stride(from: 2000, to: 22050, by: 1000) {
      let (now, next) = (
        recording.ruler(at: first + step), recording.ruler(at: first + step + 100)
      )
      #expect(next == now.map { $0 + 100 })
    }
    // Paced: not much more than was heard in two seconds, start included.
    #expect(recording.frames < 44100 * 4)
    let told = String(
      decoding: try Fixture.bytes(at: events.file("events")), as: UTF8.self)
    #expect(try JSONLine.lines(of: told).contains { $0["event"]?.text == "started" })
    await room.stop()
  }

  @Test func `a pipe carries frames to its reader, who may come late`() async throws {
    let room = try await Room.ruler()
    let home = try TemporaryFolder()
    let path = home.file("pipe")
    let program = try Program(
      ["listen", "--server", room.url, "--output", "pipe:\(path)", "--for", "30"], home: home)
    try await program.waitForOutput("pipe:\(path)")
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    #expect(descriptor >= 0)
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65536)
    try await eventually("sound in the pipe") {
      let count = read(descriptor, &block, block.count)
      if count > 0 { bytes += block[..<count] }
      return bytes.contains { $0 != 0 }
    }
    program.send(SIGTERM)
    #expect(try await program.end().status == 0)
    await room.stop()
  }

  @Test func `listen plays what serve plays, at its moment`() async throws {
    let home = try TemporaryFolder()
    try Music.fill(home.file("music"), [("ruler.flac", "audio/ruler.flac")])
    let server = try Program(["serve", home.file("music"), "--port", "0", "--json"], home: home)
    try await server.waitForOutput("\n")
    let url = try #require(try JSONLine.lines(of: server.output).first?["url"]?.text)
    // A state that is late on a busy machine makes a late join: the best of three counts.
    var errors: [Double] = []
    repeat {
      errors.append(try await joinError(url, home))
    } while abs(errors[errors.count - 1]) >= 0.04 && errors.count < 3
    #expect(errors.contains { abs($0) < 0.04 }, "off by \(errors) s")
    server.send(SIGINT)
    #expect(try await server.end().status == 0)
  }

  /// How far what a listener hears is from the room, in seconds.
  private func joinError(_ url: String, _ home: TemporaryFolder) async throws -> Double {
    let path = home.file("heard.wav")
    let listener = try Program(
      ["listen", "--server", url, "--output", "wav:\(path)", "--json"], home: home)
    try await listener.waitForOutput(#""event": "position""#)
    let (position, wall) = try await roomPosition(url)
    try await Task.sleep(for: .milliseconds(400))
    listener.send(SIGTERM)
    let outcome = try await listener.end()
    #expect(outcome.status == 0)
    let device = try JSONLine.lines(of: outcome.output).first { $0["event"]?.text == "device" }
    let origin = try #require(device?["first_frame_at"]?.number)
    let heard = try Recording(path).ruler(at: Int((wall - origin) * 44100))
    return Double(try #require(heard)) / 44100 - position
  }

  /// The position of the server's room, and when it was so, in seconds since 1970.
  private func roomPosition(_ url: String) async throws -> (position: Double, wall: Double) {
    let session = try await ServerSession(
      server: try ServerAddress(url),
      configuration: TransportConfiguration(userAgent: "BlastoiseCLI/test"), store: nil)
    defer { session.shutdown() }
    let channel = try #require(try await session.api.channels().elements.first)
    let timed = try await session.api.channelState(channel.id)
    let middle = timed.sentAt + (timed.answeredAt - timed.sentAt) / 2
    let (seconds, attoseconds) = (ContinuousClock.now - middle).components
    let age = Double(seconds) + Double(attoseconds) / 1e18
    // The server's timestamp is floored to a millisecond.
    return (timed.state.currentTimestamp + 0.0005, Date().timeIntervalSince1970 - age)
  }
}
