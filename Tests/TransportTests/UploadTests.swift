import Synchronization
import TestSupport
import Testing
import Transport

@Suite(.timeLimit(.minutes(3))) struct UploadTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func request(
    _ url: NetworkURL, _ path: String, name: String = "a.mp3",
    progress: (@Sendable (Int64, Int64) -> Void)? = nil
  ) -> HTTPRequest {
    var request = HTTPRequest(.post, url.appending(path: "/api/upload"))
    request.upload = FileUpload(field: "file", path: path, name: name, progress: progress)
    request.hasTotalTimeout = false
    return request
  }

  /// Takes a body of the length that a head names, and answers with what it was.
  private static let taking: @Sendable (RawConnection) -> Void = { connection in
    while let head = connection.readHead() {
      guard let length = contentLength(of: head) else { return }
      let body = connection.read(length)
      connection.answer("201 Created", body: String(decoding: body, as: UTF8.self))
    }
  }

  private static func contentLength(of head: String) -> Int? {
    let line = head.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }
    return line.flatMap { Int($0.dropFirst("Content-Length: ".count)) }
  }

  @Test func `a file goes as a form's field, with its length and name`() async throws {
    let path = try folder.write("x", Array("hello".utf8))
    let told = Mutex<[Int64]>([])
    try await withStandIn(Self.taking) { client, url, server in
      let response = try await client.send(
        request(url, path, name: "my \"song\".mp3") { sent, total in
          told.withLock { $0 = [sent, total] }
        })
      #expect(response.status == 201)
      let body = String(decoding: response.body, as: UTF8.self)
      #expect(body.contains("\r\n\r\nhello\r\n--"))
      #expect(
        body.contains("form-data; name=\"file\"; filename=\"my %22song%22.mp3\"")
          || body.contains("form-data; name=\"file\"; filename=\"my \\\"song\\\".mp3\""))
      let head = server.heads[0]
      #expect(head.hasPrefix("POST /api/upload HTTP/1.1\r\n"))
      #expect(head.contains("Content-Type: multipart/form-data; boundary="))
      #expect(!head.contains("Expect"))
      let length = Int64(Self.contentLength(of: head) ?? 0)
      #expect(told.withLock { $0 } == [length, length])
    }
  }

  @Test func `an empty file and a large one come whole`() async throws {
    let paths = [
      try folder.write("empty", []),
      try folder.write("large", [UInt8](repeating: 97, count: 3_000_000)),
    ]
    let script: @Sendable (RawConnection) -> Void = { connection in
      while let head = connection.readHead() {
        let body = connection.read(Self.contentLength(of: head) ?? 0)
        connection.answer("200 OK", body: "\(body.count { $0 == 97 })")
      }
    }
    try await withStandIn(script) { client, url, _ in
      let counts = [
        try await client.send(request(url, paths[0])).body,
        try await client.send(request(url, paths[1])).body,
      ].map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
      // An `a` or some may be in the boundary and the name.
      #expect((1...60).contains(counts[0]))
      #expect((3_000_001...3_000_060).contains(counts[1]))
    }
  }

  @Test func `a large file is not sent to a server that refuses it by its head`() async throws {
    let path = try folder.write("big", [UInt8](repeating: 0, count: 17 << 20))
    let script: @Sendable (RawConnection) -> Void = { connection in
      guard connection.readHead() != nil else { return }
      connection.answer(
        "413 Payload Too Large", ["Connection: close"], body: "{\"error\":\"too large\"}")
      connection.waitForEnd()
    }
    let sent = Mutex<Int64>(0)
    try await withStandIn(script) { client, url, server in
      let response = try await client.send(
        request(url, path) { bytes, _ in sent.withLock { $0 = bytes } })
      #expect(response.status == 413)
      #expect(server.heads[0].contains("Expect: 100-continue"))
    }
    #expect(sent.withLock { $0 } == 0)
  }

  @Test func `a server that answers in the middle stops the sending`() async throws {
    let path = try folder.write("big", [UInt8](repeating: 0, count: 15 << 20))
    let script: @Sendable (RawConnection) -> Void = { connection in
      guard connection.readHead() != nil else { return }
      _ = connection.read(100_000)
      connection.answer("507 Insufficient Storage", ["Connection: close"], body: "full")
      connection.waitForEnd()
    }
    try await withStandIn(script) { client, url, _ in
      let response = try await client.send(request(url, path))
      #expect(response.status == 507)
      #expect(response.body == Array("full".utf8))
    }
  }

  @Test func `a file that can't be read sends nothing`() async throws {
    try await withStandIn(Self.taking) { client, url, server in
      let cause = await failure { () async throws(TransportError) in
        try await client.send(request(url, folder.file("missing")))
      }
      #expect(cause == .unreadable(path: folder.file("missing")))
      #expect(server.heads.isEmpty)
    }
  }

  @Test func `cancelling ends an upload`() async throws {
    let path = try folder.write("big", [UInt8](repeating: 0, count: 8 << 20))
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let script: @Sendable (RawConnection) -> Void = { connection in
      _ = connection.readHead()
      start.finish()
      connection.waitForEnd()
    }
    try await withStandIn(script) { client, url, _ in
      let request = request(url, path)
      let task = Task { try await client.send(request) }
      for await _ in started {}
      task.cancel()
      let error = await #expect(throws: TransportError.self) { try await task.value }
      #expect(error?.cause == .cancelled)
    }
  }
}
