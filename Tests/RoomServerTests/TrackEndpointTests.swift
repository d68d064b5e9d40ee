import RoomProtocol
import TestSupport
import Testing

@testable import RoomServer

@Suite(.serialized, .timeLimit(.minutes(3))) struct TrackEndpointTests {
  /// Three times the size of a piece, and a bit: every place where pieces meet is in it.
  private static let bytes = (0..<400_003).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ ($0 >> 8)) }

  private func withTrack(
    _ configure: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (ServerHarness) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("a.mp3", Self.bytes)
    try await withServer(files: ["sha256:a": path], configure, body)
  }

  @Test func `a listing that is known is not sent again`() async throws {
    try await withServer { (server: ServerHarness) async throws in
      let first = try await server.send("GET", "/api/library")
      let mark = try #require(first["ETag"])
      let headers = ["If-None-Match: \(mark)"]
      let second = try await server.send("GET", "/api/library", headers: headers)
      #expect(second.status == 304)
      #expect(second.body.isEmpty)
      #expect(second["Content-Length"] == nil)
      await server.server.add([Track(id: "sha256:new", duration: 1)])
      let third = try await server.send("GET", "/api/library", headers: headers)
      #expect(third.status == 200)
      #expect(third["ETag"] != mark)
    }
  }

  @Test(
    arguments: [
      (nil, 0..<400_003), ("bytes=0-", 0..<400_003), ("bytes=0-0", 0..<1),
      ("bytes=131071-131072", 131_071..<131_073), ("bytes=100000-", 100_000..<400_003),
      ("bytes=-3", 400_000..<400_003), ("bytes=399999-999999999", 399_999..<400_003),
    ] as [(String?, Range<Int>)])
  func `ranges give the file's bytes`(range: String?, expected: Range<Int>) async throws {
    try await withTrack { (server: ServerHarness) async throws in
      let headers = range.map { ["Range: \($0)"] } ?? []
      for method in ["GET", "HEAD"] {
        let response = try await server.send(method, "/api/tracks/sha256:a", headers: headers)
        #expect(response.status == (range == nil ? 200 : 206))
        #expect(response["Content-Length"] == "\(expected.count)")
        #expect(response["Content-Type"] == "audio/mpeg")
        #expect(response["Accept-Ranges"] == "bytes")
        let place = "bytes \(expected.lowerBound)-\(expected.upperBound - 1)/400003"
        #expect(response["Content-Range"] == (range == nil ? nil : place))
        if method == "GET" { #expect(response.body == Array(Self.bytes[expected])) }
      }
    }
  }

  @Test func `an unsatisfiable range is a 416 with the size`() async throws {
    try await withTrack { (server: ServerHarness) async throws in
      let response = try await server.send(
        "GET", "/api/tracks/sha256:a", headers: ["Range: bytes=400003-"])
      #expect(response.status == 416)
      #expect(response["Content-Range"] == "bytes */400003")
    }
  }

  @Test func `a range of another version is the whole file`() async throws {
    try await withTrack { (server: ServerHarness) async throws in
      let tag = try await server.send("HEAD", "/api/tracks/sha256:a")["ETag"] ?? ""
      for (validator, status) in [(tag, 206), ("\"other\"", 200)] {
        let response = try await server.send(
          "GET", "/api/tracks/sha256:a", headers: ["Range: bytes=5-9", "If-Range: \(validator)"])
        #expect(response.status == status)
      }
    }
  }

  @Test(arguments: ["sha256:none", "sha256:b", "%2e%2e%2f%2e%2e%2fetc%2fpasswd"])
  func `a track that isn't there is a 404`(id: String) async throws {
    try await withTrack { (server: ServerHarness) async throws in
      #expect(try await server.send("GET", "/api/tracks/\(id)").status == 404)
    }
  }

  @Test func `an encoded id is the id`() async throws {
    try await withTrack { (server: ServerHarness) async throws in
      let response = try await server.send("GET", "/api/tracks/sha256%3Aa")
      #expect(response.body == Self.bytes)
    }
  }

  @Test func `one connection serves many requests`() async throws {
    try await withTrack { (server: ServerHarness) async throws in
      let bodies = try await offPool {
        let connection = try RawClient(port: server.port)
        return try (0..<5).map { index in
          connection.request(
            "GET", "/api/tracks/sha256:a", headers: ["Range: bytes=\(index)-\(index + 200_000)"])
          return try connection.response().body
        }
      }
      for (index, body) in bodies.enumerated() {
        #expect(body == Array(Self.bytes[index...(index + 200_000)]))
      }
    }
  }

  // MARK: Faults

  @Test func `a cut ends the body early, once`() async throws {
    try await withTrack {
      $0.faults.bodyCut = Faults.BodyCut(bytes: 150_000)
    } _: { (server: ServerHarness) async throws in
      let first = try await server.send("GET", "/api/tracks/sha256:a")
      #expect(first["Content-Length"] == "400003")
      #expect(first.isCutOff)
      #expect(first.body == Array(Self.bytes[..<150_000]))
      #expect(try await server.send("GET", "/api/tracks/sha256:a").body == Self.bytes)
    }
  }

  @Test func `a range can be ignored`() async throws {
    try await withTrack {
      $0.faults.ignoresRange = true
    } _: { (server: ServerHarness) async throws in
      let response = try await server.send(
        "GET", "/api/tracks/sha256:a", headers: ["Range: bytes=5-9"])
      #expect(response.status == 200)
      #expect(response.body == Self.bytes)
    }
  }

  @Test func `length and type can be missing and wrong`() async throws {
    try await withTrack {
      $0.faults.omitsContentLength = true
      $0.faults.contentType = "text/html"
    } _: { (server: ServerHarness) async throws in
      let response = try await server.send("GET", "/api/tracks/sha256:a")
      #expect(response["Content-Length"] == nil)
      #expect(response["Content-Type"] == "text/html")
      #expect(response.body == Self.bytes)
    }
  }

  @Test func `bytes can be damaged on the way`() async throws {
    try await withTrack {
      $0.faults.corruption = Faults.Corruption(bytes: 131_070..<131_075, .once)
    } _: { (server: ServerHarness) async throws in
      var expected = Self.bytes
      for index in 131_070..<131_075 { expected[index] ^= 0xFF }
      #expect(try await server.send("GET", "/api/tracks/sha256:a").body == expected)
      #expect(try await server.send("GET", "/api/tracks/sha256:a").body == Self.bytes)
    }
  }

  @Test func `a drip takes its time`() async throws {
    try await withTrack {
      $0.faults.bytesPerSecond = 2_000_000
    } _: { (server: ServerHarness) async throws in
      let start = ContinuousClock.now
      #expect(try await server.send("GET", "/api/tracks/sha256:a").body == Self.bytes)
      // 0.4 MB at 2 MB/s, less the first piece, which comes at once.
      #expect(ContinuousClock.now - start >= .milliseconds(140))
    }
  }

  @Test func `a path fails as often as it is told`() async throws {
    try await withTrack {
      $0.faults.failures = [
        Faults.RouteFailure(path: "/api/library", status: 500),
        Faults.RouteFailure(method: "GET", path: "/api/tracks/", status: 503, .always),
      ]
    } _: { (server: ServerHarness) async throws in
      #expect(try await server.send("GET", "/api/library").status == 500)
      #expect(try await server.send("GET", "/api/library").status == 200)
      #expect(try await server.send("GET", "/api/tracks/sha256:a").status == 503)
      #expect(try await server.send("GET", "/api/tracks/sha256:a").status == 503)
      await server.server.setFaults(Faults())
      #expect(try await server.send("GET", "/api/tracks/sha256:a").status == 200)
    }
  }

  @Test func `an endpoint can answer badly, before or after it has done what it was asked`()
    async throws
  {
    try await withServer { (server: ServerHarness) async throws in
      let cookie = try await server.signIn()
      var faults = Faults()
      faults.failures = [
        .init(.createChannel, .page(502, title: "Proxy"), isDone: true, .once),
        .init(.createChannel, .text(200, "thanks"), .once),
        .init(.channels, .redirect(302, to: "/x")),
      ]
      await server.server.setFaults(faults)
      let path = "/api/channels"
      let made = try await server.send("POST", path, cookie: cookie, json: #"{"name":"Made"}"#)
      #expect(made.status == 502)
      #expect(made["Content-Type"]?.hasPrefix("text/html") == true)
      let not = try await server.send("POST", path, cookie: cookie, json: #"{"name":"Not"}"#)
      #expect(not.status == 200)
      #expect(not.text == "thanks")
      #expect(try await server.send("GET", path)["Location"] == "/x")
      await server.server.setFaults(Faults())
      let names = try await server.send("GET", path).decode(TolerantList<ChannelInfo>.self)
        .elements.map(\.name)
      #expect(names == ["Lobby", "Made"])
    }
  }

  @Test func `everything can be a 401`() async throws {
    try await withTrack {
      $0.faults.rejectsEveryone = true
    } _: { (server: ServerHarness) async throws in
      #expect(try await server.send("GET", "/api/status").status == 401)
      #expect(try await server.send("GET", "/api/tracks/sha256:a").status == 401)
      #expect(try await server.withSocket { $0.handshake.status } == 401)
    }
  }
}
