import Synchronization
import TestSupport
import Testing
import Transport

/// Retries, time limits and answers of servers that misbehave.
@Suite(.timeLimit(.minutes(3))) struct PatienceTests {
  private func error(
    _ script: @escaping @Sendable (RawConnection) -> Void,
    configure: (inout TransportConfiguration) -> Void = { _ in }
  ) async throws -> TransportError.Cause? {
    try await withStandIn(script, configure: configure) { client, url, _ in
      var request = HTTPRequest(.get, url)
      request.retries = 0
      return await failure { () async throws(TransportError) in try await client.send(request) }
    }
  }

  @Test(arguments: [
    (HTTPRequest.Method.get, 503, 3), (.head, 502, 3), (.get, 500, 1), (.get, 404, 1),
    (.post, 503, 1), (.patch, 503, 1), (.delete, 504, 1),
  ])
  func `only harmless requests are tried again, and only a few times`(
    method: HTTPRequest.Method, status: Int, attempts: Int
  ) async throws {
    let server = try RawServer { connection in
      while connection.readHead() != nil { connection.answer("\(status) No") }
    }
    let time = ManualTime()
    let client = HTTPClient(
      configuration: TransportConfiguration(userAgent: "BlastoiseCLI/test"), time: time.source)
    defer {
      client.shutdown()
      server.stop()
    }
    let url = try NetworkURL("http://127.0.0.1:\(server.port)/")
    let answer = Task { try await client.send(HTTPRequest(method, url)) }
    for pause in [250, 500].prefix(attempts - 1) {
      try await eventually("a wait") { time.sleeperCount > 0 }
      time.advance(by: .milliseconds(pause - 1))
      #expect(time.sleeperCount == 1, "waits \(pause) ms")
      time.advance(by: .milliseconds(1))
      try await eventually("an end of it") { time.sleeperCount != 1 }
    }
    #expect(try await answer.value.status == status)
    #expect(server.heads.count == attempts)
  }

  @Test(arguments: [HTTPRequest.Method.post, .patch, .delete, .get])
  func `what is lost on a kept connection is sent again only where that does no harm`(
    method: HTTPRequest.Method
  ) async throws {
    let script: @Sendable (RawConnection) -> Void = { connection in
      while let head = connection.readHead() {
        // The first request of each connection is answered; the next finds it closed.
        guard head.contains("/first") else { return }
        connection.answer("200 OK")
      }
    }
    try await withStandIn(script) { client, url, server in
      _ = try await client.send(HTTPRequest(.get, url.appending(path: "/first")))
      var request = HTTPRequest(method, url.appending(path: "/second"))
      request.retries = 0
      let error = await thrown { () async throws(TransportError) in try await client.send(request) }
      guard case .interrupted = error?.cause else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(error?.wasSent == true)
      let count = server.heads.count { $0.contains("/second") }
      #expect(count == (method == .get ? 2 : 1))
    }
  }

  @Test func `what never left was not sent`() async throws {
    let gone = try RawServer(silence)
    gone.stop()
    let client = HTTPClient(configuration: TransportConfiguration(userAgent: "BlastoiseCLI/test"))
    let url = try NetworkURL("http://127.0.0.1:\(gone.port)/")
    let error = await thrown { () async throws(TransportError) in
      try await client.send(HTTPRequest(.post, url))
    }
    #expect(error?.wasSent == false)
    client.shutdown()
  }

  @Test func `a server that has to think first is waited for`() async throws {
    let script: @Sendable (RawConnection) -> Void = { connection in
      while connection.readHead() != nil {
        Pause.nanoseconds(1_600_000_000)
        connection.answer("200 OK", body: "thought")
      }
    }
    try await withStandIn(script) {
      $0.idleTimeout = .seconds(1)
    } _: { client, url, _ in
      var request = HTTPRequest(.post, url)
      let impatient = await failure { () async throws(TransportError) in
        try await client.send(request)
      }
      guard case .timeout = impatient else {
        Issue.record("\(String(describing: impatient))")
        return
      }
      request.hasIdleTimeout = false
      let answer = try await client.send(request)
      #expect(answer.body == Array("thought".utf8))
    }
  }

  @Test func `a server that comes back in time is not noticed`() async throws {
    let count = Atomic(0)
    let script: @Sendable (RawConnection) -> Void = { connection in
      while connection.readHead() != nil {
        let number = count.add(1, ordering: .relaxed).newValue
        if number == 1 { return }
        connection.answer(number == 2 ? "502 Bad Gateway" : "200 OK", body: "\(number)")
      }
    }
    try await withStandIn(script) { client, url, _ in
      let response = try await client.send(HTTPRequest(.get, url))
      #expect(response.body == Array("3".utf8))
    }
  }

  @Test func `a server that falls silent in the middle is a timeout`() async throws {
    let cause = try await error { connection in
      guard connection.readHead() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
      connection.waitForEnd()
    } configure: {
      $0.idleTimeout = .seconds(1)
    }
    guard case .timeout = cause else {
      Issue.record("\(String(describing: cause))")
      return
    }
  }

  @Test func `a request that takes too long in all is a timeout, a download is not`() async throws {
    let script: @Sendable (RawConnection) -> Void = { connection in
      guard connection.readHead() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n")
      for _ in 0..<8 {
        Pause.nanoseconds(60_000_000)
        connection.write("x")
      }
      connection.waitForEnd()
    }
    try await withStandIn(script) {
      $0.totalTimeout = .milliseconds(200)
    } _: { client, url, _ in
      let cause = await failure { () async throws(TransportError) in
        try await client.send(HTTPRequest(.get, url))
      }
      guard case .timeout = cause else {
        Issue.record("\(String(describing: cause))")
        return
      }
      let collector = Collector()
      _ = try await client.download(HTTPRequest(.get, url), to: collector)
      #expect(collector.all.bytes.count == 8)
    }
  }

  @Test func `what is no HTTP is a violation`() async throws {
    let cause = try await error { connection in
      guard connection.readHead() != nil else { return }
      connection.write("SSH-2.0-OpenSSH_9.2\r\n\r\n")
    }
    guard case .protocolViolation = cause else {
      Issue.record("\(String(describing: cause))")
      return
    }
  }

  @Test func `a flood of headers ends the transfer`() async throws {
    let cause = try await error { connection in
      guard connection.readHead() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\n")
      let line = "X-Flood: \(String(repeating: "y", count: 8000))\r\n"
      for _ in 0..<1000 { connection.write(line) }
      connection.write("\r\n")
    }
    switch cause {
    case .tooLarge, .protocolViolation, .interrupted: break
    default: Issue.record("\(String(describing: cause))")
    }
  }

  @Test func `the head of an answer is its last one, and its trailers are none`() async throws {
    let script: @Sendable (RawConnection) -> Void = { connection in
      guard connection.readHead() != nil else { return }
      connection.write("HTTP/1.1 103 Early Hints\r\nX-Kind: early\r\n\r\n")
      connection.write("HTTP/1.1 200 OK\r\nX-Kind: last\r\nTransfer-Encoding: chunked\r\n\r\n")
      connection.write("5\r\nhello\r\n0\r\nX-Kind: trailer\r\n\r\n")
    }
    try await withStandIn(script) { client, url, _ in
      let response = try await client.send(HTTPRequest(.get, url))
      #expect(response.status == 200)
      #expect(response.headers.values(of: "x-kind") == ["last"])
      #expect(response.body == Array("hello".utf8))
    }
  }

  @Test func `a body without a length ends with the connection`() async throws {
    let script: @Sendable (RawConnection) -> Void = { connection in
      guard connection.readHead() != nil else { return }
      connection.write("HTTP/1.0 200 OK\r\n\r\nall of it")
    }
    try await withStandIn(script) { client, url, _ in
      let collector = Collector()
      _ = try await client.download(HTTPRequest(.get, url), to: collector)
      #expect(collector.all.contentLength == nil)
      #expect(collector.all.bytes == Array("all of it".utf8))
    }
  }

  @Test func `a compressed answer is unpacked within the limit`() async throws {
    // gzip of 100,000 blanks: 133 bytes on the wire.
    let packed = try Fixture.bytes("http/blanks.gz")
    let script: @Sendable (RawConnection) -> Void = { connection in
      while connection.readHead() != nil {
        connection.write(
          "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(packed.count)\r\n\r\n")
        connection.write(packed)
      }
    }
    try await withStandIn(script) { client, url, server in
      let response = try await client.send(HTTPRequest(.get, url))
      #expect(response.body == [UInt8](repeating: 0x20, count: 100_000))
      #expect(server.heads[0].contains("Accept-Encoding:"))
      var small = HTTPRequest(.get, url)
      small.sizeLimit = 50_000
      let cause = await failure { () async throws(TransportError) in try await client.send(small) }
      #expect(cause == .tooLarge(limit: 50_000))
    }
  }
}
