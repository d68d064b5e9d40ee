import Control
import Glibc
import RoomClient
import RoomProtocol
import RoomServer
import Synchronization
import Storage
import TestSupport
import Testing
import Transport

/// A running `listen`, and the verbs that go through its control socket.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ListenerControlTests {
  /// A home where ada is signed in.
  private func signedIn(_ room: Room) async throws -> TemporaryFolder {
    try await room.server.createUser("ada", password: "secret")
    let home = try TemporaryFolder()
    try await login(room, home)
    return home
  }

  private func login(_ room: Room, _ home: TemporaryFolder) async throws {
    let outcome = try await Program.run(
      ["login", "ada", "--server", room.url], home: home,
      variables: ["BLASTOISE_PASSWORD": "secret"])
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  private func events(_ program: Program, _ name: String) throws -> [JSONLine] {
    try JSONLine.lines(of: program.output).filter { $0["event"]?.text == name }
  }

  private func listen(_ room: Room, _ home: TemporaryFolder) async throws -> Program {
    let program = try Program(room.listen("--json"), home: home)
    try await program.waitForOutput(#""event": "queue""#)
    return program
  }

  @Test func `verbs go through the listener: no request, no socket of their own`() async throws {
    let requests = Mutex<[String]>([])
    let room = try await Room([("a.flac", "audio/ruler.flac"), ("b.flac", "audio/ruler.flac")]) {
      $0.isVerbose = true
      $0.log = { line in requests.withLock { $0.append(line) } }
    }
    let home = try await signedIn(room)
    let listener = try await listen(room, home)
    try await listener.waitForOutput(#""event": "position""#)
    let before = requests.withLock { $0.count }
    #expect(before > 0)
    // Neither does another configured server lead elsewhere: the listener's room is meant.
    for (words, answer) in [
      (["pause"], "paused Lobby for 1 listener"), (["pause"], "Lobby is paused already"),
      (["play"], "playing Lobby for 1 listener"), (["toggle"], "paused Lobby"),
      (["seek", "0:20"], "Lobby is at 0:20 of 0:50"), (["next"], "Lobby is at row 2"),
      (["prev"], "Lobby is at row 1"), (["jump", "2"], "Lobby is at row 2"),
      (["mode"], "repeat-all"), (["queue", "list"], "rev "), (["status"], "listening: yes"),
    ] {
      let outcome = try await Program.run(words, home: home)
      #expect(outcome.status == 0, "\(words): \(outcome.errors)")
      #expect(outcome.output.contains(answer), "\(words): \(outcome.output)")
    }
    // The listener itself fetches the second track, and looks at the library and the playlists after
    // the first sound.
    let own = ["/api/tracks/", "/api/library", "/api/playlists"]
    let asked = requests.withLock { requests in
      requests.dropFirst(before).filter { line in !own.contains { line.contains($0) } }
    }
    #expect(asked == [])
    #expect(await room.server.socketCount == 1)
    #expect(await room.server.state()?.paused == true)
    await room.stop()
  }

  @Test func `names to complete are those of the listener's server, which nobody asks`()
    async throws
  {
    let room = try await Room.ruler()
    let home = try await signedIn(room)
    let listener = try await listen(room, home)
    // What was listed once is known from then on.
    #expect(try await Program.run(["channel", "list"], home: home).status == 0)
    await room.stop()
    let names = try await Program.run(["__complete", "--channel", "lo"], home: home)
    #expect(names.output == "Lobby\n")
    #expect(names.errors.isEmpty)
    #expect(listener.isRunning)
  }

  @Test func `a wish that the room ignores is reported, also through the listener`() async throws {
    let room = try await Room.ruler()
    let home = try await signedIn(room)
    let listener = try await listen(room, home)
    var faults = Faults()
    faults.ignoresControl = true
    await room.server.setFaults(faults)
    let hearing = try Program(["events"], home: home)
    let outcome = try await Program.run(["pause"], home: home)
    #expect(outcome.status == 75)
    #expect(
      outcome.errors == """
        blastoise: cannot pause Lobby: the room did not follow within 3 s
        hint: blastoise whoami shows what you may do

        """)
    try await hearing.waitForOutput("the room did not follow: pause")
    #expect(listener.isRunning)
    await room.stop()
  }

  @Test func `while the server is away nothing is said of its rooms`() async throws {
    let room = try await Room.ruler()
    let home = try await signedIn(room)
    let listener = try await listen(room, home)
    await room.stop()
    try await listener.waitForOutput(#""event": "disconnected""#)
    for (words, text) in [(["join", "Attic"], "cannot reach"), (["join"], "is not connected")] {
      let outcome = try await Program.run(words, home: home)
      #expect(outcome.status == 69, "\(words)")
      #expect(outcome.errors.contains(text), "\(words): \(outcome.errors)")
    }
    let status = try await Program.run(["status", "--channel", "Lobby"], home: home)
    #expect(status.output.contains("(connection lost)"), "\(status.errors)")
  }

  @Test func `what the socket is asked wrongly is refused in words`() async throws {
    let room = try await Room.ruler()
    let home = try await signedIn(room)
    let listener = try await listen(room, home)
    let place = try ControlPlace(instance: "default", folder: home.file("blastoise"))
    let client = try #require(try await ControlClient.connect(to: place))
    for (request, code) in [
      (#"{"do": "frob"}"#, "usage"), (#"{"do": "volume", "to": 400}"#, "usage"),
      (#"{"do": "volume", "to": "40"}"#, "usage"), (#"{"do": "volume", "by": 1e30}"#, "usage"),
      (#"{"do": "latency", "to": 0.5}"#, "usage"), (#"{"do": "act"}"#, "usage"),
      (#"{"do": "act", "action": "seek"}"#, "usage"),
      (#"{"do": "act", "action": "jump", "index": 0.5}"#, "usage"),
      (#"{"do": "join", "room": 5}"#, "usage"), (#"{"do": "join", "room": ""}"#, "not_found"),
      (#"{"do": "join", "server": "http://127.0.0.1:1"}"#, "other_server"),
      (#"{"do": "status", "server": "http://127.0.0.1:1"}"#, "other_server"),
      (#"{"do": "watch", "room": "Attic"}"#, "other_room"),
      (#"{"do": "follow", "room": "Attic"}"#, "other_room"),
      (#"{"do": "local", "action": "next"}"#, "in_room"),
    ] {
      let answer = try await client.ask(try #require(JSONValue(json: request.utf8)))
      #expect(ControlFailure(answer: answer)?.code == code, "\(request): \(answer)")
    }
    let volume = try await client.ask(JSONValue(verb: "volume"))
    #expect(volume["volume"].integer == 100)
    #expect(listener.isRunning)
    await room.stop()
  }

  @Test func `edits by REST are seen through the listener`() async throws {
    let room = try await Room([("a.flac", "audio/ruler.flac"), ("b.flac", "audio/ruler.flac")])
    let home = try await signedIn(room)
    let listener = try await listen(room, home)
    for (words, answer) in [
      (["mode", "once"], "Lobby is in once"), (["queue", "add", "@1"], "at row 3"),
      (["queue", "remove", "3"], "removed"),
    ] {
      let outcome = try await Program.run(words, home: home)
      #expect(outcome.status == 0, "\(words): \(outcome.errors)")
      #expect(outcome.output.contains(answer), "\(words): \(outcome.output)")
    }
    #expect(await room.server.socketCount == 1)
    #expect(listener.isRunning)
    await room.stop()
  }

  @Test func `another room than the listener's is reached without it`() async throws {
    let room = try await Room.ruler()
    let home = try await signedIn(room)
    await room.server.createChannel(name: "Kitchen")
    let listener = try await listen(room, home)
    let outcome = try await Program.run(["play", "--channel", "Kitchen"], home: home)
    #expect((outcome.output + outcome.errors).contains("Kitchen"), "\(outcome.output)")
    let other = try await Program.run(
      ["pause", "--server", "http://127.0.0.1:1"], home: home)
    #expect(other.status == 69)
    #expect(listener.isRunning)
    await room.stop()
  }

  @Test func `a login and a logout are followed, and the sound goes on`() async throws {
    let room = try await Room.ruler()
    try await room.server.createUser("ada", password: "secret")
    let home = try TemporaryFolder()
    let listener = try await listen(room, home)
    try await listener.waitForOutput(#""event": "position""#)
    let refused = try await Program.run(["pause"], home: home)
    #expect(refused.status == 77, "a guest's: \(refused.errors)")
    try await login(room, home)
    try await listener.waitForOutput(#""user": "ada""#)
    #expect(try await Program.run(["pause"], home: home).status == 0)
    #expect(try await Program.run(["play"], home: home).status == 0)
    #expect(try await Program.run(["logout", "--server", room.url], home: home).status == 0)
    try await listener.wait("a guest again") { try events($0, "connected").count == 3 }
    #expect(
      try events(listener, "connected").compactMap { $0["guest"] }
        == [.bool(true), .bool(false), .bool(true)])
    for sign in ["disconnected", "seek", "underrun", "ended", "device_released"] {
      #expect(try events(listener, sign).isEmpty, "\(sign)")
    }
    #expect(try events(listener, "device").count == 1)
    #expect(try events(listener, "track").count == 1)
    #expect(await room.server.socketCount == 1)
    await room.stop()
  }

  @Test func `where no guests are allowed a logout ends the listener`() async throws {
    let room = try await Room.ruler { $0.allowsGuests = false }
    let home = try await signedIn(room)
    let listener = try await listen(room, home)
    #expect(try await Program.run(["logout", "--server", room.url], home: home).status == 0)
    let outcome = try await listener.end()
    #expect(outcome.status == 77)
    #expect(outcome.errors.contains("sign_in_needed"))
    await room.stop()
  }

  @Test func `a session that has expired is said`() async throws {
    let room = try await Room.ruler()
    let home = try await signedIn(room)
    let listener = try await listen(room, home)
    // The server forgets it, as one does that has lost its database.
    let file = try #require(try sessionFile(home))
    let text = String(decoding: try Fixture.bytes(at: file), as: UTF8.self)
    let token = try #require(text.split(separator: "\t").last?.split(separator: "\n").first)
    try await logOut(room, token: String(token))
    await room.server.dropSockets(code: 1012)
    try await listener.waitForOutput(#""event": "session_expired""#)
    let told = try #require(try events(listener, "session_expired").first)
    #expect(told["user"]?.text == "ada")
    try await listener.wait("it again") { try events($0, "connected").count == 2 }
    var faults = Faults()
    faults.rejectsEveryone = true
    await room.server.setFaults(faults)
    await room.server.dropSockets(code: 1012)
    let outcome = try await listener.end()
    #expect(outcome.status == 77)
    #expect(outcome.errors.contains("has expired"), "\(outcome.errors)")
    await room.stop()
  }

  @Test func `join changes the room and keeps the device`() async throws {
    let room = try await Room([("a.flac", "audio/ruler.flac"), ("b.flac", "audio/ruler.flac")])
    let kitchen = try #require(await room.server.createChannel(name: "Kitchen"))
    let track = try #require(await room.server.state()?.queue?.last?.id)
    await room.server.edit(.set([track]), of: kitchen)
    await room.server.control(.unpause, in: kitchen)
    let home = try TemporaryFolder()
    let listener = try await listen(room, home)
    try await listener.waitForOutput(#""event": "position""#)
    let joined = try await Program.run(["join", "kit", "--json"], home: home)
    #expect(joined.status == 0, "\(joined.errors)")
    let status = try JSONLine(joined.output)
    #expect(status["room"]?["name"]?.text == "Kitchen")
    #expect(status["track"]?["id"]?.text == track.rawValue)
    #expect(status["connection"]?.text == "connected")
    try await listener.wait("its sound") { try events($0, "started").count == 2 }
    #expect(try events(listener, "device").count == 1)
    #expect(try events(listener, "disconnected").isEmpty)
    #expect(await room.server.socketCount == 1)
    let ambiguous = try await Program.run(["join", "nowhere"], home: home)
    #expect(ambiguous.status == 66)
    // Back after a restart of the server's: the room we are in, not the first one.
    await room.server.dropSockets(code: 1012)
    try await listener.wait("it again") { try events($0, "connected").count == 2 }
    #expect(try events(listener, "switched").count == 1)
    #expect(try events(listener, "connected").last?["channel"]?.text == "Kitchen")
    await room.stop()
  }

  @Test func `after kill -9 the name is free, and its socket is taken over`() async throws {
    let room = try await Room.ruler()
    let home = try TemporaryFolder()
    let first = try await listen(room, home)
    let second = try await Program.run(room.listen(), home: home)
    #expect(second.status == 75)
    #expect(second.errors.contains("process \(first.pid)"))
    first.send(SIGKILL)
    _ = try await first.end()
    #expect(try await Program.run(["stop"], home: home).status == 69)
    let third = try await listen(room, home)
    #expect(try await Program.run(["stop"], home: home).status == 0)
    #expect(try await third.end().status == 0)
    await room.stop()
  }

  @Test func `hostile clients neither stop the sound nor the verbs`() async throws {
    let room = try await Room.ruler()
    let home = try TemporaryFolder()
    let listener = try await listen(room, home)
    try await listener.waitForOutput(#""event": "position""#)
    let path = home.file("blastoise/default.sock")
    var attackers: [Int32] = []
    let noise = [UInt8](repeating: UInt8(ascii: "{"), count: 40_000)
    for number in 0..<40 {
      let attacker = try localSocket(path, connect)
      attackers.append(attacker)
      // Some flood, some follow and never read, some only hang.
      let lines = String(repeating: "{\"do\": \"events\"}\n{\"do\": \"status\"}\n", count: 500)
      let bytes = number % 3 == 0 ? noise : number % 3 == 1 ? Array(lines.utf8) : []
      _ = send(attacker, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }
    let status = try await Program.run(["status", "--json"], home: home)
    #expect(status.status == 0, "\(status.errors)")
    #expect(try JSONLine(status.output)["underruns"]?.number == 0)
    #expect(try events(listener, "seek").isEmpty)
    for attacker in attackers { close(attacker) }
    #expect(try await Program.run(["stop"], home: home).status == 0)
    #expect(try await listener.end().status == 0)
    await room.stop()
  }

  @Test func `demos run side by side, each with a name of its own`() async throws {
    let home = try TemporaryFolder()
    let demos = try (0..<2).map { _ in try Program(["demo", "--output", "null"], home: home) }
    for demo in demos { try await demo.waitForOutput("joined Demo") }
    let nobody = try await Program.run(["stop"], home: home)
    #expect(nobody.status == 69)
    for demo in demos { #expect(nobody.errors.contains("demo-\(demo.pid)"), "\(nobody.errors)") }
    for demo in demos {
      let instance = "demo-\(demo.pid)"
      // The environment's server is another; the name says which one is meant.
      for words in [["queue", "remove", "3"], ["pause"], ["channel", "show"], ["status"]] {
        let outcome = try await Program.run(
          words + ["--instance", instance], home: home,
          variables: ["BLASTOISE_SERVER": "http://127.0.0.1:1"])
        #expect(outcome.status == 0, "\(words): \(outcome.errors)")
        #expect(outcome.output.contains("Demo"), "\(words): \(outcome.output)")
      }
      let stopped = try await Program.run(["stop", "--instance", instance], home: home)
      #expect(stopped.status == 0, "\(stopped.errors)")
      #expect(try await demo.end().status == 0)
    }
    #expect(try sessionFile(home) == nil, "nothing is left behind")
  }
}

// MARK: - Helpers

/// The one file of cookies in a home; nil where there is none.
private func sessionFile(_ home: TemporaryFolder) throws -> String? {
  let folder = home.file("state/blastoise/sessions")
  let names = (try? Folder.names(in: folder)) ?? []
  return names.first { $0.hasSuffix(".cookies") }.map { "\(folder)/\($0)" }
}

/// Ends a session on the server, behind the back of who has it.
private func logOut(_ room: Room, token: String) async throws {
  let session = try await ServerSession(
    server: try ServerAddress(room.url),
    configuration: TransportConfiguration(userAgent: "BlastoiseCLI/test"), store: nil)
  await session.http.cookies.keep(
    setCookie: ["blastoise_session=\(token); Path=/"], from: session.server.base)
  try await session.api.logout()
  session.shutdown()
}
