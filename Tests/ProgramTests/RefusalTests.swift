import RoomServer
import TestSupport
import Testing

/// What ends a `listen` at once: what waiting can't heal, and with `--no-wait` all the rest.
@Suite(.timeLimit(.minutes(3))) struct RefusalTests {
  /// A port at which nobody listens.
  private func deadPort() throws -> Int {
    let server = try RawServer { _ in }
    defer { server.stop() }
    return server.port
  }

  private func expect(
    _ outcome: Program.Outcome, _ status: Int32, _ words: [String],
    location: SourceLocation = #_sourceLocation
  ) {
    #expect(outcome.status == status, "\(outcome.errors)", sourceLocation: location)
    let lines = outcome.complaints.filter { !$0.contains("warning:") }
    #expect((1...2).contains(lines.count), "\(outcome.errors)", sourceLocation: location)
    #expect(lines.first?.hasPrefix("blastoise: ") == true, sourceLocation: location)
    for word in words {
      #expect(outcome.errors.contains(word), "\(outcome.errors)", sourceLocation: location)
    }
    #expect(!outcome.errors.contains("bug"), "\(outcome.errors)", sourceLocation: location)
  }

  @Test func `a dead server`() async throws {
    let port = try deadPort()
    let outcome = try await Program.run([
      "listen", "--server", "http://127.0.0.1:\(port)", "--output", "null", "--no-wait",
    ])
    expect(outcome, 69, ["cannot reach http://127.0.0.1:\(port): connection refused\n", "hint: "])
  }

  @Test func `a host without an address`() async throws {
    let outcome = try await Program.run([
      "listen", "--server", "http://nowhere.invalid", "--output", "null", "--no-wait",
    ])
    expect(outcome, 68, ["nowhere.invalid", "hint: "])
  }

  @Test func `something that is no room server`() async throws {
    let server = try RawServer { connection in
      while connection.readHead() != nil {
        connection.answer(
          "200 OK", ["Content-Type: text/html"],
          body: "<!doctype html><title>It works!</title>")
      }
    }
    let outcome = try await Program.run([
      "listen", "--server", "http://127.0.0.1:\(server.port)", "--output", "null",
    ])
    expect(outcome, 76, ["It works!", "hint: "])
    server.stop()
  }

  @Test func `something that speaks no HTTP`() async throws {
    let server = try RawServer { connection in
      connection.write("SSH-2.0-OpenSSH_9.2\r\n")
      connection.waitForEnd()
    }
    let outcome = try await Program.run([
      "listen", "--server", "http://127.0.0.1:\(server.port)", "--output", "null",
    ])
    expect(outcome, 76, ["127.0.0.1:\(server.port)"])
    server.stop()
  }

  @Test func `a server without guests wants a sign-in`() async throws {
    let room = try await Room.ruler { $0.allowsGuests = false }
    expect(try await Program.run(room.listen()), 77, ["hint: ", "blastoise login"])
    await room.stop()
  }

  @Test(arguments: [401, 403])
  func `a server that tells nobody its status can be signed in to`(status: Int) async throws {
    let room = try await Room.ruler {
      $0.faults.failures = [.init(path: "/api/status", status: status, .always)]
    }
    try await room.server.createUser("ada", password: "secret")
    let login = try await Program.run(
      ["login", "ada", "--server", room.url], variables: ["BLASTOISE_PASSWORD": "secret"])
    #expect(login.output == "signed in to \(room.url) as ada\n", "\(login.errors)")
    await room.stop()
  }

  @Test func `TLS asked of a server without`() async throws {
    let room = try await Room.ruler()
    let outcome = try await Program.run([
      "whoami", "--server", "https://127.0.0.1:\(room.port)",
    ])
    expect(outcome, 76, ["does not speak the protocol", "--server http://"])
    await room.stop()
  }

  @Test func `a server that forbids`() async throws {
    let room = try await Room.ruler {
      $0.faults.failures = [.init(path: "/api/channels", status: 403, .always)]
    }
    expect(try await Program.run(room.listen()), 77, ["/api/channels"])
    await room.stop()
  }

  @Test(arguments: [Int32(401), 403])
  func `a room whose socket is refused`(status: Int32) async throws {
    let room = try await Room.ruler { $0.faults.refusesUpgrades = Int(status) }
    expect(try await Program.run(room.listen()), 77, ["room"])
    await room.stop()
  }

  @Test func `a room that is not there`() async throws {
    let room = try await Room.ruler()
    await room.server.createChannel(name: "Kitchen")
    expect(try await Program.run(room.listen("Kitchne")), 66, ["Kitchne", "hint: ", "Kitchen?"])
    expect(try await Program.run(room.listen("Attic")), 66, ["Attic", "Lobby", "Kitchen"])
    await room.stop()
  }

  @Test func `a name that fits two rooms`() async throws {
    let room = try await Room.ruler()
    await room.server.createChannel(name: "Kitchen")
    await room.server.createChannel(name: "Kids")
    expect(try await Program.run(room.listen("ki")), 64, ["Kitchen", "Kids", "hint: "])
    await room.stop()
  }

  @Test func `a device that is not there`() async throws {
    let room = try await Room.ruler()
    let outcome = try await Program.run([
      "listen", "--server", room.url, "--output", "alsa:nosuch", "--no-wait",
    ])
    expect(outcome, 74, ["alsa:nosuch", "blastoise devices"])
    await room.stop()
  }

  @Test(arguments: [("wav:/nowhere/x.wav", Int32(73)), ("pipe:/nowhere/x", 74)])
  func `a file that can't be made`(output: String, status: Int32) async throws {
    let room = try await Room.ruler()
    let outcome = try await Program.run([
      "listen", "--server", room.url, "--output", output, "--no-wait",
    ])
    expect(outcome, status, [output])
    await room.stop()
  }

  // MARK: Trust

  private func secure() async throws -> Room {
    try await Room.ruler {
      $0.certificate = Fixture.path("tls/good.pem")
      $0.key = Fixture.path("tls/good.key")
      $0.pathPrefix = "/music"
    }
  }

  @Test func `an untrusted certificate`() async throws {
    let room = try await secure()
    expect(try await Program.run(room.listen()), 76, ["127.0.0.1", "--cacert"])
    await room.stop()
  }

  @Test func `a file of certificates that is none`() async throws {
    let room = try await secure()
    let outcome = try await Program.run(room.listen("--cacert", "/nowhere/ca.pem"))
    expect(outcome, 66, ["/nowhere/ca.pem"])
    await room.stop()
  }

  @Test func `a private authority is trusted where it is named, behind a prefix too`()
    async throws
  {
    let room = try await secure()
    let words = room.listen("--cacert", Fixture.path("tls/ca.pem"), "--json", "--for", "20")
    let program = try Program(words)
    try await program.waitForOutput(#""event": "started""#)
    program.send(15)
    let outcome = try await program.end()
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)
    await room.stop()
  }

  @Test func `a server that has moved to https is followed there for good`() async throws {
    let room = try await secure()
    let stand = try RawServer { connection in
      while let head = connection.readHead() {
        let path = head.split(separator: " ").dropFirst().first ?? "/"
        connection.answer("308 Permanent Redirect", ["Location: \(room.url)\(path)"])
      }
    }
    let program = try Program([
      "listen", "--server", "http://127.0.0.1:\(stand.port)", "--output", "null", "--cacert",
      Fixture.path("tls/ca.pem"), "--json",
    ])
    try await program.waitForOutput(#""event": "server_moved""#)
    try await program.waitForOutput(#""event": "started""#)
    #expect(program.output.contains(#""server": "\#(room.url)""#))
    program.send(15)
    #expect(try await program.end().status == 0)
    stand.stop()
    let asked = stand.heads.compactMap { $0.split(separator: " ").dropFirst().first }
    // What is asked side by side may leave before the first answer names the new place.
    #expect(asked.first == "/api/auth/me")
    #expect(asked.count == Set(asked).count)
    #expect(Set(asked).isSubset(of: ["/api/auth/me", "/api/status", "/api/channels"]))
    await room.stop()
  }

  @Test func `whoever wants no security is told so`() async throws {
    let room = try await secure()
    let program = try Program(room.listen("--insecure", "-q", "--json", "--for", "20"))
    try await program.waitForOutput(#""event": "started""#)
    program.send(15)
    let outcome = try await program.end()
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("warning"))
    #expect(outcome.errors.contains("--insecure"))
    await room.stop()
  }
}
