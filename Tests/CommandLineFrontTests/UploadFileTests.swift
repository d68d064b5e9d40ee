import RoomClient
import TestSupport
import Testing
import Transport

@testable import CommandLineFront

@Suite struct UploadFileTests {
  @Test func `whatever fails the file is named`() {
    let broken = TransportError(
      operation: "POST", url: "http://a/api/upload", cause: .interrupted(detail: "reset"))
    let failures: [(RoomError, String)] = [
      (.transport(broken), "the connection to http://a broke: reset"),
      (.server(operation: "upload", status: 413, message: "too large"), "too large"),
      (.forbidden(operation: "upload", message: "not you"), "not you"),
    ]
    for (error, why) in failures {
      let file = UploadFile("music/\u{1b}[2J.mp3")
      #expect(file.failure(error).message == "cannot upload music/\\x1b[2J.mp3: \(why)")
    }
  }

  @Test(arguments: [("", "\"\""), ("/dev/null.mp3", "/dev/null.mp3"), (".", "."), ("a/..", "a/..")])
  func `what is no file is refused by its name`(path: String, shown: String) throws {
    let error = #expect(throws: Diagnostic.self) { try UploadFile(path).size() }
    #expect(error?.what == "cannot upload \(shown)")
    #expect(error?.code == .noFile)
  }

  @Test(arguments: ["/tmp", "/tmp/"])
  func `of a folder its files are to be named`(path: String) throws {
    let error = #expect(throws: Diagnostic.self) { try UploadFile(path).size() }
    #expect(error?.hint == "name its files: /tmp/*")
  }
}
