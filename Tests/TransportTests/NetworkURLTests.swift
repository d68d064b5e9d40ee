import Testing
import Transport

@Suite struct NetworkURLTests {
  @Test(arguments: [
    ("http://h", "http", "h", 80, "/", nil as String?),
    ("HTTPS://H.Example:443/a", "https", "h.example", 443, "/a", nil),
    ("ws://h:3001/a/../b/%2e%2E/c%2Fd?x=1&y#z", "ws", "h", 3001, "/a/../b/%2e%2E/c%2Fd", "x=1&y"),
    ("wss://[::1]:8443/", "wss", "::1", 8443, "/", nil),
  ])
  func `an address is taken apart and nothing in its path is changed`(
    text: String, scheme: String, host: String, port: Int, path: String, query: String?
  ) throws {
    let url = try NetworkURL(text)
    #expect(url.scheme == scheme)
    #expect(url.host == host)
    #expect(url.port == port)
    #expect(url.path == path)
    #expect(url.query == query)
    #expect(try NetworkURL(url.description) == url)
  }

  @Test(arguments: [
    ("https://h:443", "h"), ("https://h:80", "h:80"), ("ws://[::1]", "[::1]"),
    ("ws://[fe80::1]:3001", "[fe80::1]:3001"),
  ])
  func `the authority leaves out the scheme's own port`(text: String, authority: String) throws {
    #expect(try NetworkURL(text).authority == authority)
  }

  @Test(arguments: ["", "h", "/path", "http://", "http://h:0/", "http://h:70000", "http://a b/"])
  func `what is no address is malformed`(text: String) {
    let error = #expect(throws: NetworkURL.ParseError.self) { try NetworkURL(text) }
    guard case .malformed? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `other schemes and passwords are refused`() {
    #expect(throws: NetworkURL.ParseError.scheme("ftp")) { try NetworkURL("ftp://h/") }
    #expect(throws: NetworkURL.ParseError.scheme("file")) { try NetworkURL("file:///etc/passwd") }
    #expect(throws: NetworkURL.ParseError.userInfo) { try NetworkURL("http://u:p@h/") }
  }

  @Test func `paths are joined as they are`() throws {
    let base = try NetworkURL("https://h/prefix/")
    #expect(base.appending(path: "/a%2Fb/../c").target == "/prefix/a%2Fb/../c")
    #expect(base.appending(path: "/x", query: "q=1").target == "/prefix/x?q=1")
    #expect(base.appending(path: "/x", query: "secret=1").redacted == "https://h/prefix/x")
    #expect(try NetworkURL("https://h").appending(path: "/x").description == "https://h/x")
  }

  @Test func `a scheme's own port follows the scheme, another stays`() throws {
    #expect(try NetworkURL("https://h/x").with(scheme: "wss").description == "wss://h/x")
    #expect(try NetworkURL("http://h/x").with(scheme: "https").port == 443)
    #expect(try NetworkURL("http://h:3001/x").with(scheme: "ws").description == "ws://h:3001/x")
  }
}
