import RoomProtocol
import Storage
import TestSupport
import Testing

@testable import RoomServer

@Suite(.serialized, .timeLimit(.minutes(3))) struct PlaylistTests {
  /// Makes a playlist of ann's; bob is here too, and the admin is neither of them.
  private func withPlaylist(
    _ json: String = #"{"name":" Mix ","description":"for rain"}"#,
    _ body: (ServerHarness, _ ann: String, _ bob: String, Playlist) async throws -> Void
  ) async throws {
    try await withServer { (server: ServerHarness) async throws in
      _ = try await server.signIn("root")
      let (ann, bob) = (try await server.signIn("ann"), try await server.signIn("bob"))
      let made = try await server.send("POST", "/api/playlists", cookie: ann, json: json)
      #expect(made.status == 201)
      try await body(server, ann, bob, made.decode())
    }
  }

  @Test func `a playlist is made, edited and deleted by its owner`() async throws {
    try await withPlaylist { server, ann, _, made in
      #expect(made.name == "Mix")
      #expect(made.description == "for rain")
      #expect(made.ownerName == "ann")
      #expect(!made.isPublic)
      #expect(made.shareToken == nil)
      #expect(made.trackIDs.isEmpty)
      #expect(made.createdAt > 1.6e12)
      let path = "/api/playlists/\(made.id)"
      let edited: Playlist = try await server.send(
        "PATCH", path, cookie: ann, json: #"{"name":"Sun","isPublic":true}"#
      ).decode()
      #expect(edited.name == "Sun")
      #expect(edited.description == "for rain")
      #expect(edited.isPublic)
      #expect(try await server.send("GET", path, cookie: ann).decode(Playlist.self) == edited)
      let shelf: PlaylistShelf = try await server.send("GET", "/api/playlists", cookie: ann)
        .decode()
      #expect(shelf.mine.elements == [edited])
      #expect(shelf.shared.elements.isEmpty)
      #expect(try await server.send("DELETE", path, cookie: ann).status == 200)
      #expect(try await server.send("GET", path, cookie: ann).status == 404)
    }
  }

  @Test func `what is not public is not there for others`() async throws {
    try await withPlaylist { server, ann, bob, made in
      let path = "/api/playlists/\(made.id)"
      for (method, below) in [
        ("GET", ""), ("PATCH", ""), ("DELETE", ""), ("PATCH", "/tracks"), ("POST", "/share"),
        ("DELETE", "/share"),
      ] {
        let json = below == "/tracks" ? #"{"set":[]}"# : #"{"name":"mine"}"#
        let response = try await server.send(method, path + below, cookie: bob, json: json)
        #expect(response.status == 404)
      }
      #expect(try await server.send("GET", path).status == 404)
      let shelf: PlaylistShelf = try await server.send("GET", "/api/playlists", cookie: bob)
        .decode()
      #expect(shelf == PlaylistShelf())
      let kept: Playlist = try await server.send("GET", path, cookie: ann).decode()
      #expect(kept == made)
    }
  }

  @Test func `what is public is read by all and changed by none`() async throws {
    try await withPlaylist(#"{"name":"Mix","isPublic":true}"#) { server, ann, bob, made in
      let path = "/api/playlists/\(made.id)"
      _ = try await server.send("POST", path + "/share", cookie: ann)
      for cookie in [bob, nil] {
        let read: Playlist = try await server.send("GET", path, cookie: cookie).decode()
        #expect(read.name == "Mix")
        #expect(read.shareToken == nil)
        let shelf: PlaylistShelf = try await server.send("GET", "/api/playlists", cookie: cookie)
          .decode()
        #expect(shelf.shared.elements == [read])
      }
      let edits = [
        try await server.send("PATCH", path, cookie: bob, json: #"{"isPublic":false}"#),
        try await server.send("PATCH", path + "/tracks", cookie: bob, json: #"{"set":[]}"#),
        try await server.send("DELETE", path, cookie: bob),
        try await server.send("DELETE", path, cookie: nil),
      ]
      #expect(edits.map(\.status) == [403, 403, 403, 403])
      // The admin may all.
      let root = try await server.signIn("root")
      #expect(try await server.send("DELETE", path, cookie: root).status == 200)
    }
  }

  @Test func `tracks are edited in the queue's four forms`() async throws {
    try await withPlaylist { server, ann, _, made in
      let path = "/api/playlists/\(made.id)/tracks"
      func edit(_ json: String) async throws -> [String] {
        let answer: Playlist = try await server.send("PATCH", path, cookie: ann, json: json)
          .decode()
        return answer.trackIDs.map { String($0.rawValue.dropFirst("sha256:".count)) }
      }
      let rows: [(String, [String])] = [
        (#"{"set":["sha256:a","sha256:b","sha256:a","sha256:c"]}"#, ["a", "b", "a", "c"]),
        (#"{"add":["sha256:c"],"insertAt":1}"#, ["a", "c", "b", "a", "c"]),
        (#"{"move":[3,4],"to":0}"#, ["a", "c", "a", "c", "b"]),
        (#"{"remove":[4,0,4]}"#, ["c", "a", "c"]),
      ]
      for (json, expected) in rows {
        let got = try await edit(json)
        #expect(got == expected, "\(json)")
      }
    }
  }

  @Test(arguments: [
    #"{"add":["sha256:a","nope"]}"#, #"{"add":["sha256:a"],"insertAt":4}"#, #"{"remove":[3]}"#,
    #"{"remove":[-1]}"#, #"{"move":[0,0],"to":2}"#, #"{"move":[1],"to":9}"#,
    #"{"set":["sha256:a"],"add":["sha256:a"]}"#, #"{"remove":[0.5]}"#, #"{"add":"sha256:a"}"#,
    "{}", "[]", "", #"{"remove":[99999999999999999999]}"#,
  ])
  func `a bad edit changes nothing`(json: String) async throws {
    try await withPlaylist { server, ann, _, made in
      let path = "/api/playlists/\(made.id)"
      let all = #"{"set":["sha256:a","sha256:b","sha256:c"]}"#
      let before: Playlist = try await server.send(
        "PATCH", path + "/tracks", cookie: ann, json: all
      )
      .decode()
      let response = try await server.send("PATCH", path + "/tracks", cookie: ann, json: json)
      #expect(response.status == 400)
      #expect(ServerErrorText.of(response) != nil)
      #expect(try await server.send("GET", path, cookie: ann).decode(Playlist.self) == before)
    }
  }

  @Test func `10,000 rows are taken, more than the limit is refused`() async throws {
    try await withPlaylist { server, ann, _, made in
      let path = "/api/playlists/\(made.id)/tracks"
      func body(_ count: Int) -> String {
        #"{"add":["# + repeatElement(#""sha256:a""#, count: count).joined(separator: ",") + "]}"
      }
      let many: Playlist = try await server.send("PATCH", path, cookie: ann, json: body(10_000))
        .decode()
      #expect(many.trackIDs.count == 10_000)
      let more = try await server.send("PATCH", path, cookie: ann, json: body(190_001))
      #expect(more.status == 400)
    }
  }

  @Test func `a track that is gone stays, and may be moved`() async throws {
    try await withPlaylist { server, ann, _, made in
      let path = "/api/playlists/\(made.id)/tracks"
      await server.server.add([Track(id: "sha256:gone", duration: 1)])
      _ = try await server.send(
        "PATCH", path, cookie: ann, json: #"{"set":["sha256:gone","sha256:a"]}"#)
      _ = await server.server.perform { host in
        host.addedEntries.removeAll { $0.track.id == "sha256:gone" }
        host.publishLibrary()
      }
      let moved: Playlist = try await server.send(
        "PATCH", path, cookie: ann, json: #"{"set":["sha256:a","sha256:gone"]}"#
      ).decode()
      #expect(moved.trackIDs == ["sha256:a", "sha256:gone"])
    }
  }

  @Test func `a token opens and copies a playlist until it is taken back`() async throws {
    try await withPlaylist { server, ann, bob, made in
      let path = "/api/playlists/\(made.id)"
      _ = try await server.send(
        "PATCH", path + "/tracks", cookie: ann, json: #"{"set":["sha256:b"]}"#)
      func share() async throws -> String {
        let answer: JSONValue = try await server.send("POST", path + "/share", cookie: ann)
          .decode()
        return try #require(answer["shareToken"].text)
      }
      let token = try await share()
      #expect(token.count == 32)
      let again = try await share()
      #expect(again == token)
      let read: Playlist = try await server.send("GET", "/api/playlists/shared/\(token)").decode()
      #expect(read.trackIDs == ["sha256:b"])
      let copied = try await server.send(
        "POST", "/api/playlists/shared/\(token)", cookie: bob)
      #expect(copied.status == 201)
      let copy: Playlist = try copied.decode()
      #expect(copy.ownerName == "bob")
      #expect(copy.trackIDs == ["sha256:b"])
      #expect(copy.shareToken == nil)
      #expect(copy.id != made.id)
      #expect(
        try await server.send("POST", "/api/playlists/shared/\(token)").status == 403)
      #expect(try await server.send("DELETE", path + "/share", cookie: ann).status == 200)
      let gone = try await server.send("GET", "/api/playlists/shared/\(token)", cookie: bob)
      #expect(gone.status == 404)
      // A token that was taken back does not come again.
      let other = try await share()
      #expect(other != token)
    }
  }

  @Test func `playlists outlive the server, and an older database learns them`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("room.db")
    // A database of the first release.
    _ = try SQLiteConnection(path: path, migrations: Array(schema.prefix(1)))
    for count in 1...2 {
      try await withServer {
        $0.databasePath = path
      } _: { (server: ServerHarness) async throws in
        let ann = try await server.signIn()
        _ = try await server.send(
          "POST", "/api/playlists", cookie: ann, json: #"{"name":"Mix \#(count)"}"#)
        let shelf: PlaylistShelf = try await server.send("GET", "/api/playlists", cookie: ann)
          .decode()
        #expect(shelf.mine.elements.count == count)
      }
    }
  }
}
