import Glibc
import RoomProtocol
import Storage
import TestSupport
import Testing

@testable import RoomServer

/// A form with one file.
struct FormBody {
  var type = "multipart/form-data; boundary=XX"
  var field = "file"
  var name = "a.mp3"
  var bytes: [UInt8]

  /// What goes over the line.
  var body: [UInt8] {
    let head =
      "--XX\r\nContent-Disposition: form-data; name=\"\(field)\"; filename=\"\(name)\"\r\n\r\n"
    return Array(head.utf8) + bytes + Array("\r\n--XX--\r\n".utf8)
  }
}

@Suite(.serialized, .timeLimit(.minutes(3))) struct UploadTests {
  private static func noise(_ tag: String = "") throws -> [UInt8] {
    try Music.tag(tag) + Fixture.bytes("audio/noise-cbr.mp3")
  }

  /// A server with a folder of one track; what is left in the folder is checked for scraps.
  private func withFolder(
    _ configure: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (ServerHarness, _ cookie: String, _ folder: String) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    try Music.fill(folder.file("music"), [("ruler.flac", "audio/ruler.flac")])
    try await withServer(tracks: []) {
      $0.musicFolder = folder.file("music")
      configure(&$0)
    } _: { (server: ServerHarness) async throws in
      try await body(server, server.signIn(), folder.file("music"))
      try await eventually("no scraps") {
        (try? Folder.names(in: folder.file("music")))?.contains { $0.hasPrefix(".") } == false
      }
    }
  }

  private func send(
    _ form: FormBody, to server: ServerHarness, cookie: String?
  ) async throws -> RawResponse {
    try await offPool {
      let connection = try RawClient(port: server.port)
      connection.request(
        "POST", "/api/upload",
        headers: ["Content-Type: \(form.type)"] + (cookie.map { ["Cookie: \($0)"] } ?? []),
        body: form.body)
      return try connection.response()
    }
  }

  @Test func `a file becomes a track everyone hears of`() async throws {
    try await withFolder { server, cookie, folder in
      let form = FormBody(name: "My song.MP3", bytes: try Self.noise("mine"))
      let heard = try await server.withSocket { socket in
        _ = try socket.state()
        let client = try RawClient(port: server.port)
        client.request(
          "POST", "/api/upload",
          headers: ["Content-Type: \(form.type)", "Cookie: \(cookie)"], body: form.body)
        let response = try client.response()
        return (response, try socket.state())
      }
      #expect(heard.0.status == 201)
      let track: Track = try heard.0.decode()
      #expect(track.filename == "My song.mp3")
      #expect(track.title == "Noise")
      #expect(track.duration == 10)
      #expect(track.id.rawValue.hasPrefix("sha256:"))
      #expect(heard.1.queue?.map(\.filename) == ["ruler.flac", "My song.mp3"])
      #expect(try Fixture.bytes(at: "\(folder)/My song.mp3") == form.bytes)
      #expect(permissions(of: "\(folder)/My song.mp3") == 0o644)
      let audio = try await server.send("GET", "/api/tracks/\(track.id)")
      #expect(audio.body == form.bytes)
      // The next scan finds nothing new, and the track stays what it is.
      await server.server.rescan()
      let library: [Track] = try await server.send("GET", "/api/library").decode()
      #expect(library.contains(track))
      #expect(library.count == 2)
    }
  }

  @Test func `the same file twice is the same track`() async throws {
    try await withFolder { server, cookie, folder in
      let first = try await send(FormBody(bytes: Self.noise()), to: server, cookie: cookie)
      let again = FormBody(name: "other.mp3", bytes: try Self.noise())
      let second = try await send(again, to: server, cookie: cookie)
      #expect(first.status == 201)
      #expect(second.status == 200)
      #expect(second.body == first.body)
      #expect(try Folder.names(in: folder) == ["a.mp3", "ruler.flac"])
    }
  }

  @Test(arguments: [
    ("../../etc/passwd.mp3", "passwd.mp3"), ("..\\\\..\\\\up.mp3", "up.mp3"),
    (".hidden.mp3", "hidden.mp3"), ("//", "track"), ("ruler.flac", "ruler (2).flac"),
    ("tab\u{9}bell\u{7}.mp3", "tabbell.mp3"), (".mp3", "mp3"), ("a;b.mp3", "a;b.mp3"),
    ("CON .mp3", "CON.mp3"), ("  ..  .mp3", "track.mp3"),
    (String(repeating: "ö", count: 300) + ".mp3", String(repeating: "ö", count: 100) + ".mp3"),
  ])
  func `a name stays in its folder`(wish: String, name: String) async throws {
    guard MediaType.uploadable.contains(MediaType.suffix(of: wish)) else {
      #expect(FileName.safe(wish) == name)
      return
    }
    try await withFolder { server, cookie, folder in
      let form = FormBody(name: wish, bytes: try Self.noise(String(name.prefix(9))))
      let response = try await send(form, to: server, cookie: cookie)
      #expect(response.status == 201)
      let track: Track = try response.decode()
      #expect(track.filename == name)
      #expect(try Folder.names(in: folder).contains(name))
    }
  }

  @Test(arguments: [
    (FormBody(name: "a.mp3", bytes: Array("no audio at all".utf8)), 400),
    (FormBody(name: "a.mp3", bytes: []), 400),
    (FormBody(name: "a.exe", bytes: [1]), 400),
    (FormBody(name: "a", bytes: [1]), 400),
    (FormBody(name: "", bytes: [1]), 400),
    (FormBody(field: "files", bytes: [1]), 400),
    (FormBody(type: "application/json", bytes: [1]), 400),
    (FormBody(type: "multipart/form-data", bytes: [1]), 400),
    (FormBody(type: "multipart/form-data; boundary=YY", bytes: [1]), 400),
  ])
  func `what is no track leaves nothing`(form: FormBody, status: Int) async throws {
    try await withFolder { server, cookie, folder in
      let response = try await send(form, to: server, cookie: cookie)
      #expect(response.status == status)
      #expect(try Folder.names(in: folder) == ["ruler.flac"])
    }
  }

  @Test func `guests send nothing`() async throws {
    try await withFolder { server, _, folder in
      let form = FormBody(bytes: try Self.noise())
      #expect(try await send(form, to: server, cookie: nil).status == 403)
      let gone = "blastoise_session=" + String(repeating: "0", count: 64)
      #expect(try await send(form, to: server, cookie: gone).status == 401)
      #expect(try Folder.names(in: folder) == ["ruler.flac"])
    }
  }

  @Test func `a server without a folder takes no files`() async throws {
    try await withServer { (server: ServerHarness) async throws in
      let form = FormBody(bytes: [1])
      let response = try await send(form, to: server, cookie: server.signIn())
      #expect(response.status == 403)
    }
  }

  @Test func `the answer to a file too large arrives, whoever goes on sending`() async throws {
    try await withFolder {
      $0.uploadLimit = 1 << 20
    } _: { server, cookie, folder in
      // More than the buffers of both ends hold: a reset would swallow the answer.
      let form = FormBody(bytes: [UInt8](repeating: 0, count: 24 << 20))
      let response = try await send(form, to: server, cookie: cookie)
      #expect(response.status == 413)
      #expect(response.text.contains("1 MiB"))
      #expect(!response.isCutOff)
      // Within what the form may be around it, the file itself is measured.
      let close = FormBody(bytes: [UInt8](repeating: 0, count: (1 << 20) + 1))
      #expect(try await send(close, to: server, cookie: cookie).status == 413)
      #expect(try Folder.names(in: folder) == ["ruler.flac"])
    }
  }

  @Test func `a sender who asks first is answered first`() async throws {
    try await withFolder {
      $0.uploadLimit = 1 << 20
    } _: { server, cookie, _ in
      let form = FormBody(bytes: try Self.noise())
      let statuses = try await offPool {
        try [form.body.count, 1 << 30].map { length in
          let client = try RawClient(port: server.port)
          let head =
            "POST /api/upload HTTP/1.1\r\nHost: x\r\nCookie: \(cookie)\r\nExpect: 100-continue\r\n"
            + "Content-Type: \(form.type)\r\nContent-Length: \(length)\r\n\r\n"
          client.send(Array(head.utf8))
          let interim = try client.response(hasBody: length > form.body.count).status
          guard interim == 100 else { return [interim] }
          client.send(form.body)
          return [interim, try client.response().status]
        }
      }
      #expect(statuses == [[100, 201], [413]])
    }
  }

  @Test func `a connection that breaks off leaves nothing`() async throws {
    try await withFolder { server, cookie, folder in
      let form = FormBody(bytes: try Self.noise())
      try await offPool {
        let client = try RawClient(port: server.port)
        let head =
          "POST /api/upload HTTP/1.1\r\nHost: x\r\nCookie: \(cookie)\r\n"
          + "Content-Type: \(form.type)\r\nContent-Length: \(form.body.count)\r\n\r\n"
        client.send(Array(head.utf8) + form.body.prefix(40_000))
        while try Folder.names(in: folder).count < 2 { usleep(1000) }
        client.line.cut()
      }
      try await eventually("the rest is gone") {
        (try? Folder.names(in: folder)) == ["ruler.flac"]
      }
    }
  }

  @Test func `what a broken run left is swept`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("\(HiddenFile.prefix)0.mp3", [1])
    try folder.write("keep.mp3", [1])
    let server = Server(ServerConfiguration(musicFolder: folder.path))
    try await server.start()
    await server.stop()
    #expect(try Folder.names(in: folder.path) == ["keep.mp3"])
  }
}
