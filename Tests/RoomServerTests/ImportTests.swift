import Glibc
import RoomProtocol
import Storage
import TestSupport
import Testing

@testable import RoomServer

/// Imports through the stand-in of Fixtures/programs.
@Suite(.serialized, .timeLimit(.minutes(3))) struct ImportTests {
  /// A server that imports; its folder must be free of scraps at the end.
  private func withImports(
    _ configure: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (ServerHarness, _ cookie: String) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    try await withServer(tracks: []) {
      $0.musicFolder = folder.path
      $0.importProgram = Fixture.path("programs/yt-dlp")
      configure(&$0)
    } _: { (server: ServerHarness) async throws in
      try await body(server, server.signIn())
      try await eventually("no scraps") {
        (try? Folder.names(in: folder.path))?.contains { $0.hasPrefix(".") } == false
      }
    }
  }

  private func fetch(
    _ name: String, _ server: ServerHarness, _ cookie: String?
  ) async throws -> RawResponse {
    let url = name.contains(":") || name.isEmpty ? name : "http://songs.test/\(name)"
    let json = String(decoding: try WireJSON.encode(RequestBody.Fetch(url: url)), as: UTF8.self)
    return try await server.send("POST", "/api/fetch", cookie: cookie, json: json)
  }

  private func jobs(_ server: ServerHarness, _ cookie: String) async throws -> [FetchJob] {
    try await server.send("GET", "/api/fetch", cookie: cookie).decode()
  }

  /// Waits until all are over.
  private func ended(_ server: ServerHarness, _ cookie: String) async throws -> [FetchJob] {
    try await eventually("all over") {
      try await jobs(server, cookie).allSatisfy {
        ["complete", "error", "cancelled"].contains($0.status)
      }
    }
    return try await jobs(server, cookie)
  }

  @Test func `a song comes into the library, and everyone who controls hears of it`() async throws {
    try await withImports { server, cookie in
      let status: ServerStatus = try await server.send("GET", "/api/status").decode()
      #expect(status.offersImports)
      let updates = try await server.withSocket(cookie: cookie) { socket -> [FetchUpdate] in
        _ = try socket.state()
        let client = try RawClient(port: server.port)
        client.request(
          "POST", "/api/fetch", headers: ["Cookie: \(cookie)"],
          body: Array(#"{"url":" http://songs.test/one "}"#.utf8))
        let answer = try client.response()
        #expect(answer.status == 200)
        var updates: [FetchUpdate] = []
        while updates.last?.type != "fetch_complete" {
          let update = try socket.first { message -> FetchUpdate? in
            if case .fetch(let update) = message { update } else { nil }
          }
          updates.append(update)
        }
        let told: FetchAnswer = try answer.decode()
        #expect(told == .single(id: updates.first?.id, title: "Song One", queueType: nil))
        return updates
      }
      #expect(updates.first?.type == "fetch_progress")
      #expect(updates.first?.status == "downloading")
      #expect(updates.map { $0.progress ?? -1 } == updates.map { $0.progress ?? -1 }.sorted())
      let library: [Track] = try await server.send("GET", "/api/library").decode()
      #expect(library.map(\.filename) == ["Song One.mp3"])
      #expect(library.first?.title == "Song One")
      #expect(library.first?.artist == "The Stand-ins")
      #expect(updates.last?.trackID == library.first?.id)
      #expect(updates.last?.progress == 100)
      let job = try await jobs(server, cookie).first
      #expect(job?.status == "complete")
      #expect(job?.trackID == library.first?.id)
      #expect(job?.url == "http://songs.test/one")
    }
  }

  @Test func `guests neither import nor hear of imports`() async throws {
    try await withImports { server, cookie in
      for (method, path, json) in [
        ("POST", "/api/fetch", #"{"url":"http://songs.test/one"}"#),
        ("POST", "/api/fetch/confirm", #"{"playlistTitle":"x","items":[]}"#),
        ("GET", "/api/fetch", nil), ("DELETE", "/api/fetch", nil), ("DELETE", "/api/fetch/x", nil),
      ] as [(String, String, String?)] {
        #expect(try await server.send(method, path, json: json).status == 403)
      }
      let heard = try await server.withSocket { socket -> Bool in
        _ = try socket.state()
        let client = try RawClient(port: server.port)
        client.request(
          "POST", "/api/fetch", headers: ["Cookie: \(cookie)"],
          body: Array(#"{"url":"http://songs.test/two"}"#.utf8))
        _ = try client.response()
        var isFetchHeard = false
        // The state with the new track comes after all that is said of its import.
        while try socket.first({ message -> Bool? in
          if case .fetch = message { isFetchHeard = true }
          if case .state(let received) = message {
            return (try? received.queueText?.decode().elements.count) == 1
          }
          return nil
        }) != true {}
        return isFetchHeard
      }
      #expect(!heard)
      _ = try await ended(server, cookie)
    }
  }

  @Test func `a list is confirmed and fills a playlist in its order`() async throws {
    try await withImports {
      $0.importWorkers = 3
    } _: { server, cookie in
      let answer: FetchAnswer = try await fetch("list5", server, cookie).decode()
      guard case .playlist(let title, let items, let requiresConfirmation) = answer else {
        Issue.record("no list: \(answer)")
        return
      }
      #expect(title == "List of 5")
      #expect(requiresConfirmation)
      #expect(
        items.elements.map(\.title) == [
          "Song One", "Song Two", "Song Three", "Song Four", "Song Five",
        ])
      #expect(try await jobs(server, cookie).isEmpty)
      let wanted = FetchConfirmation(
        playlistTitle: " \u{1B}Rain\n", items: Array(items.elements.dropLast()))
      let confirmed = try await server.send(
        "POST", "/api/fetch/confirm", cookie: cookie,
        json: String(decoding: WireJSON.encode(wanted), as: UTF8.self))
      #expect(confirmed.status == 202)
      let receipt: FetchReceipt = try confirmed.decode()
      #expect(receipt.playlistName == "Rain")
      #expect(receipt.jobs.count == 4)
      let ended = try await ended(server, cookie)
      #expect(ended.map(\.status) == Array(repeating: "complete", count: 4))
      let id = try #require(receipt.playlistID)
      let playlist: Playlist = try await server.send(
        "GET", "/api/playlists/\(id)", cookie: cookie
      ).decode()
      #expect(playlist.name == "Rain")
      #expect(playlist.trackIDs == ended.map(\.trackID))
      let library: [Track] = try await server.send("GET", "/api/library").decode()
      #expect(library.count == 4)
    }
  }

  @Test(arguments: [
    ("", 400), ("songs.test/one", 400), ("ftp://songs.test/one", 400), ("file:///etc/passwd", 400),
    ("-J", 400), ("--exec=http://x", 400), ("http://", 400), ("http:///etc/passwd", 400),
    ("http://a b", 400), ("http://songs.test/\u{7}", 400), ("http://songs.test/nothing", 422),
  ])
  func `only addresses of the web are looked at`(url: String, status: Int) async throws {
    try await withImports { server, cookie in
      let json = String(decoding: try WireJSON.encode(RequestBody.Fetch(url: url)), as: UTF8.self)
      let response = try await server.send("POST", "/api/fetch", cookie: cookie, json: json)
      #expect(response.status == status)
      if status == 422 { #expect(response.text.contains("404: Not Found")) }
      #expect(try await jobs(server, cookie).isEmpty)
    }
  }

  @Test(arguments: [
    #"{"playlistTitle":"x","items":[]}"#, #"{"items":[{"url":"http://songs.test/one"}]}"#,
    #"{"playlistTitle":"x","items":[{"url":"http://songs.test/one"},{"url":"-J"}]}"#,
    #"{"playlistTitle":"x","items":[{"url":"http://songs.test/one"},{}]}"#,
  ])
  func `a confirmation is taken whole or not at all`(json: String) async throws {
    try await withImports { server, cookie in
      let response = try await server.send(
        "POST", "/api/fetch/confirm", cookie: cookie, json: json)
      #expect(response.status == 400)
      #expect(try await jobs(server, cookie).isEmpty)
      let shelf: PlaylistShelf = try await server.send("GET", "/api/playlists", cookie: cookie)
        .decode()
      #expect(shelf.mine.elements.isEmpty)
    }
  }

  @Test(arguments: [("breaks", "79000 more expected"), ("text", "can't be played here")])
  func `a download that fails says why`(name: String, reason: String) async throws {
    try await withImports { server, cookie in
      _ = try await fetch(name, server, cookie)
      let job = try await ended(server, cookie).first
      #expect(job?.status == "error")
      #expect(job?.error?.contains(reason) == true)
      #expect(job?.trackID == nil)
    }
  }

  @Test func `a title becomes a name that stays in its folder`() async throws {
    try await withImports { server, cookie in
      _ = try await fetch("hostile", server, cookie)
      let job = try await ended(server, cookie).first
      #expect(job?.status == "complete")
      let library: [Track] = try await server.send("GET", "/api/library").decode()
      #expect(library.map(\.filename) == ["[31mRed \"quoted\".mp3"])
    }
  }

  @Test func `the same track again is the one that is there`() async throws {
    try await withImports { server, cookie in
      _ = try await fetch("one", server, cookie)
      _ = try await fetch("again", server, cookie)
      let ids = try await ended(server, cookie).map(\.trackID)
      #expect(ids.count == 2)
      #expect(ids.first == ids.last)
      let library: [Track] = try await server.send("GET", "/api/library").decode()
      #expect(library.count == 1)
    }
  }

  @Test func `a running import is cancelled by its owner, one of all or all`() async throws {
    try await withImports { server, _ in
      let (bob, cid) = (try await server.signIn("bob"), try await server.signIn("cid"))
      let updates = try await server.withSocket(cookie: bob) { socket -> [String] in
        _ = try socket.state()
        func send(_ method: String, _ path: String, _ cookie: String, _ json: String = "") throws
          -> RawResponse
        {
          let client = try RawClient(port: server.port)
          client.request(
            method, path, headers: ["Cookie: \(cookie)"], body: Array(json.utf8))
          return try client.response()
        }
        func start(_ cookie: String) throws -> FetchID {
          let answer: FetchAnswer = try send(
            "POST", "/api/fetch", cookie, #"{"url":"http://songs.test/slow"}"#
          ).decode()
          guard case .single(let id?, _, _) = answer else { throw RawError(what: "id", code: 0) }
          return id
        }
        let running = try start(bob)
        let waiting = try start(cid)
        #expect(try send("DELETE", "/api/fetch/\(running)", cid).status == 403)
        #expect(try send("DELETE", "/api/fetch/none", cid).status == 404)
        #expect(try send("DELETE", "/api/fetch", bob).text == #"{"cancelled":1,"success":true}"#)
        #expect(try send("DELETE", "/api/fetch/\(running)", bob).status == 409)
        // The other one starts now.
        _ = try socket.first { message -> Bool? in
          if case .fetch(let update) = message, update.id == waiting { true } else { nil }
        }
        #expect(try send("DELETE", "/api/fetch/\(waiting)", cid).status == 200)
        return try socket.first { message -> [String]? in
          guard case .fetch(let update) = message, update.id == waiting,
            update.type == "fetch_cancelled"
          else { return nil }
          return [update.type, update.status ?? ""]
        }
      }
      #expect(updates == ["fetch_cancelled", "cancelled"])
      #expect(try await jobs(server, bob).map(\.status) == ["cancelled", "cancelled"])
      let library: [Track] = try await server.send("GET", "/api/library").decode()
      #expect(library.isEmpty)
    }
  }

  @Test func `a server that ends leaves no program behind`() async throws {
    let folder = try TemporaryFolder()
    var configuration = ServerConfiguration(musicFolder: folder.path)
    configuration.importProgram = Fixture.path("programs/yt-dlp")
    let server = Server(configuration)
    let harness = ServerHarness(server: server, port: try await server.start())
    _ = try await fetch("slow", harness, harness.signIn())
    try await eventually("it downloads") { try Folder.names(in: folder.path).count == 1 }
    await server.stop()
    // The last to let go of its folder is the thread that followed the program to its end.
    try await eventually("its folder is gone") { try Folder.names(in: folder.path).isEmpty }
  }

  @Test func `an address that never answers is given up`() async throws {
    try await withImports {
      $0.importPatience = .milliseconds(100)
    } _: { server, cookie in
      let response = try await fetch("asleep", server, cookie)
      #expect(response.status == 422)
      #expect(response.text.contains("took too long"))
    }
  }

  @Test(arguments: [nil, "/nothing/here", "no-such-program-at-all"])
  func `without a program there are no imports`(program: String?) async throws {
    try await withImports {
      $0.importProgram = program
    } _: { server, cookie in
      let status: ServerStatus = try await server.send("GET", "/api/status").decode()
      #expect(status.ytdlp == .init(enabled: program != nil, available: false))
      #expect(try await fetch("one", server, cookie).status == 503)
      let json = #"{"playlistTitle":"x","items":[{"url":"http://songs.test/one"}]}"#
      let confirmed = try await server.send(
        "POST", "/api/fetch/confirm", cookie: cookie, json: json)
      #expect(confirmed.status == 503)
    }
  }
}
