import TestSupport
import Testing
import Transport

@Suite(.timeLimit(.minutes(3))) struct RedirectTests {
  /// Redirects `/from` to a place and answers everything else.
  private static func redirecting(
    _ status: Int, to place: @escaping @Sendable (RawConnection) -> String
  ) -> @Sendable (RawConnection) -> Void {
    { connection in
      while let head = connection.readHead() {
        if head.contains("Content-Length: 2\r\n") { _ = connection.read(2) }
        if head.split(separator: " ")[1] == "/from" {
          let cookie = "Set-Cookie: hop=1; Path=/"
          connection.answer(
            "\(status) Elsewhere", ["Location: \(place(connection))", cookie], body: "moved")
        } else {
          connection.answer("200 OK", body: "here")
        }
      }
    }
  }

  private func giveCookie(_ client: HTTPClient) async throws {
    let line = "127.0.0.1\tFALSE\t/\tFALSE\t0\tblastoise_session\ts"
    await client.cookies.put([try #require(Cookie(netscapeLine: line))])
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func `a redirect within the host is followed with its cookies`(status: Int) async throws {
    try await withStandIn(Self.redirecting(status) { _ in "/to/../there?x=1" }) {
      client, url, server in
      try await giveCookie(client)
      let response = try await client.send(HTTPRequest(.get, url.appending(path: "/from")))
      #expect(response.body == Array("here".utf8))
      #expect(response.url.target.hasPrefix("/"))
      #expect(server.heads.count == 2)
      #expect(server.heads[1].contains("blastoise_session=s"))
      #expect(server.heads[1].contains("hop=1"))
    }
  }

  @Test func `a redirect to another host is reported, with its target`() async throws {
    try await withStandIn(Self.redirecting(302) { _ in "http://elsewhere.invalid/x?token=t" }) {
      client, url, server in
      let cause = await failure { () async throws(TransportError) in
        try await client.send(HTTPRequest(.get, url.appending(path: "/from")))
      }
      #expect(cause == .redirected(to: "http://elsewhere.invalid/x"))
    }
  }

  @Test func `a download follows to another host without any cookie`() async throws {
    let other = try RawServer { connection in
      while connection.readHead() != nil {
        connection.answer("200 OK", ["Set-Cookie: foreign=1"], body: "bytes")
      }
    }
    defer { other.stop() }
    let place = "http://localhost:\(other.port)/file"
    try await withStandIn(Self.redirecting(302) { _ in place }) { client, url, server in
      try await giveCookie(client)
      // A cookie for that host too: it is not to be sent on a redirected leg.
      let line = "localhost\tFALSE\t/\tFALSE\t0\tlocal\tx"
      await client.cookies.put([try #require(Cookie(netscapeLine: line))])
      var request = HTTPRequest(.get, url.appending(path: "/from"))
      request.followsToOtherHosts = true
      let collector = Collector()
      let response = try await client.download(request, to: collector)
      #expect(collector.all.bytes == Array("bytes".utf8))
      #expect(response.url.description == place)
      #expect(server.heads[0].contains("blastoise_session=s"))
      #expect(other.heads.count == 1)
      #expect(!other.heads[0].contains("Cookie"))
      #expect(!client.cookies.all.contains { $0.name == "foreign" })
    }
  }

  @Test(arguments: [(301, false), (302, false), (307, true), (308, true)])
  func `a change is repeated elsewhere only where the status says so`(
    status: Int, isFollowed: Bool
  ) async throws {
    try await withStandIn(Self.redirecting(status) { _ in "/to" }) { client, url, server in
      var request = HTTPRequest(.post, url.appending(path: "/from"))
      request.body = Array("{}".utf8)
      let cause = await failure { () async throws(TransportError) in
        try await client.send(request)
      }
      #expect((cause == nil) == isFollowed)
      #expect(server.heads.count == (isFollowed ? 2 : 1))
      #expect(server.heads.allSatisfy { $0.hasPrefix("POST") })
    }
  }

  @Test func `a circle ends after five`() async throws {
    try await withStandIn(Self.redirecting(302) { _ in "/from" }) { client, url, server in
      let cause = await failure { () async throws(TransportError) in
        try await client.send(HTTPRequest(.get, url.appending(path: "/from")))
      }
      #expect(cause == .protocolViolation(detail: "it redirects in circles"))
      #expect(server.heads.count == 6)
    }
  }
}
