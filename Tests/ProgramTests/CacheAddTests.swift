import Glibc
import RoomProtocol
import RoomServer
import Storage
import TestSupport
import Testing

/// `cache add` against a server that runs: stopped, killed, refused, and shown on a terminal.
@Suite(.timeLimit(.minutes(3))) struct CacheAddTests {
  /// A server with a track of 294 kB a name, and a home that has its library.
  private func withRoom(
    _ names: [String] = ["one", "two", "three"],
    _ body: (Room, TemporaryFolder) async throws -> Void
  ) async throws {
    let room = try await Room([])
    do {
      let home = try TemporaryFolder()
      try await Self.fill(room.server, room.folder, names)
      let refresh = try await Program.run(
        ["library", "refresh", "--server", room.url, "-q"], home: home)
      #expect(refresh.status == 0, "\(refresh.errors)")
      try await body(room, home)
    } catch {
      await room.stop()
      throw error
    }
    await room.stop()
  }

  private static func fill(
    _ server: Server, _ folder: TemporaryFolder, _ names: [String]
  ) async throws {
    var tracks: [Track] = []
    var files: [TrackID: String] = [:]
    for name in names {
      let bytes = try Music.tag(name) + Fixture.bytes("audio/ruler.flac")
      let path = folder.file("\(name).flac")
      try Music.write(bytes, to: path)
      let id = TrackID("sha256:" + ContentHash.digest(of: bytes.prefix(65536)).hex)
      tracks.append(Track(id: id, filename: "\(name).flac", title: name, duration: 50))
      files[id] = path
    }
    await server.add(tracks, files: files)
  }

  private func add(_ room: Room, _ more: String...) -> [String] {
    ["cache", "add", "--server", room.url] + more
  }

  private func slow(_ room: Room, _ bytesPerSecond: Int?) async {
    var faults = Faults()
    faults.bytesPerSecond = bytesPerSecond
    await room.server.setFaults(faults)
  }

  /// What `cache list --json` says, a line a track.
  private func listing(_ room: Room, _ home: TemporaryFolder) async throws -> [JSONLine] {
    let list = try await Program.run(
      ["cache", "list", "--json", "--server", room.url], home: home)
    #expect(list.status == 0, "\(list.errors)")
    return try JSONLine.lines(of: list.output)
  }

  private func state(_ line: JSONLine) -> String { line["state"]?.text ?? "" }

  /// Waits until something of a track is here, but not all.
  private func waitForPart(_ room: Room, _ home: TemporaryFolder) async throws {
    try await eventually("a part is here") {
      try await listing(room, home).contains { $0["bytes"]?.number ?? 0 > 0 }
    }
  }

  // MARK: - Stopped

  @Test func `Ctrl-C says what is here, and the same command goes on`() async throws {
    try await withRoom { room, home in
      await slow(room, 20_000)
      let program = try Program(add(room, "--queue"), home: home)
      try await waitForPart(room, home)
      let sent = program.send(SIGINT)
      let outcome = try await program.end()
      #expect(outcome.status == 130)
      #expect(outcome.at - sent < .seconds(1))
      #expect(outcome.errors.contains("stopped: 0 of 3 tracks here"), "\(outcome.errors)")
      let parts = try await listing(room, home)
      #expect(!parts.isEmpty)
      #expect(parts.allSatisfy { state($0) == "incomplete" }, "\(parts)")
      await slow(room, nil)
      let rest = try await Program.run(add(room, "--queue"), home: home)
      #expect(rest.status == 0, "\(rest.errors)")
      #expect(rest.output.hasSuffix("cached 3 tracks (883 kB)\n"), "\(rest.output)")
    }
  }

  @Test func `a kill costs nothing, and is not taken for a download`() async throws {
    try await withRoom { room, home in
      await slow(room, 20_000)
      let program = try Program(add(room, "--queue"), home: home)
      try await waitForPart(room, home)
      #expect(try await listing(room, home).contains { state($0) == "downloading" })
      program.send(SIGKILL)
      _ = try await program.end()
      #expect(try await listing(room, home).allSatisfy { state($0) == "incomplete" })
      await slow(room, nil)
      let rest = try await Program.run(add(room, "--queue", "--json"), home: home)
      #expect(rest.status == 0, "\(rest.errors)")
      for name in ["one", "two", "three"] {
        let path = try await Program.run(["cache", "path", name, "--server", room.url], home: home)
        let bytes = try Fixture.bytes(at: String(path.output.dropLast()))
        #expect(try bytes == Music.tag(name) + Fixture.bytes("audio/ruler.flac"))
      }
      let check = try await Program.run(["cache", "verify", "--server", room.url], home: home)
      #expect(check.output.contains("all as they came"), "\(check.output)")
    }
  }

  @Test func `at its time it ends with what is here`() async throws {
    try await withRoom { room, home in
      await slow(room, 5000)
      let outcome = try await Program.run(add(room, "--queue", "--until", "1s"), home: home)
      #expect(outcome.status == 75)
      #expect(outcome.output.contains("3 still missing: not tried to the end"), "\(outcome.output)")
    }
  }

  // MARK: - Failures

  @Test func `what may still come is 75, what is lost 65, who is not let in 77`() async throws {
    try await withRoom { room, home in
      var faults = Faults()
      faults.failures = [.init(path: "/api/tracks/", status: 503, .always)]
      await room.server.setFaults(faults)
      let later = try await Program.run(add(room, "--queue", "--retry", "0", "--json"), home: home)
      #expect(later.status == 75)
      let lines = try JSONLine.lines(of: later.output)
      #expect(lines.count == 4)
      #expect(lines.dropLast().allSatisfy { state($0) == "missing" })
      #expect(lines.last?["missing"] == .number(3))
      #expect(later.errors.contains(#""code": "incomplete""#))

      faults.failures = [.init(path: "/api/tracks/", status: 404, .always)]
      await room.server.setFaults(faults)
      let never = try await Program.run(add(room, "--queue"), home: home)
      #expect(never.status == 65)
      #expect(never.output.contains("3 can't be had: the server does not have it"))

      faults.failures = [.init(path: "/api/tracks/", status: 401, .always)]
      await room.server.setFaults(faults)
      let refused = try await Program.run(add(room, "--queue"), home: home)
      #expect(refused.status == 77, "\(refused.errors)")
    }
  }

  @Test func `forever waits for a server that fails`() async throws {
    try await withRoom { room, home in
      var faults = Faults()
      faults.failures = [.init(path: "/api/tracks/", status: 503, .always)]
      await room.server.setFaults(faults)
      let program = try Program(add(room, "--queue", "--retry", "forever"), home: home)
      try await program.waitForErrors("again in")
      await room.server.setFaults(Faults())
      let outcome = try await program.end()
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output.contains("cached 3 tracks"))
    }
  }

  @Test func `a dead server is named where something must be fetched, and not where all is here`()
    async throws
  {
    try await withRoom { room, home in
      // The address is the server's no more once it has stopped.
      let (one, two) = (add(room, "one"), add(room, "two", "--retry", "0"))
      #expect(try await Program.run(one, home: home).status == 0)
      await room.stop()
      let again = try await Program.run(one, home: home)
      #expect(again.status == 0, "\(again.errors)")
      #expect(again.output == "it is here already\n")
      let other = try await Program.run(two, home: home)
      #expect(other.status == 75)
      #expect(other.output.contains("1 still missing: the server can't be reached"))
    }
  }

  @Test func `what will not fit is said before the first byte`() async throws {
    try await withRoom { room, home in
      let limit = ["BLASTOISE_CACHE_MAX_SIZE": "400k"]
      let asked = try await Program.run(add(room, "--queue"), home: home, variables: limit)
      #expect(asked.status == 64)
      #expect(
        asked.errors.contains("these take 883 kB more, and there is room for 400 kB"),
        "\(asked.errors)")
      #expect(try await listing(room, home).isEmpty)
      let outcome = try await Program.run(
        add(room, "--queue", "--yes", "--parallel", "1"), home: home, variables: limit)
      #expect(outcome.status == 73)
      // The first stays: nothing that was asked for goes for the rest.
      #expect(outcome.output.contains("cached 1 track (294 kB)"), "\(outcome.output)")
      #expect(outcome.output.contains("2 did not fit: no room is left"), "\(outcome.output)")
    }
  }

  // MARK: - On a terminal

  @Test func `on a terminal there is a bar a track and one for all, and they go`() async throws {
    try await withRoom { room, home in
      await slow(room, 20_000)
      let program = try TerminalProgram(add(room, "--queue"), home: home)
      try await program.wait("no bars") { lines in
        lines.contains { $0.hasPrefix("one  ") && $0.contains("%") && !$0.contains(" 0 %") }
          && lines.contains { $0.hasPrefix("two  ") }
          && lines.last?.hasPrefix("0 of 3 tracks") == true
      }
      program.type("\u{3}")
      try await program.wait(for: "stopped: 0 of 3 tracks here")
      #expect(try await program.end() == 130)
      #expect(!program.lines.contains { $0.contains("%") }, "\(program.lines)")
      await slow(room, nil)
      let rest = try TerminalProgram(add(room, "--queue"), home: home)
      try await rest.wait(for: "cached 3 tracks")
      #expect(try await rest.end() == 0)
      #expect(rest.lines == ["cached 3 tracks (883 kB)"], "\(rest.lines)")
    }
  }

  // MARK: - Following

  @Test func `a queue that is followed stays cached as it changes`() async throws {
    try await withRoom { room, home in
      await room.server.control(.pause)
      let program = try Program(add(room, "--follow"), home: home)
      try await program.waitForOutput(#"cached "three""#)
      try await Self.fill(room.server, room.folder, ["four"])
      try await program.waitForOutput(#"cached "four""#)
      await room.server.dropSockets()
      try await program.waitForErrors("lost the room")
      try await Self.fill(room.server, room.folder, ["five"])
      try await program.waitForOutput(#"cached "five""#)
      program.send(SIGINT)
      let outcome = try await program.end()
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
  }

  @Test func `where a listener is in the room, it is followed through it`() async throws {
    try await withRoom { room, home in
      await room.server.control(.pause)
      let listener = try Program(room.listen("--json"), home: home)
      try await listener.waitForOutput(#""queue""#)
      let program = try Program(add(room, "--follow"), home: home)
      // The first two are the listener's own affair: who comes first fetches them.
      try await program.waitForOutput(#"cached "three""#)
      #expect(await room.server.state()?.listenerCount == 1)
      try await Self.fill(room.server, room.folder, ["four"])
      try await program.waitForOutput(#"cached "four""#)
      program.send(SIGTERM)
      #expect(try await program.end().status == 0)
      listener.send(SIGTERM)
      _ = try await listener.end()
    }
  }

  // MARK: - Hostile

  @Test func `ids are opaque, whatever they look like`() async throws {
    try await withRoom([]) { room, home in
      let path = Fixture.path("audio/noise.ogg")
      // What has a slash or is a dot the room server takes for another path.
      let kept = ["\u{1B}[2J", "%00", "x?y#z", "-rf"]
      let lost = ["../../../etc/passwd", "a/b", ".."]
      let tracks = (kept + lost).map {
        Track(id: TrackID($0), filename: "x.ogg", title: "T\u{1B}[31m")
      }
      await room.server.add(
        tracks, files: Dictionary(uniqueKeysWithValues: tracks.map { ($0.id, path) }))
      let outcome = try await Program.run(add(room, "--queue"), home: home)
      #expect(outcome.status == 65)
      #expect(outcome.output.contains("3 can't be had: the server does not have it"))
      #expect(!outcome.output.contains("\u{1B}"))
      #expect(try await listing(room, home).count == kept.count)
      // Equal content is one file, named by its digest alone.
      let names = try Folder.names(in: home.file("cache/blastoise/tracks"))
      #expect(names.count == 1 && names[0].utf8.count == 64, "\(names)")
      for id in kept {
        let path = try await Program.run(
          ["cache", "path", "--server", room.url, "--", id], home: home)
        #expect(path.output == home.file("cache/blastoise/tracks/\(names[0])") + "\n", "\(id)")
      }
      let long = String(repeating: "x", count: 10_000)
      for words in [["path", long], ["show", long], ["add", long], ["remove", "--yes", long]] {
        let refused = try await Program.run(
          ["cache"] + words + ["--server", room.url], home: home)
        #expect(refused.status == 66, "\(words[0])")
      }
    }
  }
}
