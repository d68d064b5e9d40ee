import TestSupport
import Testing

@testable import Transport

/// Keeps what a form's files hold.
private final class Collected: FormSink {
  struct File: Equatable {
    var field: String
    var name: String
    var bytes: [UInt8] = []
    var isWhole = false
  }

  var files: [File] = []

  func fileBegan(field: String, name: String) {
    files.append(File(field: field, name: name))
  }

  func fileWent(on bytes: UnsafeRawBufferPointer) {
    files[files.count - 1].bytes += bytes
  }

  func fileEnded() {
    files[files.count - 1].isWhole = true
  }
}

@Suite struct FormReaderTests {
  private static let type = "multipart/form-data; boundary=B0"

  /// Reads a form in pieces of a size.
  private func read(
    _ body: [UInt8], type: String = type, pieces: Int = .max
  ) throws -> (files: [Collected.File], hasFailed: Bool) {
    let sink = Collected()
    var reader = try #require(FormReader(sink, contentType: type))
    var rest = body[...]
    while !rest.isEmpty {
      rest.prefix(pieces).withUnsafeBytes { reader.take($0) }
      rest = rest.dropFirst(pieces)
    }
    return (sink.files, reader.hasFailed)
  }

  private func part(_ disposition: String, _ bytes: [UInt8]) -> [UInt8] {
    let head = "--B0\r\nContent-Disposition: form-data; \(disposition)\r\nContent-Type: x/y\r\n\r\n"
    return Array(head.utf8) + bytes + [13, 10]
  }

  private let end = Array("--B0--\r\n".utf8)

  @Test(arguments: [1, 2, 3, 7, 64, .max])
  func `files come out as they went in, whatever the pieces`(pieces: Int) throws {
    var generator = SeededGenerator(seed: 4)
    // Bytes that look like boundaries most of the time.
    let likely = Array("\r\n--B0-\r".utf8)
    let bytes = (0..<5000).map { _ in likely[Int.random(in: 0..<likely.count, using: &generator)] }
    // No boundary by chance.
    let text = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n--B0").joined(
      separator: "!")
    let hostile = Array(text.utf8)
    let noise = (0..<3000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let body =
      part("name=\"title\"", Array("x".utf8)) + part("name=\"file\"; filename=\"a.mp3\"", hostile)
      + part("name=\"file\"; filename=\"b.mp3\"", noise)
      + part("name=\"file\"; filename=\"empty\"", []) + end
    let (files, hasFailed) = try read(body, pieces: pieces)
    #expect(!hasFailed)
    #expect(
      files == [
        .init(field: "file", name: "a.mp3", bytes: hostile, isWhole: true),
        .init(field: "file", name: "b.mp3", bytes: noise, isWhole: true),
        .init(field: "file", name: "empty", bytes: [], isWhole: true),
      ])
  }

  @Test(arguments: [
    (#"filename="a;b.mp3"; name=file"#, "a;b.mp3"),
    (#"name="file"; filename="a\"b\\c.mp3""#, #"a"b\c.mp3"#),
    (#"name="file"; filename="100%22%25.mp3""#, #"100"%25.mp3"#),
    (#"name="file"; filename="C:\music\x = y.mp3""#, #"C:\music\x = y.mp3"#),
    (#"name="file" ; FileName=plain.mp3 "#, "plain.mp3"),
    (#"name="file"; filename="ä ☃.mp3""#, "ä ☃.mp3"),
    (#"name="file"; filename="""#, ""),
    (#"name="file"; filename="never closed"#, "never closed"),
    (#"name="file"; filename="first"; filename="second""#, "first"),
  ])
  func `names are read as senders write them`(disposition: String, name: String) throws {
    let (files, _) = try read(part(disposition, [1]) + end)
    #expect(files == [.init(field: "file", name: name, bytes: [1], isWhole: true)])
  }

  @Test func `what is before and after the parts is passed over`() throws {
    let body =
      Array("hello\r\n".utf8) + part("name=file; filename=a", [7]) + Array("--B0--bye\r\n".utf8)
      + part("name=file; filename=b", [8]) + end
    let (files, hasFailed) = try read(body)
    #expect(!hasFailed)
    #expect(files.map(\.name) == ["a"])
  }

  @Test func `a form that breaks off has no whole file`() throws {
    let body = part("name=file; filename=a", Array(repeating: 9, count: 100)) + end
    for count in 0..<body.count {
      let (files, _) = try read(Array(body.prefix(count)))
      #expect(files.first?.isWhole != true || count > body.count - end.count)
    }
  }

  @Test func `headers without an end are given up`() throws {
    let long = Array("--B0\r\nX: ".utf8) + Array(repeating: UInt8(ascii: "y"), count: 40_000)
    #expect(try read(long, pieces: 4096).hasFailed)
    let longer = Array("--B0".utf8) + Array(repeating: UInt8(ascii: "y"), count: 40_000)
    #expect(try read(longer, pieces: 4096).hasFailed)
  }

  @Test(arguments: [
    nil, "", "text/plain", "multipart/form-data", "multipart/form-data; boundary=",
    "multipart/form-data; boundary=\(String(repeating: "b", count: 201))",
    "multipart/mixed; boundary=B0", ";boundary=B0",
  ])
  func `anything else is no form`(type: String?) {
    #expect(FormReader(Collected(), contentType: type) == nil)
  }

  @Test func `a boundary may be quoted`() throws {
    let body = part("name=file; filename=a", [1]) + end
    let type = "Multipart/Form-Data; charset=utf-8; BOUNDARY=\"B0\""
    #expect(try read(body, type: type).files.map(\.isWhole) == [true])
  }
}
