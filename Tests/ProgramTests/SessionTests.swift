import Glibc
import RoomClient
import RoomServer
import Storage
import TestSupport
import Testing
import Transport

/// Sessions of several processes at once, and what is remembered between runs.
@Suite(.timeLimit(.minutes(2))) struct SessionTests {
  private let password = ["BLASTOISE_PASSWORD": "secret"]

  private func run(
    _ line: String, _ home: TemporaryFolder, on room: Room, _ variables: [String: String] = [:]
  ) async throws -> Program.Outcome {
    let words = line.split(separator: " ").map(String.init)
    return try await Program.run(
      words + ["--server", room.url], home: home, variables: variables)
  }

  private func sessionFile(_ room: Room, _ home: TemporaryFolder) throws -> String {
    let store = SessionStore(folder: home.file("state/blastoise/sessions"))
    return store.path(of: try ServerAddress(room.url))
  }

  @Test func `sign-ins at once to several servers are all kept`() async throws {
    let rooms = [try await Room.ruler(), try await Room.ruler(), try await Room.ruler()]
    let home = try TemporaryFolder()
    for room in rooms { try await room.server.createUser("ada", password: "secret") }
    let programs = try rooms.flatMap { room in
      try (0..<2).map { _ in
        try Program(["login", "ada", "--server", room.url], home: home, variables: password)
      }
    }
    for program in programs { #expect(try await program.end().status == 0) }
    for room in rooms {
      #expect(try await run("whoami", home, on: room).output.hasPrefix("ada"))
      #expect(permissions(of: try sessionFile(room, home)) == 0o600)
      await room.stop()
    }
  }

  @Test func `guests at once end up with one session`() async throws {
    let room = try await Room.ruler()
    let home = try TemporaryFolder()
    let programs = try (0..<6).map { _ in
      try Program(["whoami", "--server", room.url], home: home)
    }
    for program in programs { #expect(try await program.end().status == 0) }
    let first = try await run("whoami", home, on: room)
    #expect(first.output.hasPrefix("guest"))
    #expect(try await run("whoami", home, on: room).output == first.output)
    await room.stop()
  }

  @Test func `a guest's session that comes late does not replace a sign-in`() async throws {
    let room = try await Room.ruler()
    try await room.server.createUser("ada", password: "secret")
    let (home, elsewhere) = (try TemporaryFolder(), try TemporaryFolder())
    #expect(try await run("login ada", elsewhere, on: room, password).status == 0)
    let path = try sessionFile(room, home)
    try Folder.create(Folder.parent(of: path))
    var lock: FileLock? = try FileLock(waitingFor: path + ".lock")
    // It has its guest's session, and waits to write it down.
    let guest = try Program(["whoami", "--server", room.url], home: home)
    try await guest.waitForOutput("guest")
    try AtomicFile.write(try Fixture.bytes(at: try sessionFile(room, elsewhere)), to: path)
    withExtendedLifetime(lock) {}
    lock = nil
    #expect(try await guest.end().status == 0)
    #expect(try await run("whoami", home, on: room).output.hasPrefix("ada"))
    await room.stop()
  }

  @Test func `the room joined last is the one that is meant, while it is there`() async throws {
    let room = try await Room.ruler()
    try await room.server.createUser("ada", password: "secret")
    await room.server.createChannel(name: "Kitchen")
    let home = try TemporaryFolder()
    #expect(try await run("login ada", home, on: room, password).status == 0)
    #expect(try await run("channel list", home, on: room).output.contains("> Lobby"))
    try await listen(["Kitchen"], home, room, joins: "Kitchen")
    #expect(try await run("channel list", home, on: room).output.contains("> Kitchen"))
    #expect(
      try await run("channel list --channel Lobby", home, on: room).output.contains("> Lobby"))
    try await listen([], home, room, joins: "Kitchen")
    // A saved server's room goes before it.
    let save = "config set server.home"
    #expect(try await run("\(save).url \(room.url)", home, on: room).status == 0)
    #expect(try await run("\(save).channel Lobby", home, on: room).status == 0)
    #expect(try await run("channel list", home, on: room).output.contains("> Lobby"))
    #expect(try await run("config set server.home.channel", home, on: room).status == 64)
    let removed = try await Program.run(["config", "set", "server.home.channel", ""], home: home)
    #expect(removed.status == 0)
    #expect(try await run("channel delete Kitchen --yes", home, on: room).status == 0)
    #expect(try await run("channel list", home, on: room).output.contains("> Lobby"))
    try await listen([], home, room, joins: "Lobby")
    await room.stop()
  }

  private func listen(
    _ words: [String], _ home: TemporaryFolder, _ room: Room, joins name: String
  ) async throws {
    let program = try Program(
      ["listen", "--server", room.url, "--output", "null", "--json"] + words, home: home)
    try await program.waitForOutput("\"connected\"")
    #expect(program.output.contains("\"channel\": \"\(name)\""))
    try await program.wait("memory of \(name)") { _ in
      let folder = home.file("state/blastoise/servers")
      return (try? Folder.names(in: folder).contains { $0.hasSuffix(".room") }) ?? false
    }
    program.send(SIGTERM)
    #expect(try await program.end().status == 0)
  }

  @Test func `a room that says nothing is given up after --timeout`() async throws {
    let room = try await Room.ruler { $0.faults.stallsSockets = true }
    let home = try TemporaryFolder()
    let patient = try Program(
      ["queue", "list", "--timeout", "300", "--server", room.url], home: home)
    let outcome = try await run("queue list --timeout 1", home, on: room)
    #expect(outcome.status == 75)
    #expect(patient.isRunning)
    await room.stop()
  }

  @Test func `a file that is no session is told, and mended by signing in or out`() async throws {
    let room = try await Room.ruler()
    try await room.server.createUser("ada", password: "secret")
    let home = try TemporaryFolder()
    let path = try sessionFile(room, home)
    try Folder.create(Folder.parent(of: path))
    for line in ["login ada", "logout"] {
      try AtomicFile.write(Array("broken\n".utf8), to: path)
      let broken = try await run("whoami", home, on: room)
      #expect(broken.status == 78)
      #expect(broken.complaints.last == "hint: blastoise login writes it anew")
      #expect(try await run(line, home, on: room, password).status == 0)
      #expect(try await run("whoami", home, on: room).status == 0)
    }
    await room.stop()
  }

  @Test func `who signs out has no session left here, whatever the server says`() async throws {
    let room = try await Room.ruler()
    try await room.server.createUser("ada", password: "secret")
    let home = try TemporaryFolder()
    #expect(try await run("login ada", home, on: room, password).status == 0)
    let (url, path) = (room.url, try sessionFile(room, home))
    await room.stop()
    let outcome = try await Program.run(["logout", "--server", url], home: home)
    #expect(outcome.status == 69)
    #expect(
      outcome.complaints == [
        "blastoise: signed out here, but \(url) still has the session: "
          + "cannot reach \(url): connection refused"
      ])
    let file = String(decoding: try Fixture.bytes(at: path), as: UTF8.self)
    #expect(!file.contains("blastoise_session"))
    let again = try await Program.run(["logout", "--server", url], home: home)
    #expect(again.output == "nobody is signed in to \(url)\n")
    #expect(again.status == 0)
  }

  @Test func `who signs out of what is no room server has no session left either`() async throws {
    let stand = try RawServer { connection in
      while connection.readHead() != nil { connection.answer("404 Not Found") }
    }
    let url = "http://127.0.0.1:\(stand.port)"
    let home = try TemporaryFolder()
    let (store, server) = (
      SessionStore(folder: home.file("state/blastoise/sessions")), try ServerAddress(url)
    )
    let line = "127.0.0.1\tFALSE\t/\tFALSE\t0\tblastoise_session\told"
    try await store.save([try #require(Cookie(netscapeLine: line))], of: server)
    let outcome = try await Program.run(["logout", "--server", url], home: home)
    #expect(outcome.status == 66)
    #expect(
      outcome.errors.hasPrefix("blastoise: signed out here, but \(url) still has the session"))
    #expect(try await store.load(server).isEmpty)
    stand.stop()
  }

  @Test func `a listener whose session has ended says so and forgets it`() async throws {
    let room = try await Room.ruler { $0.allowsGuests = false }
    try await room.server.createUser("ada", password: "secret")
    let home = try TemporaryFolder()
    #expect(try await run("login ada", home, on: room, password).status == 0)
    let elsewhere = try TemporaryFolder()
    #expect(try await run("login ada", elsewhere, on: room, password).status == 0)
    #expect(try await run("kick-others --yes", elsewhere, on: room).status == 0)
    let outcome = try await Program.run(room.listen(), home: home)
    #expect(outcome.status == 77)
    #expect(outcome.complaints.first == "blastoise: the session of ada at \(room.url) has expired")
    #expect(outcome.complaints.last == "hint: blastoise login signs in again")
    let file = String(decoding: try Fixture.bytes(at: try sessionFile(room, home)), as: UTF8.self)
    #expect(!file.contains("blastoise_session"))
    await room.stop()
  }
}
