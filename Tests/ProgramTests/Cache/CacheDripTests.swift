import RoomProtocol
import RoomServer
import TestSupport
import Testing

extension CacheEncounters {
  /// A track that comes at a byte a second while somebody listens.
  @Suite(.timeLimit(.minutes(3))) struct CacheDripTests {
    @Test func `a drip holds up neither what is cached nor the end`() async throws {
      let room = try await Room([("a.flac", "audio/ruler.flac"), ("b.flac", "audio/ruler.flac")])
      let home = try TemporaryFolder()
      let queue = try #require(await room.server.state()?.queue)
      let second = try #require(queue.last)
      let add = try await Program.run(
        ["cache", "add", second.id.rawValue, "--server", room.url], home: home)
      #expect(add.status == 0, "\(add)")
      var faults = Faults()
      faults.bytesPerSecond = 1
      await room.server.setFaults(faults)
      await room.server.control(.jump(index: 0))
      let program = try Program(room.listen("--json"), home: home)
      try await program.waitForOutput(#""event": "connected""#)
      try await program.waitForOutput(#""event": "download""#)
      // What is here plays at once, though the other still drips.
      await room.server.control(.jump(index: 1))
      try await program.waitForOutput(#""event": "started""#)
      await room.server.control(.jump(index: 0))
      try await Task.sleep(for: .milliseconds(500))
      #expect(program.isRunning)
      let sentAt = program.send(15)
      let outcome = try await program.end()
      #expect(outcome.status == 0, "\(outcome.errors)")
      print("ended after \(outcome.at - sentAt)")
      #expect(outcome.at - sentAt < .seconds(1))
      await room.stop()
    }
  }
}
