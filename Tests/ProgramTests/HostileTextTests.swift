import Glibc
import RoomProtocol
import RoomServer
import TestSupport
import Testing

/// Text from a server is data: nothing of it acts on a terminal or breaks a line.
@Suite(.timeLimit(.minutes(3))) struct HostileTextTests {
  static let title = "\u{1B}]0;owned\u{7}\u{1B}[2J\r\nblastoise: forged\u{9B}31m\u{202E}\u{0}"

  private func hostileRoom() async throws -> Room {
    let room = try await Room([]) { $0.lobbyName = "L\u{1B}[31m" }
    let path = Fixture.path("audio/ruler.flac")
    let tracks = [
      Track(id: "hostile-\u{1B}", filename: "a\n.flac", title: Self.title, duration: 50),
      Track(id: "plain", filename: "b.flac", title: nil, duration: nil),
    ]
    await room.server.add(tracks, files: [tracks[0].id: path, tracks[1].id: path])
    return room
  }

  private func expectHarmless(_ text: String, location: SourceLocation = #_sourceLocation) {
    let acting = text.unicodeScalars.filter { scalar in
      switch scalar.value {
      case 0x0A: false
      case ..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2028, 0x2029: true
      default: false
      }
    }
    #expect(
      acting.isEmpty, "\(acting.map { String($0.value, radix: 16) })", sourceLocation: location)
    for line in text.split(separator: "\n") {
      #expect(!line.hasPrefix("blastoise: forged"), sourceLocation: location)
    }
  }

  /// Numbers of a state and its track that no room is at.
  static let numbers = [
    "1e300", "-1e300", "1e-320", "9223372036854775807", "-9223372036854775808", "1e19", "-0.0",
    "2147483648", "4294967296.5",
  ]

  @Test(arguments: [[], ["--json"]])
  func `numbers beyond all measure harm nothing`(more: [String]) async throws {
    let room = try await Room.ruler()
    let program = try Program(room.listen("--latency", "100", "--replaygain", "track") + more)
    try await program.waitForOutput(more.isEmpty ? "joined Lobby" : #""event": "started""#)
    let state = await room.server.state()
    let known = try #require(state?.track?.id.rawValue)
    for number in Self.numbers {
      for (id, duration, paused) in [
        ("new \(number)", number, true), ("new \(number)", number, false), (known, number, true),
        (known, number, false), (known, "null", false), (known, "null", true),
      ] {
        let track =
          #"{"id": "\#(id)", "duration": \#(duration), "replayGainDb": \#(number), "#
          + #""replayPeak": \#(number)}"#
        await room.server.sendText(
          #"{"track": \#(track), "currentTimestamp": \#(number), "currentIndex": \#(number), "#
            + #""listenerCount": \#(number), "channelId": "lobby", "paused": \#(paused)}"#)
      }
      await room.server.sendText(
        #"{"type": "scan_progress", "scanning": true, "processed": \#(number), "total": 0}"#)
    }
    await room.server.broadcast(.toast(message: "after all", kind: "info"))
    try await program.waitForOutput("after all")
    await room.server.control(.seek(timestamp: 20))
    await room.server.control(.unpause)
    try await program.wait("the ruler again") { program in
      let tail = program.output.split(separator: "after all").last ?? ""
      return tail.contains("goes on at 0:20") || tail.contains(#""event": "started""#)
    }
    program.send(SIGTERM)
    #expect(try await program.end().status == 0)
    await room.stop()
  }

  @Test(arguments: [[], ["--json"], ["-v", "-v"]])
  func `hostile titles, names and messages are shown escaped`(more: [String]) async throws {
    let room = try await hostileRoom()
    let program = try Program(room.listen() + more + ["--for", "20"])
    try await program.waitForOutput("owned")
    await room.server.broadcast(.toast(message: "hi\u{1B}[2J\nthere", kind: "\u{1B}"))
    await room.server.sendText(#"{"type": "\u001b[2Jnew\n"}"#)
    await room.server.sendText(#"{"type": "error", "message": "no\u001b[2J\nway"}"#)
    try await program.wait("the error message") { ($0.output + $0.errors).contains("way") }
    program.send(SIGTERM)
    let outcome = try await program.end()
    #expect(outcome.status == 0)
    expectHarmless(outcome.output)
    expectHarmless(outcome.errors)
    if more == ["--json"] {
      let titles = try JSONLine.lines(of: outcome.output).compactMap { $0["track"]?["title"]?.text }
      #expect(titles.first == Self.title)
    }
    await room.stop()
  }

  private static let places = [
    "/api/status", "/api/auth/me", "/api/channels", "/api/library", "/api/playlists/",
    "/api/playlists", "/api/fetch",
  ]

  /// A server whose every name is hostile.
  private func hostileServer() throws -> RawServer {
    let name = #"\u001b]0;owned\u0007\u001b[2J\r\nblastoise: forged\u009b31m\u202e"#
    let track =
      #"{"id": "\#(name)", "filename": "\#(name)", "title": "\#(name)", "artist": "\#(name)", "#
      + #""album": "\#(name)", "duration": 50}"#
    let playlist =
      #"{"id": "p\#(name)", "name": "\#(name)", "description": "\#(name)", "ownerName": "\#(name)", "#
      + #""shareToken": "\#(name)", "trackIds": ["\#(name)", "x\#(name)"]}"#
    return try RawServer { connection in
      while let head = connection.readHead() {
        let answer =
          switch Self.places.first(where: { place in
            head.contains(" \(place)" + (place.hasSuffix("/") ? "" : " "))
          }) {
          case "/api/status":
            #"{"name": "\#(name)", "version": "\#(name)", "#
              + #""ytdlp": {"enabled": true, "available": true}}"#
          case "/api/auth/me":
            #"{"id": 1, "username": "\#(name)", "permissions": [{"resourceType": "\#(name)", "#
              + #""resourceId": "\#(name)", "permission": "\#(name)"}]}"#
          case "/api/channels":
            #"[{"id": "\#(name)", "name": "\#(name)", "description": "\#(name)", "#
              + #""listenerCount": 2, "listeners": ["\#(name)", "bob"]}, "#
              + #"{"id": "other", "name": "\#(name)"}]"#
          case "/api/library": "[\(track)]"
          case "/api/playlists": #"{"mine": [\#(playlist)], "shared": []}"#
          case "/api/playlists/": playlist
          case "/api/fetch":
            head.hasPrefix("GET")
              ? #"{"jobs": [{"id": "\#(name)", "title": "\#(name)", "url": "\#(name)", "#
                + #""status": "\#(name)", "error": "\#(name)"}]}"#
              : #"{"type": "single", "id": "\#(name)", "title": "\#(name)"}"#
          default: #"{"currentTimestamp": 1, "track": {"id": "x", "title": "\#(name)"}}"#
          }
        connection.answer("200 OK", ["Content-Type: application/json"], body: answer)
      }
    }
  }

  @Test(
    arguments: [
      ["server"], ["whoami"], ["channel", "list"], ["channel", "show", "\u{1B}"],
      ["channel", "people", "\u{1B}"], ["channel", "people", "o"], ["channel", "show", "nowhere"],
      ["channel", "delete", "other", "--yes"], ["channel", "edit", "other", "--name", "x"],
      ["kick-others", "--yes"], ["library", "list"], ["library", "search", "owned"],
      ["library", "search", "--ids", "owned"], ["playlist", "list"], ["playlist", "show", "p"],
      ["playlist", "export", "p"], ["playlist", "open", "token"], ["playlist", "copy", "token"],
      ["fetch", "list"], ["fetch", "http://x/", "--no-wait"],
    ], ["", "--json"])
  func `hostile names of rooms and people are shown escaped`(
    words: [String], more: String
  ) async throws {
    let server = try hostileServer()
    let address = ["--server", "http://127.0.0.1:\(server.port)"]
    let outcome = try await Program.run(words + address + (more.isEmpty ? [] : [more]))
    expectHarmless(outcome.output)
    expectHarmless(outcome.errors)
    #expect((outcome.output + outcome.errors).contains("owned") || words.contains("o"))
    server.stop()
  }
}
