import Glibc
import RoomProtocol
import Storage
import TestSupport
import Testing

@testable import RoomServer

@Suite(.serialized, .timeLimit(.minutes(3))) struct AuthTests {
  @Test func `the status says what is allowed`() async throws {
    try await withServer {
      $0.allowsSignups = false
      $0.name = "Home"
      $0.version = "9.8"
    } _: { (server: ServerHarness) async throws in
      let status: ServerStatus = try await server.send("GET", "/api/status").decode()
      #expect(status.allowsGuests == true)
      #expect(status.allowsSignups == false)
      #expect(status.name == "Home")
      #expect(status.version == "9.8")
      #expect(!status.offersImports)
    }
  }

  @Test func `me makes a guest, once`() async throws {
    try await withServer { (server: ServerHarness) async throws in
      let first = try await server.send("GET", "/api/auth/me")
      let guest: AuthEnvelope = try first.decode()
      #expect(guest.user?.isGuest == true)
      let cookie = try #require(first.cookie)
      let second = try await server.send("GET", "/api/auth/me", cookie: cookie)
      #expect(second.cookie == nil)
      #expect(try second.decode(AuthEnvelope.self) == guest)
    }
  }

  @Test func `the cookie is the browser's alone`() async throws {
    try await withServer {
      $0.pathPrefix = "/music"
    } _: { (server: ServerHarness) async throws in
      let header = try await server.send("GET", "/api/auth/me")["Set-Cookie"] ?? ""
      #expect(header.hasPrefix("blastoise_session="))
      #expect(header.contains("; HttpOnly"))
      #expect(header.contains("; Path=/music/"))
      #expect(header.split(separator: ";").first?.count == "blastoise_session=".count + 64)
    }
  }

  @Test(arguments: [
    (#"{"username":"bob","password":"pass"}"#, 201),
    (#"{"username":"ANN","password":"x123"}"#, 409),
    (#"{"username":" ","password":"pass"}"#, 400), (#"{"username":"bob","password":"abc"}"#, 400),
    (#"{"username":"b\u001bob","password":"pass"}"#, 400), (#"{"username":"bob"}"#, 400),
    ("", 400), ("[]", 400), ("{", 400),
  ])
  func `sign-up takes a good name and password`(json: String, status: Int) async throws {
    try await withServer { (server: ServerHarness) async throws in
      _ = try await server.signIn("ann")
      let response = try await server.send("POST", "/api/auth/signup", json: json)
      #expect(response.status == status)
      #expect((response.cookie != nil) == (status == 201))
    }
  }

  @Test func `the first user is the admin`() async throws {
    try await withServer { (server: ServerHarness) async throws in
      let cookie = try await server.signIn()
      let json = #"{"username":"bob","password":"pass"}"#
      let bob: AuthEnvelope = try await server.send("POST", "/api/auth/signup", json: json).decode()
      #expect(bob.user?.isAdmin == false)
      let ann: AuthEnvelope = try await server.send("GET", "/api/auth/me", cookie: cookie).decode()
      #expect(ann.user?.username == "ann")
      #expect(ann.user?.isAdmin == true)
      #expect(!ann.permissions.isEmpty)
    }
  }

  @Test(arguments: ["wrong", ""]) func `a wrong password is a 401`(password: String) async throws {
    try await withServer { (server: ServerHarness) async throws in
      try await server.server.createUser("ann", password: "secret")
      for name in ["ann", "nobody"] {
        let json = #"{"username":"\#(name)","password":"\#(password)"}"#
        let response = try await server.send("POST", "/api/auth/login", json: json)
        #expect(response.status == 401)
        #expect(response.cookie == nil)
      }
    }
  }

  @Test func `after a few failures the next log-in waits, by name and address`() async throws {
    try await withServer {
      $0.loginBurst = 2
      $0.loginInterval = .seconds(60)
    } _: { (server: ServerHarness) async throws in
      for name in ["ann", "bob"] { try await server.server.createUser(name, password: "secret") }
      func login(_ name: String, _ password: String) async throws -> RawResponse {
        let json = #"{"username":"\#(name)","password":"\#(password)"}"#
        return try await server.send("POST", "/api/auth/login", json: json)
      }
      #expect(try await login("ann", "wrong").status == 401)
      #expect(try await login("Ann", "secret").status == 200)
      for _ in 0..<2 { #expect(try await login("ann", "wrong").status == 401) }
      let refused = try await login("ann", "secret")
      #expect(refused.status == 429)
      #expect((50...61).contains(Int(refused["Retry-After"] ?? "") ?? 0))
      #expect(try await login("bob", "secret").status == 200)
      let isKnown = await server.server.perform { host in
        host.attempts.take("ann", from: "127.0.0.1", at: .now) != nil
      }
      #expect(isKnown == true)
    }
  }

  @Test func `a hundred passwords wait to be hashed at most`() async throws {
    try await withServer { (server: ServerHarness) async throws in
      let json = #"{"username":"ann","password":"secret"}"#
      _ = await server.server.perform { $0.pendingPasswords = 100 }
      for path in ["/api/auth/login", "/api/auth/signup"] {
        #expect(try await server.send("POST", path, json: json).status == 429)
      }
      _ = await server.server.perform { $0.pendingPasswords = 0 }
      #expect(try await server.send("POST", "/api/auth/signup", json: json).status == 201)
      #expect(try await server.send("POST", "/api/auth/login", json: json).status == 200)
      #expect(await server.server.perform { $0.pendingPasswords } == 0)
    }
  }

  @Test func `a user signs in by name and password`() async throws {
    try await withServer { (server: ServerHarness) async throws in
      try await server.server.createUser("ann", password: "s\u{E9}cret \u{1F422}")
      let json = #"{"username":"Ann","password":"s\u00e9cret \ud83d\udc22"}"#
      let response = try await server.send("POST", "/api/auth/login", json: json)
      #expect(response.status == 200)
      #expect(try response.decode(AuthEnvelope.self).user?.username == "ann")
      let me = try await server.send("GET", "/api/auth/me", cookie: response.cookie)
      #expect(try me.decode(AuthEnvelope.self).user?.isGuest == false)
    }
  }

  @Test func `logout ends the session`() async throws {
    try await withServer { (server: ServerHarness) async throws in
      let cookie = try await server.signIn()
      let out = try await server.send("POST", "/api/auth/logout", cookie: cookie)
      #expect(out.status == 200)
      #expect(out["Set-Cookie"]?.contains("Max-Age=0") == true)
      let jump = try await server.send(
        "POST", "/api/channels/lobby/jump", cookie: cookie, json: #"{"index":1}"#)
      #expect(jump.status == 401)
    }
  }

  @Test func `without guests everything wants a session`() async throws {
    try await withServer {
      $0.allowsGuests = false
    } _: { (server: ServerHarness) async throws in
      for path in ["/api/auth/me", "/api/channels", "/api/library", "/api/channels/lobby"] {
        #expect(try await server.send("GET", path).status == 401)
      }
      #expect(try await server.send("GET", "/api/status").status == 200)
      #expect(try await server.withSocket { $0.handshake.status } == 401)
      let cookie = try await server.signIn()
      #expect(try await server.send("GET", "/api/library", cookie: cookie).status == 200)
    }
  }

  @Test func `closed sign-up is a 403`() async throws {
    try await withServer {
      $0.allowsSignups = false
    } _: { (server: ServerHarness) async throws in
      let json = #"{"username":"bob","password":"pass"}"#
      let response = try await server.send("POST", "/api/auth/signup", json: json)
      #expect(response.status == 403)
    }
  }

  @Test func `kick-others ends the other sessions and their sockets`() async throws {
    try await withServer { (server: ServerHarness) async throws in
      let kept = try await server.signIn()
      let kicked = try await server.signIn()
      async let end = server.withSocket(cookie: kicked) { socket in
        let reason = try socket.first { message -> String? in
          if case .kick(let reason) = message { reason } else { nil }
        }
        return (reason, try socket.next())
      }
      try await eventually("the socket is open") { await server.server.socketCount == 1 }
      let response = try await server.send("POST", "/api/auth/kick-others", cookie: kept)
      #expect(response.text == #"{"kicked":1,"success":true}"#)
      let (reason, last) = try await end
      #expect(reason == "Kicked by another session")
      #expect(last == .close(1008))
      let json = #"{"index":1}"#
      let path = "/api/channels/lobby/jump"
      #expect(try await server.send("POST", path, cookie: kicked, json: json).status == 401)
      #expect(try await server.send("POST", path, cookie: kept, json: json).status == 200)
    }
  }

  @Test func `a database others could read is theirs no more`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("room.db")
    _ = try SQLiteConnection(path: path)
    chmod(path, 0o644)
    try await withServer {
      $0.databasePath = path
    } _: { (_: ServerHarness) async throws in
      #expect(permissions(of: folder.file("room.db")) == 0o600)
    }
  }

  @Test func `beyond the limit the oldest guests are forgotten, and no user`() async throws {
    let clock = ManualWallClock()
    try await withServer {
      $0.guestLimit = 20
      $0.wallClock = { clock.now }
    } _: { (server: ServerHarness) async throws in
      let user = try await server.signIn()
      var guests: [String] = []
      for _ in 0..<21 {
        guests.append(try #require(try await server.send("GET", "/api/auth/me").cookie))
        clock.advance(by: 1)
      }
      // One too many: it and a tenth of the limit make room.
      let sessions = guests
      let kept = await server.server.perform { host in
        try? sessions.map {
          try host.users.session(token: String($0.split(separator: "=")[1])) != nil
        }
      }
      #expect(kept == [Bool](repeating: false, count: 3) + [Bool](repeating: true, count: 18))
      let me = try await server.send("GET", "/api/auth/me", cookie: user)
      #expect(try me.decode(AuthEnvelope.self).user?.isGuest == false)
    }
  }

  @Test func `the database holds neither tokens nor passwords`() async throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/room.db"
    var cookie = ""
    try await withServer {
      $0.databasePath = path
    } _: { (server: ServerHarness) async throws in
      try await server.server.createUser("ann", password: "secret")
      cookie = try await server.signIn()
      for name in ["room.db", "room.db-wal", "room.db-shm"] {
        #expect(permissions(of: folder.file(name)) == 0o600)
      }
    }
    let database = try SQLiteConnection(path: path)
    let token = try #require(cookie.split(separator: "=").last)
    let hash = ContentHash.digest(of: token.utf8).bytes
    let tokens = try database.rows("SELECT token FROM session") { $0.blob(0) ?? [] }
    #expect(tokens == [hash])
    let passwords = try database.rows("SELECT password FROM user") { $0.text(0) ?? "" }
    #expect(passwords.allSatisfy { $0.hasPrefix("scrypt$") && !$0.contains("secret") })
  }
}
