import TestSupport
import Testing
import Transport

@Suite(.timeLimit(.minutes(3))) struct CookieTests {
  private static let now: Int64 = 1_800_000_000

  private func cookie(_ header: String, from url: String) throws -> Cookie? {
    Cookie(setCookie: header, from: try NetworkURL(url), now: Self.now)
  }

  @Test(arguments: [
    ("a=1", "wss://h.example.org/api/x", "h.example.org\tFALSE\t/api\tFALSE\t0\ta\t1"),
    ("a=1; Path=/", "ws://h.example.org/api/x", "h.example.org\tFALSE\t/\tFALSE\t0\ta\t1"),
    (
      "a=1; Domain=.Example.org; HttpOnly; Secure", "wss://h.example.org/x",
      "#HttpOnly_.example.org\tTRUE\t/\tTRUE\t0\ta\t1"
    ),
    (
      "a=b=c; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "ws://h/x",
      "h\tFALSE\t/\tFALSE\t1800000060\ta\tb=c"
    ),
    ("a=; Max-Age=0", "ws://h/x", "h\tFALSE\t/\tFALSE\t1\ta\t"),
    (
      "a=1; Expires=Fri, 31 Dec 2027 23:59:59 GMT", "ws://h/x",
      "h\tFALSE\t/\tFALSE\t1830297599\ta\t1"
    ),
    ("a=1; Domain=127.0.0.1", "ws://127.0.0.1/x", "127.0.0.1\tFALSE\t/\tFALSE\t0\ta\t1"),
  ])
  func `a Set-Cookie becomes a line with a place`(header: String, url: String, line: String) throws
  {
    let cookie = try cookie(header, from: url)
    #expect(cookie?.netscapeLine == line)
    #expect(Cookie(netscapeLine: line) == cookie)
  }

  @Test(arguments: [
    ("a=1; Domain=other.org", "ws://h.example.org/"), ("a=1; Domain=org", "ws://h.example.org/"),
    ("a=1; Domain=0.0.1", "ws://127.0.0.1/"), ("a=1; Domain=ample.org", "ws://h.example.org/"),
    ("a=1; Secure", "ws://h/"), ("nothing", "ws://h/"), ("=1", "ws://h/"), ("a=1\t2", "ws://h/"),
  ])
  func `a Set-Cookie that claims too much is ignored`(header: String, url: String) throws {
    #expect(try cookie(header, from: url) == nil)
  }

  @Test(arguments: [
    ("h.org\tFALSE\t/\tFALSE\t0\ta\t1", "http://h.org/x", true),
    ("h.org\tFALSE\t/\tFALSE\t0\ta\t1", "http://sub.h.org/x", false),
    (".h.org\tTRUE\t/\tFALSE\t0\ta\t1", "http://sub.h.org/x", true),
    (".h.org\tTRUE\t/\tFALSE\t0\ta\t1", "http://evilh.org/x", false),
    ("h.org\tFALSE\t/\tTRUE\t0\ta\t1", "ws://h.org/x", false),
    ("h.org\tFALSE\t/\tTRUE\t0\ta\t1", "wss://h.org/x", true),
    ("h.org\tFALSE\t/api\tFALSE\t0\ta\t1", "http://h.org/api", true),
    ("h.org\tFALSE\t/api\tFALSE\t0\ta\t1", "http://h.org/api/x", true),
    ("h.org\tFALSE\t/api\tFALSE\t0\ta\t1", "http://h.org/apix", false),
    ("h.org\tFALSE\t/api\tFALSE\t0\ta\t1", "http://h.org/", false),
  ])
  func `a cookie goes to its own place only`(line: String, url: String, goes: Bool) throws {
    let cookie = try #require(Cookie(netscapeLine: line))
    #expect(cookie.applies(to: try NetworkURL(url)) == goes)
  }

  @Test func `no text made of a cookie has its value`() throws {
    let cookie = try #require(Cookie(netscapeLine: "h\tFALSE\t/\tFALSE\t0\tsession\ts3cret"))
    #expect(!"\(cookie)".contains("s3cret"))
    #expect(!String(reflecting: cookie).contains("s3cret"))
  }

  @Test func `curl and we agree on a cookie of an answer`() async throws {
    let script: @Sendable (RawConnection) -> Void = { connection in
      while connection.readHead() != nil {
        connection.answer("200 OK", ["Set-Cookie: blastoise_session=one; HttpOnly; Path=/api"])
      }
    }
    try await withStandIn(script) { client, url, server in
      let api = url.appending(path: "/api/auth/me")
      _ = try await client.send(HTTPRequest(.get, api))
      let line = "#HttpOnly_127.0.0.1\tFALSE\t/api\tFALSE\t0\tblastoise_session\tone"
      #expect(client.cookies.all.map(\.netscapeLine) == [line])
      var changes = client.cookies.changes.makeAsyncIterator()
      #expect(await changes.next()?.count == 1)
      _ = try await client.send(HTTPRequest(.get, api))
      _ = try await client.send(HTTPRequest(.get, url.appending(path: "/other")))
      #expect(server.heads.map { $0.contains("Cookie:") } == [false, true, false])
      #expect(client.cookies.header(for: api.with(scheme: "ws")) == "blastoise_session=one")
      #expect(client.cookies.header(for: url) == nil)
    }
  }

  @Test func `a socket's cookie goes to its host alone`() async throws {
    let script: @Sendable (RawConnection) -> Void = { connection in
      while connection.readHead() != nil { connection.answer("200 OK") }
    }
    try await withStandIn(script) { client, url, server in
      let socket = url.appending(path: "/api/channels/x/ws").with(scheme: "ws")
      await client.cookies.keep(setCookie: ["s=1; Path=/"], from: socket)
      _ = try await client.send(HTTPRequest(.get, url))
      let elsewhere = try NetworkURL("http://localhost:\(server.port)/")
      _ = try await client.send(HTTPRequest(.get, elsewhere))
      #expect(server.heads.map { $0.contains("Cookie: s=1") } == [true, false])
      await client.cookies.replaceAll(with: [])
      _ = try await client.send(HTTPRequest(.get, url))
      #expect(server.heads.last?.contains("Cookie") == false)
    }
  }
}
