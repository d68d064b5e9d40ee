import Glibc
import RoomProtocol
import TestSupport
import Testing

@testable import RoomServer

@Suite(.serialized, .timeLimit(.minutes(3))) struct ServerTests {
  @Test func `a port in use is said with its errno`() async throws {
    try await withServer { (server: ServerHarness) async throws in
      var configuration = ServerConfiguration()
      configuration.port = server.port
      let second = Server(configuration)
      let expected = ServiceError.cannotListen(
        host: "127.0.0.1", port: server.port, code: EADDRINUSE)
      await #expect(throws: expected) { try await second.start() }
      _ = try await server.send("GET", "/api/status")
    }
  }

  @Test func `an address that isn't ours is said`() async {
    var configuration = ServerConfiguration()
    configuration.host = "192.0.2.1"
    let server = Server(configuration)
    let expected = ServiceError.cannotListen(host: "192.0.2.1", port: 0, code: EADDRNOTAVAIL)
    await #expect(throws: expected) { try await server.start() }
  }

  @Test func `a bad certificate is said`() async throws {
    let folder = try TemporaryFolder()
    let bad = try folder.write("bad.pem", "no certificate".utf8)
    for path in ["/nowhere/cert.pem", bad] {
      var configuration = ServerConfiguration()
      configuration.certificate = path
      configuration.key = bad
      let server = Server(configuration)
      await #expect(throws: ServiceError.certificate(path: path)) { try await server.start() }
    }
  }

  @Test func `a file that is no database is said`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("room.db", [UInt8](repeating: 7, count: 5000))
    var configuration = ServerConfiguration()
    configuration.databasePath = path
    let server = Server(configuration)
    await #expect {
      try await server.start()
    } throws: { error in
      guard case ServiceError.database(path, _)? = error as? ServiceError else { return false }
      return true
    }
  }

  @Test func `a server starts again on its port at once`() async throws {
    var configuration = ServerConfiguration()
    for _ in 0..<3 {
      let server = Server(configuration)
      configuration.port = try await server.start()
      let port = configuration.port
      let end = try await offPool {
        let connection = try RawClient(port: port)
        connection.request("GET", "/api/status")
        return try connection.response().status
      }
      #expect(end == 200)
      // The connection may still be open: it must not hold the port.
      await server.stop()
    }
  }

  @Test func `a stopped server answers its owner`() async throws {
    let server = Server(ServerConfiguration())
    #expect(await server.state() == nil)
    try await server.start()
    await server.stop()
    await server.stop()
    #expect(await server.state() == nil)
    #expect(await server.connectionCount == 0)
    await #expect(throws: ServiceError.notRunning) {
      try await server.createUser("x", password: "secret")
    }
  }

  @Test func `paths lie below the prefix`() async throws {
    try await withServer {
      $0.pathPrefix = "/music"
    } _: { (server: ServerHarness) async throws in
      #expect(server.server.baseURL == "http://127.0.0.1:\(server.port)/music")
      #expect(try await server.send("GET", "/api/status").status == 200)
      #expect(try await server.withSocket { try $0.state() }.channelID == "lobby")
      var outside = server
      outside.prefix = ""
      #expect(try await outside.send("GET", "/api/status").status == 404)
      #expect(try await outside.send("GET", "/musical/api/status").status == 404)
      #expect(try await outside.withSocket { $0.handshake.status } == 404)
    }
  }

  @Test func `requests the library can't take are refused`() async throws {
    try await withServer { (server: ServerHarness) async throws in
      let requests = [
        "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n":
          411,
        "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n": 413,
        "POST /api/auth/logout HTTP/1.1\r\nHost: x\r\n\r\n": 200,
        "GET /api/status HTTP/1.1\r\nHost: x\r\nCookie: \(String(repeating: "x", count: 30_000))\r\n\r\n":
          200,
      ]
      for (text, status) in requests {
        let answered = try await offPool {
          let connection = try RawClient(port: server.port)
          connection.send(Array(text.utf8))
          return try connection.response().status
        }
        #expect(answered == status)
      }
    }
  }

  @Test func `a body and a request in one go are told apart`() async throws {
    try await withServer { (server: ServerHarness) async throws in
      let statuses = try await offPool {
        let connection = try RawClient(port: server.port)
        let text =
          "DELETE /api/channels/lobby HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
          + "GET /api/status HTTP/1.1\r\nHost: x\r\n\r\n"
        connection.send(Array(text.utf8))
        return try [connection.response().status, connection.response().status]
      }
      #expect(statuses == [403, 200])
    }
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `noise does not hurt the server`(seed: UInt64) async throws {
    try await withServer { (server: ServerHarness) async throws in
      var generator = SeededGenerator(seed: seed)
      let starts = ["", "GET ", "GET /api/channels/lobby/ws HTTP/1.1\r\n", "POST /api/auth/login "]
      for _ in 0..<20 {
        let start = starts.randomElement(using: &generator) ?? ""
        let noise = (0..<Int.random(in: 1...3000, using: &generator)).map { _ in
          UInt8.random(in: 0...255, using: &generator)
        }
        try? await offPool {
          try RawClient(port: server.port).send(Array(start.utf8) + noise)
        }
      }
      for _ in 0..<20 {
        let noise = (0..<200).map { _ in UInt8.random(in: 0...255, using: &generator) }
        _ = try? await server.withSocket { socket in
          socket.sendFrame(opcode: noise[0] & 15, noise)
          socket.send(String(decoding: noise, as: UTF8.self))
        }
      }
      #expect(try await server.send("GET", "/api/status").status == 200, "seed \(seed)")
    }
  }

  @Test func `a client that leaves in the middle is forgotten`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("a.mp3", [UInt8](repeating: 1, count: 20_000_000))
    try await withServer(files: ["sha256:a": path]) { (server: ServerHarness) async throws in
      for _ in 0..<5 {
        try await offPool {
          let connection = try RawClient(port: server.port)
          connection.request("GET", "/api/tracks/sha256:a")
          _ = try connection.take(100_000)
          let login = try RawClient(port: server.port)
          let json = Array(#"{"username":"ann","password":"secret"}"#.utf8)
          // It leaves while the password is being hashed.
          login.request("POST", "/api/auth/login", body: json)
        }
      }
    }
  }

  @Test func `many listeners hear of one change`() async throws {
    try await withServer { (server: ServerHarness) async throws in
      async let heard = offPool {
        let sockets = try (0..<100).map { _ in try RawSocket(port: server.port) }
        return try sockets.map { try $0.state { $0.paused }.listenerCount }
      }
      try await eventually("all listen") { await server.server.socketCount == 100 }
      await server.server.control(.pause)
      let counts = try await heard
      #expect(counts == [Int](repeating: 100, count: 100))
    }
  }
}
