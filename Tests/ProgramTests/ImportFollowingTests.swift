import Synchronization
import TestSupport
import Testing

/// `fetch` against servers whose list of imports breaks off, fails, or forgets.
@Suite(.timeLimit(.minutes(3))) struct ImportFollowingTests {
  private static let running = #"[{"id":"1","title":"Song","status":"downloading","progress":40}]"#
  private static let done = #"{"jobs":{"1":{"title":"Song","status":"done","track_id":"t"}}}"#
  private static let empty = "[]"
  private static let song = #"[{"id":"t","title":"Song","artist":"Ada","duration":61}]"#

  /// What the list says, look by look, what is in the library in the end, and what comes of it.
  struct Course: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// What the server finds at the address.
    var found = #"{"title":"Song"}"#
    var looks: [String]
    var library = "[]"
    var status: Int32
    var said: [String]
  }

  static let courses = [
    Course(
      testDescription: "an error, and then the end", looks: [empty, "500", done], library: song,
      status: 0, said: ["imported \"Ada - Song\" (1:01)"]),
    Course(
      testDescription: "gone from the list, but in the library", looks: [empty, running, empty],
      library: song, status: 0, said: ["imported \"Ada - Song\" (1:01)"]),
    Course(
      testDescription: "gone from the list and not in the library", looks: [empty, running, empty],
      status: 75, said: ["no longer lists the import of \"Song\"", "not in the library"]),
    Course(
      testDescription: "one of a list that fails",
      found: """
        {"type":"playlist","title":"Two","items":[{"url":"u1","title":"Gone"},
        {"url":"u2","title":"Song"}]}
        """,
      looks: [
        empty,
        """
        [{"url":"u1","status":"error","error":"it is private"},
        {"url":"u2","status":"done","trackId":"t"}]
        """,
      ], library: song, status: 69,
      said: ["cannot import \"Gone\": it is private\n", "imported \"Ada - Song\" (1:01)"]),
    Course(
      testDescription: "an answer without a word", found: "",
      looks: [empty, #"[{"url":"http://songs.test/song","status":"done","trackId":"t"}]"#],
      library: song, status: 0, said: ["imported \"Ada - Song\" (1:01)"]),
    Course(
      testDescription: "an answer in words", found: "on its way",
      looks: [empty, #"{"5":{"state":"finished","track":{"id":"t"}}}"#], library: song, status: 0,
      said: ["imported \"Ada - Song\" (1:01)"]),
    Course(
      testDescription: "the page of a proxy", found: "<html><title>Log in</title></html>",
      looks: [empty], status: 76, said: ["cannot import http://songs.test/song", "Log in"]),
    Course(
      testDescription: "a list that is none", looks: [empty, "3"], status: 76,
      said: ["the import may go on", "cannot read the answer to GET /api/fetch"]),
    Course(
      testDescription: "a session that ends", looks: [empty, "401"], status: 77,
      said: ["the import may go on", "blastoise login"]),
  ]

  @Test(arguments: courses)
  func `how an import ends is told as far as it is known`(course: Course) async throws {
    let server = try ImportServer(course)
    let outcome = try await Program.run(
      ["fetch", "http://songs.test/song", "--server", "http://127.0.0.1:\(server.port)", "--yes"])
    server.stop()
    #expect(outcome.status == course.status, "\(outcome.errors)")
    for text in course.said {
      #expect((outcome.output + outcome.errors).contains(text), "\(outcome)")
    }
    #expect(!outcome.errors.contains("bug"))
  }
}

/// A server that imports one song, and tells of it what a test wants.
private final class ImportServer: Sendable {
  private struct Script {
    var looks: [String]
    var library: String
    var found: String
    var isAsked = false

    /// The answer to a request, as status and body; the last look stays.
    mutating func answer(_ request: String) -> (status: String, body: String) {
      switch request {
      case "GET /api/auth/me":
        return ("200 OK", #"{"id":1,"username":"ada","isAdmin":false,"isGuest":false}"#)
      case "GET /api/status":
        return ("200 OK", #"{"ytdlp":{"enabled":true,"available":true}}"#)
      case "POST /api/fetch":
        isAsked = true
        return ("200 OK", found)
      case "POST /api/fetch/confirm": return ("202 Accepted", "")
      case "GET /api/library": return ("200 OK", isAsked ? library : "[]")
      case "GET /api/fetch":
        let look = looks.count > 1 ? looks.removeFirst() : looks[0]
        return ["401", "500"].contains(look) ? ("\(look) No", "not now") : ("200 OK", look)
      default: return ("404 Not Found", "")
      }
    }
  }

  private let server: RawServer

  var port: Int { server.port }

  init(_ course: ImportFollowingTests.Course) throws {
    let script = SharedScript(
      Script(looks: course.looks, library: course.library, found: course.found))
    server = try RawServer { connection in
      while let head = connection.readHead() {
        let lines = head.split(separator: "\r\n").map { $0.lowercased() }
        let length = lines.first { $0.hasPrefix("content-length:") }?.split(separator: " ").last
        _ = connection.read(length.flatMap { Int($0) } ?? 0)
        let request = head.split(separator: " ").prefix(2).joined(separator: " ")
        let answer = script.value.withLock { $0.answer(request) }
        connection.answer(answer.status, ["Content-Type: application/json"], body: answer.body)
      }
    }
  }

  func stop() { server.stop() }

  private final class SharedScript: Sendable {
    let value: Mutex<Script>
    init(_ script: Script) { value = Mutex(script) }
  }
}
