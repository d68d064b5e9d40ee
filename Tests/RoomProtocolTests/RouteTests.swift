import RoomProtocol
import TestSupport
import Testing

@Suite struct PathSegmentTests {
  @Test(arguments: [
    ("sha256:ab/c", "sha256%3Aab%2Fc"),
    ("Az09-._~", "Az09-._~"),
    (".", "%2E"),
    ("..", "%2E%2E"),
    ("...", "..."),
    ("../../etc/passwd", "..%2F..%2Fetc%2Fpasswd"),
    ("a b?c#d%e&f=g+h", "a%20b%3Fc%23d%25e%26f%3Dg%2Bh"),
    ("é\u{0}\n", "%C3%A9%00%0A"),
    ("", ""),
  ])
  func `an id stays one segment`(id: String, expected: String) {
    #expect(PathSegment.encode(id) == expected)
    #expect(PathSegment.decode(expected) == id)
  }

  @Test(arguments: ["%", "%2", "%zz", "a%2", "%FF", "%C3"])
  func `a segment that is badly encoded is refused`(segment: String) {
    #expect(PathSegment.decode(segment) == nil)
  }

  @Test(arguments: 0..<20)
  func `any text comes back, and holds nothing that a path could mistake`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      let scalars = (0..<Int.random(in: 1...20, using: &random)).compactMap { _ in
        Unicode.Scalar(UInt32.random(in: 0...0x2FFF, using: &random))
      }
      let text = String(String.UnicodeScalarView(scalars))
      let encoded = PathSegment.encode(text)
      #expect(PathSegment.decode(encoded) == text, "seed \(seed)")
      #expect(encoded.utf8.allSatisfy { $0 < 0x7F && $0 > 0x20 && !"/?#".utf8.contains($0) })
    }
  }
}

@Suite struct RouteTests {
  static let all: [Route] = [
    .status, .signup, .login, .logout, .me, .kickOthers, .channels, .createChannel,
    .channel("x/1"), .editChannel("x"), .deleteChannel("x"), .jump("x"), .seek("x"),
    .setMode("x"), .editQueue("x"), .socket("x"), .library, .track("sha256:a/../b"), .upload,
    .playlists, .createPlaylist, .playlist("p"), .editPlaylist("p"), .deletePlaylist("p"),
    .editPlaylistTracks("p"), .sharePlaylist("p"), .unsharePlaylist("p"),
    .sharedPlaylist(token: "t"), .copySharedPlaylist(token: "t"), .fetch, .confirmFetch,
    .fetchJobs, .cancelAllFetches, .cancelFetch("j"),
  ]

  @Test func `every endpoint has a route, and is found by its path`() {
    for route in Self.all {
      #expect(Route(method: route.method, path: route.path) == route)
    }
    #expect(Set(Self.all.map(\.endpoint)) == Set(Endpoint.allCases))
  }

  @Test(
    arguments: [
      (Route.socket("a b"), "GET", "/api/channels/a%20b/ws"),
      (.track("sha256:ab"), "GET", "/api/tracks/sha256%3Aab"),
      (.channel(".."), "GET", "/api/channels/%2E%2E"),
      (.editQueue("1"), "PATCH", "/api/channels/1/queue"),
      (.copySharedPlaylist(token: "t"), "POST", "/api/playlists/shared/t"),
      (.cancelAllFetches, "DELETE", "/api/fetch"),
    ] as [(Route, String, String)])
  func `a route has its method and path`(route: Route, method: String, path: String) {
    #expect(route.method == method)
    #expect(route.path == path)
  }

  @Test(arguments: [
    "", "/", "/api", "/api/nothing", "/api/tracks", "/api/tracks/", "/api/tracks/a/b",
    "/api//tracks/a", "api/status", "/api/tracks/%zz", "/API/status", "/api/channels/a/ws/",
  ])
  func `a path that is none of the protocol's is no route`(path: String) {
    #expect(Route(method: "GET", path: path) == nil)
    #expect(Route.methods(of: path).isEmpty)
  }

  @Test func `a known path tells its methods`() {
    #expect(Set(Route.methods(of: "/api/channels/a")) == ["GET", "PATCH", "DELETE"])
    #expect(Route(method: "PUT", path: "/api/channels/a") == nil)
  }

  @Test func `a query is not part of the path`() {
    #expect(Route(method: "GET", path: "/api/tracks/a?x=/b") == .track("a"))
  }

  @Test func `a path that was decoded before is taken as it stands`() {
    #expect(Route(method: "GET", path: "/api/tracks/a?%zz", isEncoded: false) == .track("a?%zz"))
  }

  @Test func `a path written out goes before one with a variable`() {
    #expect(Route(method: "POST", path: "/api/fetch/confirm") == .confirmFetch)
    #expect(Route(method: "DELETE", path: "/api/fetch/confirm") == .cancelFetch("confirm"))
  }
}
