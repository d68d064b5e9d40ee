import RoomClient
import RoomProtocol
import Testing
import Transport

@Suite struct ServerAddressTests {
  @Test(arguments: [
    ("https://tunes.example.org", "https://tunes.example.org"),
    ("  https://tunes.example.org///  ", "https://tunes.example.org"),
    ("tunes.example.org", "https://tunes.example.org"),
    ("tunes.example.org:8443/rooms/", "https://tunes.example.org:8443/rooms"),
    ("HTTP://Tunes.Example.ORG/A%2Fb/../c", "http://tunes.example.org/A%2Fb/../c"),
    ("localhost:3001", "http://localhost:3001"),
    ("music.local", "http://music.local"),
    ("10.1.2.3", "http://10.1.2.3"),
    ("172.16.0.1:3001", "http://172.16.0.1:3001"),
    ("172.32.0.1", "https://172.32.0.1"),
    ("192.168.1.20:3001", "http://192.168.1.20:3001"),
    ("192.169.1.20", "https://192.169.1.20"),
    ("8.8.8.8", "https://8.8.8.8"),
    ("[::1]:3001", "http://[::1]:3001"),
    ("[2001:db8::1]", "https://[2001:db8::1]"),
    ("ws://room.example.org", "http://room.example.org"),
    ("wss://room.example.org/x", "https://room.example.org/x"),
    ("https://room.example.org/?a=b#c", "https://room.example.org"),
    ("http://mhsgroove.peterino.com:3001/", "https://tunes.peterino.com"),
    ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
  ])
  func `what people type is read`(text: String, expected: String) throws {
    #expect(try ServerAddress(text).description == expected)
  }

  @Test func `a blank setting means the standard server`() throws {
    #expect(try ServerAddress.setting(nil) == .standard)
    #expect(try ServerAddress.setting("  ") == .standard)
    #expect(throws: ServerAddress.ReadingError.blank) { try ServerAddress(" / ") }
  }

  @Test(arguments: ["ftp://example.org", "http://", "http://exa mple.org", "host:port", "a:99999"])
  func `what is no address is refused`(text: String) {
    #expect(throws: ServerAddress.ReadingError.self) { try ServerAddress(text) }
  }

  @Test func `a password in an address is refused and not repeated`() {
    let error = #expect(throws: ServerAddress.ReadingError.self) {
      try ServerAddress("https://me:secret@example.org")
    }
    #expect(error == .userInfo)
    #expect(!"\(String(describing: error))".contains("secret"))
  }

  @Test func `routes keep the prefix and ids keep their bytes`() throws {
    let server = try ServerAddress("https://example.org/rooms/")
    let track = server.url(.track("../../etc/passwd"))
    #expect(track.description == "https://example.org/rooms/api/tracks/..%2F..%2Fetc%2Fpasswd")
    let socket = server.socketURL("a/b")
    #expect(socket.description == "wss://example.org/rooms/api/channels/a%2Fb/ws")
    let near = try ServerAddress("localhost:3001").socketURL("x")
    #expect(near.description == "ws://localhost:3001/api/channels/x/ws")
  }
}
