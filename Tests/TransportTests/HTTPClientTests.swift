import Synchronization
import TestSupport
import Testing
import Transport

@Suite(.timeLimit(.minutes(3))) struct HTTPClientTests {
  /// Answers every request with the same text.
  private static func answering(_ body: String) -> @Sendable (RawConnection) -> Void {
    { connection in
      while connection.readHead() != nil { connection.answer("200 OK", body: body) }
    }
  }

  @Test func `a GET brings status, headers and body on a kept connection`() async throws {
    try await withStandIn(Self.answering("hello")) { client, url, server in
      for _ in 0..<3 {
        let response = try await client.send(HTTPRequest(.get, url.appending(path: "/api/status")))
        #expect(response.status == 200)
        #expect(response.body == Array("hello".utf8))
        #expect(response.headers["content-length"] == "5")
        #expect(response.sentAt <= response.answeredAt)
      }
      #expect(server.connectionCount == 1)
      let head = server.heads[0]
      #expect(head.hasPrefix("GET /api/status HTTP/1.1\r\n"))
      #expect(head.contains("User-Agent: BlastoiseCLI/test\r\n"))
    }
  }

  @Test func `the path goes out byte for byte`() async throws {
    try await withStandIn(Self.answering("")) { client, url, server in
      let path = "/api/tracks/..%2F..%2Fetc%2Fpasswd/../%2e%2e/a//b"
      _ = try await client.send(HTTPRequest(.get, url.appending(path: path)))
      #expect(server.heads[0].hasPrefix("GET \(path) HTTP/1.1\r\n"))
    }
  }

  @Test(arguments: [HTTPRequest.Method.post, .patch, .delete])
  func `a change carries a length even when it is empty`(method: HTTPRequest.Method) async throws {
    try await withStandIn(Self.answering("")) { client, url, server in
      _ = try await client.send(HTTPRequest(method, url.appending(path: "/x")))
      let head = server.heads[0]
      #expect(head.hasPrefix("\(method.rawValue) /x HTTP/1.1\r\n"))
      #expect(head.contains("Content-Length: 0\r\n"))
      #expect(!head.contains("Content-Type:"))
    }
  }

  @Test func `a large body is sent at once, without asking first`() async throws {
    let body = [UInt8](repeating: 0x61, count: 2_000_000)
    let script: @Sendable (RawConnection) -> Void = { connection in
      guard connection.readHead() != nil else { return }
      connection.answer("200 OK", body: "\(connection.read(2_000_000).count)")
    }
    try await withStandIn(script) { client, url, server in
      var request = HTTPRequest(.patch, url)
      request.headers.add("Content-Type", "application/json")
      request.body = body
      let response = try await client.send(request)
      #expect(response.body == Array("2000000".utf8))
      #expect(!server.heads[0].contains("Expect"))
      #expect(server.heads[0].contains("Content-Type: application/json\r\n"))
    }
  }

  @Test func `an answer above the limit fails instead of filling the memory`() async throws {
    try await withStandIn(Self.answering(String(repeating: "x", count: 5000))) { client, url, _ in
      var request = HTTPRequest(.get, url)
      request.sizeLimit = 4999
      let cause = await failure { () async throws(TransportError) in try await client.send(request)
      }
      #expect(cause == .tooLarge(limit: 4999))
    }
  }

  @Test func `a download hands over head and bytes, and the client's memory keeps none`()
    async throws
  {
    let text = String(repeating: "0123456789", count: 100_000)
    try await withStandIn(Self.answering(text)) { client, url, server in
      let collector = Collector()
      let response = try await client.download(HTTPRequest(.get, url), to: collector)
      #expect(response.body.isEmpty)
      #expect(collector.all.status == 200)
      #expect(collector.all.contentLength == 1_000_000)
      #expect(collector.all.bytes == Array(text.utf8))
      #expect(!server.heads[0].contains("Accept-Encoding"))
    }
  }

  @Test func `a download's error answer goes to the response, not to the receiver`() async throws {
    let script: @Sendable (RawConnection) -> Void = { connection in
      guard connection.readHead() != nil else { return }
      connection.answer("404 Not Found", body: "{\"error\":\"no such track\"}")
    }
    try await withStandIn(script) { client, url, _ in
      let collector = Collector()
      let response = try await client.download(HTTPRequest(.get, url), to: collector)
      #expect(response.status == 404)
      #expect(response.body == Array("{\"error\":\"no such track\"}".utf8))
      #expect(collector.all.status == 404)
      #expect(collector.all.bytes.isEmpty)
    }
  }

  @Test func `a receiver that has enough aborts the download`() async throws {
    try await withStandIn(Self.answering(String(repeating: "x", count: 1_000_000))) {
      client, url, _ in
      let cause = await failure { () async throws(TransportError) in
        try await client.download(HTTPRequest(.get, url), to: Collector(limit: 1000))
      }
      #expect(cause == .aborted)
    }
  }

  @Test func `a body that ends early is an interruption`() async throws {
    let script: @Sendable (RawConnection) -> Void = { connection in
      guard connection.readHead() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")
    }
    try await withStandIn(script) { client, url, _ in
      let collector = Collector()
      let cause = await failure { () async throws(TransportError) in
        try await client.download(HTTPRequest(.get, url), to: collector)
      }
      guard case .interrupted = cause else {
        return #expect(Bool(false), "\(String(describing: cause))")
      }
      #expect(collector.all.bytes == Array("short".utf8))
    }
  }

  /// Sends a request that is never answered, and does something once the server has it.
  private func withRequestUnderWay(
    _ body: (HTTPClient, NetworkURL, Task<TransportError.Cause?, Never>) async -> Void
  ) async throws {
    try await withStandIn(silence) { client, url, server in
      let task = Task {
        await failure { () async throws(TransportError) in
          try await client.send(HTTPRequest(.get, url))
        }
      }
      try await eventually("a request") { !server.heads.isEmpty }
      await body(client, url, task)
    }
  }

  @Test func `a cancelled task aborts its transfer at once`() async throws {
    try await withRequestUnderWay { _, _, task in
      task.cancel()
      #expect(await task.value == .cancelled)
    }
  }

  @Test func `a task that is cancelled before it sends sends nothing`() async throws {
    try await withStandIn(Self.answering("")) { client, url, server in
      let task = Task {
        while !Task.isCancelled { await Task.yield() }
        return await failure { () async throws(TransportError) in
          try await client.send(HTTPRequest(.get, url))
        }
      }
      task.cancel()
      #expect(await task.value == .cancelled)
      #expect(server.heads.isEmpty)
    }
  }

  @Test func `a shutdown answers what is under way, and nothing can be sent after it`()
    async throws
  {
    try await withRequestUnderWay { client, url, task in
      client.shutdown()
      #expect(await task.value == .stopped)
      let later = await failure { () async throws(TransportError) in
        try await client.send(HTTPRequest(.get, url))
      }
      #expect(later == .stopped)
    }
  }

  @Test func `a receiver that is full holds the server back`() async throws {
    let count = 24_000_000
    let script: @Sendable (RawConnection) -> Void = { connection in
      guard connection.readHead() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n")
      connection.write([UInt8](repeating: 7, count: count))
    }
    try await withStandIn(script) { client, url, _ in
      let receiver = FullReceiver()
      let download = Task { try await client.download(HTTPRequest(.get, url), to: receiver) }
      try await eventually("it is full") { receiver.count > FullReceiver.limit }
      let before = receiver.count
      try await Task.sleep(for: .milliseconds(150))
      #expect(receiver.count == before)
      receiver.isDraining.store(true, ordering: .releasing)
      let response = try await download.value
      #expect(response.isSuccess)
      #expect(receiver.count == count)
    }
  }
}

/// A receiver that has enough after a megabyte, until it is drained.
private final class FullReceiver: BodyReceiver {
  static let limit = 1_000_000
  let isDraining = Atomic(false)
  private let received = Atomic(0)

  var count: Int { received.load(ordering: .acquiring) }
  var isFull: Bool { count > Self.limit && !isDraining.load(ordering: .acquiring) }

  func response(status: Int, headers: HTTPHeaders, contentLength: Int64?) {}

  func data(_ bytes: UnsafeRawBufferPointer) -> Bool {
    received.add(bytes.count, ordering: .releasing)
    return true
  }
}
