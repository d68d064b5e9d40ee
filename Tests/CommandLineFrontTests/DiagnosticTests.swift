import Caching
import Codecs
import Glibc
import Listening
import Playback
import RoomClient
import RoomProtocol
import RoomServer
import Storage
import TestSupport
import Testing
import Transport

@testable import CommandLineFront

/// An error, what is said of it, and how the program ends.
struct DiagnosticRow: Sendable, CustomTestStringConvertible {
  var error: any Error
  var line: String
  var hint: String?
  var code: FailureCode
  var exit: Int32

  var testDescription: String { line }
}

@Suite struct DiagnosticTests {
  private static let server = "http://localhost:3001"
  private static let url = "\(server)/api/status"

  private static func transport(
    _ cause: TransportError.Cause, _ line: String, hint: String? = nil, _ code: FailureCode,
    _ exit: Int32
  ) -> DiagnosticRow {
    let error = TransportError(operation: "GET", url: url, cause: cause)
    return DiagnosticRow(error: error, line: line, hint: hint, code: code, exit: exit)
  }

  static let network = [
    transport(
      .unknownHost("localhsot"), "cannot reach \(server): no such host: localhsot",
      hint: "check the address after --server, or the network", .noHost, 68),
    transport(
      .unreachable(detail: "Connection refused"), "cannot reach \(server): connection refused",
      hint: "is the server running? blastoise serve starts one here", .unreachable, 69),
    transport(
      .timeout(detail: "Operation timed out"), "no answer from \(server): operation timed out",
      hint: "--timeout gives it longer", .timeout, 75),
    transport(
      .untrusted(host: "localhost", detail: "self-signed"),
      "the certificate of localhost is not trusted: self-signed",
      hint: "--cacert FILE trusts a private authority; --insecure trusts anybody", .untrusted, 76),
    transport(
      .certificateFile(path: "/x.pem"),
      "cannot use the certificates in /x.pem: no readable PEM file",
      .noFile, 66),
    transport(
      .http(status: 401), "\(url) refuses: HTTP 401", hint: "blastoise login signs in",
      .signInNeeded, 77),
    transport(
      .http(status: 403), "\(url) refuses: HTTP 403",
      hint: "blastoise login signs in as somebody who may", .forbidden, 77),
    transport(.http(status: 404), "\(url) refuses: HTTP 404", .notFound, 66),
    transport(.http(status: 503), "\(url) refuses: HTTP 503", .serverError, 69),
    transport(
      .redirected(to: "http://evil\u{1B}[2J"), "\(url) points elsewhere: to http://evil\\x1b[2J",
      hint: "if you trust that server, name it with --server", .protocolBroken, 76),
    transport(
      .tooLarge(limit: 5), "the answer of \(url) is too large: over 5 bytes", .protocolBroken, 76),
    transport(
      .interrupted(detail: "reset"), "the connection to \(server) broke: reset", .unreachable, 69),
    transport(
      .protocolViolation(detail: "SSL no HTTP"),
      "\(server) does not speak the protocol: SSL no HTTP", .protocolBroken, 76),
    transport(
      .protocolViolation(detail: "OpenSSL/3: wrong version number"),
      "\(server) does not speak the protocol: OpenSSL/3: wrong version number",
      hint: "if it is without TLS, say so: --server http://...", .protocolBroken, 76),
    transport(.stopped, "interrupted", .timeout, 75),
  ]

  static let disk = [
    DiagnosticRow(
      error: FileError(operation: "open", path: "/x", code: ENOENT),
      line: "cannot open /x: no such file or directory", code: .noFile, exit: 66),
    DiagnosticRow(
      error: FileError(operation: "write", path: "/x", code: ENOSPC),
      line: "cannot write /x: no space left on device", code: .noRoom, exit: 73),
    DiagnosticRow(
      error: FileError(operation: "read", path: "/x", code: EIO),
      line: "cannot read /x: input/output error", code: .device, exit: 74),
    DiagnosticRow(
      error: FileError(operation: "flock", path: "/x", code: ENOLCK),
      line: "cannot lock /x: no locks available", code: .system, exit: 71),
    DiagnosticRow(
      error: FileError(operation: "mkdir", path: "/proc/x", code: ENOENT),
      line: "cannot make the folder /proc/x: no such file or directory", code: .noRoom, exit: 73),
    DiagnosticRow(
      error: FileError(operation: "fchmod", path: "/x", code: EPERM),
      line: "cannot set the permissions of /x: operation not permitted", code: .noRoom, exit: 73),
    DiagnosticRow(
      error: SQLiteError(code: 26, extended: 26, message: "not a database", sql: "S", path: "/i"),
      line: "/i is damaged: not a database", hint: "move it away; it is made anew", code: .config,
      exit: 78),
    DiagnosticRow(
      error: SQLiteError(code: 13, extended: 13, message: "full", sql: "S", path: "/i"),
      line: "cannot write /i: full", code: .noRoom, exit: 73),
    DiagnosticRow(
      error: SQLiteError(code: 5, extended: 5, message: "locked", sql: "S", path: "/i"),
      line: "/i is in use: locked", code: .timeout, exit: 75),
    DiagnosticRow(
      error: SQLiteError(code: 1, extended: 1, message: "syntax", sql: "S", path: "/i"),
      line: "cannot use /i: syntax", code: .system, exit: 71),
    DiagnosticRow(
      error: MigrationError.newerDatabase(path: "/i", found: 3, known: 1),
      line: "cannot use /i: a newer version of blastoise wrote it (schema 3, this one knows 1)",
      hint: "update blastoise, or move it away", code: .config, exit: 78),
  ]

  static let tracks = [
    DiagnosticRow(
      error: CacheError.wrongLength(track: "a\u{7}", promised: 9, received: 5),
      line: "cannot get track a\\x07: the server promised 9 bytes and sent 5", code: .incomplete,
      exit: 75),
    DiagnosticRow(
      error: CacheError.changed(track: "a"),
      line: "cannot get track a: its bytes changed between two tries", code: .incomplete, exit: 75),
    DiagnosticRow(
      error: CacheError.brokenLine(track: "a"),
      line: "cannot get track a: what arrives does not match its id and differs each time",
      code: .mismatch, exit: 65),
    DiagnosticRow(
      error: CacheError.fetch(
        track: "a", TransportError(operation: "GET", url: url, cause: .http(status: 403))),
      line: "\(url) refuses: HTTP 403", hint: "blastoise login signs in as somebody who may",
      code: .forbidden, exit: 77),
    DiagnosticRow(
      error: CacheError.notKept(track: "a"), line: "cannot keep track a", code: .noRoom, exit: 73),
    DiagnosticRow(
      error: CacheError.cancelled, line: "the download was called off", code: .timeout, exit: 75),
    DiagnosticRow(
      error: CacheError.file(FileError(operation: "open", path: "/x", code: EROFS)),
      line: "cannot open /x: read-only file system", code: .noRoom, exit: 73),
    DiagnosticRow(
      error: DecoderError.unsupported(looksLike: "html"),
      line: "cannot play the track: it looks like html", code: .badAudio, exit: 65),
    DiagnosticRow(
      error: DecoderError.unsupported(looksLike: nil),
      line: "cannot play the track: no audio we know", code: .badAudio, exit: 65),
    DiagnosticRow(
      error: DecoderError.corrupt(codec: "flac", detail: "bad header"),
      line: "cannot play the track: broken flac: bad header", code: .badAudio, exit: 65),
    DiagnosticRow(
      error: DecoderError.source(.lost("gone")), line: "the download failed: gone",
      code: .incomplete, exit: 75),
    DiagnosticRow(
      error: DecoderError.source(.system(operation: "read", subject: "/x", code: EIO)),
      line: "cannot read /x: input/output error", code: .device, exit: 74),
    DiagnosticRow(
      error: DecoderError.source(.cancelled), line: "interrupted", code: .timeout, exit: 75),
  ]

  private static let lobby = ChannelInfo(id: "1", name: "Lobby")
  private static let loft = ChannelInfo(id: "2", name: "Lo\u{1B}ft")

  static let rooms = [
    DiagnosticRow(
      error: RoomError.notSignedIn(operation: "POST /x", message: "who are you?"),
      line: "the server refuses POST /x: who are you?", hint: "blastoise login signs in",
      code: .signInNeeded, exit: 77),
    DiagnosticRow(
      error: RoomError.forbidden(operation: "POST /x", message: "no\u{7}"),
      line: "the server refuses POST /x: no\\x07",
      hint: "blastoise login signs in as somebody who may", code: .forbidden, exit: 77),
    DiagnosticRow(
      error: RoomError.notFound(operation: "GET /x", message: "HTTP 404"),
      line: "the server knows no GET /x: HTTP 404", hint: "is this the address of a room server?",
      code: .notFound, exit: 66),
    DiagnosticRow(
      error: RoomError.server(operation: "GET /x", status: 500, message: "oops"),
      line: "the server failed at GET /x: oops", code: .serverError, exit: 69),
    DiagnosticRow(
      error: RoomError.server(operation: "POST /api/channels", status: 409, message: "taken"),
      line: "the server refuses POST /api/channels: taken", code: .usage, exit: 64),
    DiagnosticRow(
      error: RoomError.server(
        operation: "PATCH /api/channels/1/queue", status: 409, message: "changed"),
      line: "the server refuses PATCH /api/channels/1/queue: changed", code: .conflict, exit: 75),
    DiagnosticRow(
      error: RoomError.server(operation: "GET /x", status: 429, message: "slow down"),
      line: "the server refuses GET /x: slow down", code: .timeout, exit: 75),
    DiagnosticRow(
      error: RoomError.unexpected(operation: "GET /x", what: "a web page: Router"),
      line: "cannot read the answer to GET /x: it is a web page: Router",
      hint: "is this the address of a room server?", code: .protocolBroken, exit: 76),
    DiagnosticRow(
      error: RoomError.transport(
        TransportError(operation: "GET", url: url, cause: .http(status: 403))),
      line: "\(url) refuses: HTTP 403", hint: "blastoise login signs in as somebody who may",
      code: .forbidden, exit: 77),
    DiagnosticRow(
      error: RoomError.transport(
        TransportError(
          operation: "POST", url: url, cause: .timeout(detail: "after 9 s"), wasSent: true)),
      line: "no answer from http://localhost:3001: after 9 s",
      hint:
        "--timeout gives it longer; it may have been done all the same: look before you try again",
      code: .timeout, exit: 75),
    DiagnosticRow(
      error: RoomError.transport(
        TransportError(
          operation: "GET", url: url, cause: .interrupted(detail: "x"), wasSent: true)),
      line: "the connection to http://localhost:3001 broke: x", code: .unreachable, exit: 69),
    DiagnosticRow(
      error: RoomError.server(operation: "PATCH /x", status: 502, message: "HTTP 502"),
      line: "the server failed at PATCH /x: HTTP 502",
      hint: "it may have been done all the same: look before you try again",
      code: .serverError, exit: 69),
    DiagnosticRow(
      error: RoomError.server(operation: "PATCH /x", status: 503, message: "HTTP 503"),
      line: "the server failed at PATCH /x: HTTP 503", code: .serverError, exit: 69),
    DiagnosticRow(
      error: ServerAddress.ReadingError.malformed(text: "http://", detail: "no host"),
      line: "\"http://\" is no server address: no host", code: .usage, exit: 64),
    DiagnosticRow(
      error: ServerAddress.ReadingError.scheme(text: "ftp://x", scheme: "ftp"),
      line: "\"ftp://x\" is no server address: ftp is neither http nor https", code: .usage,
      exit: 64),
    DiagnosticRow(
      error: ServerAddress.ReadingError.userInfo,
      line: "a server address must not hold a user name or a password",
      hint: "blastoise login signs in", code: .usage, exit: 64),
    DiagnosticRow(
      error: ServerAddress.ReadingError.blank, line: "the server address is blank", code: .usage,
      exit: 64),
    DiagnosticRow(
      error: SessionError.malformed(path: "/s", line: 3),
      line: "cannot read the session in /s: line 3 is no cookie",
      hint: "blastoise login writes it anew", code: .config, exit: 78),
    DiagnosticRow(
      error: SessionError.file(FileError(operation: "open", path: "/s", code: EACCES)),
      line: "cannot open /s: permission denied", code: .config, exit: 78),
    DiagnosticRow(
      error: SessionError.file(FileError(operation: "write", path: "/s", code: EROFS)),
      line: "cannot write /s: read-only file system", code: .noRoom, exit: 73),
    DiagnosticRow(
      error: ListeningEnd.unknownRoom("x", known: [lobby, loft]), line: "no room \"x\"",
      hint: "rooms are Lobby, Lo\\x1bft", code: .notFound, exit: 66),
    DiagnosticRow(
      error: ListeningEnd.ambiguousRoom("Lo", candidates: [lobby, loft]),
      line: "\"Lo\" fits 2 rooms", hint: "it could be Lobby (1) or Lo\\x1bft (2)", code: .ambiguous,
      exit: 64),
    DiagnosticRow(
      error: ListeningEnd.noRooms, line: "the server has no room", code: .notFound, exit: 66),
    DiagnosticRow(
      error: ListeningEnd.kicked(reason: "elsewhere"),
      line: "the server has ended this session: elsewhere",
      hint: "another listener of the same user may have asked for it", code: .kicked, exit: 77),
  ]

  static let sound = [
    DiagnosticRow(
      error: SinkError(device: "alsa:hw:9", operation: .open, code: ENODEV),
      line: "cannot open alsa:hw:9: no such device",
      hint: "blastoise devices lists what there is; --output null needs none", code: .device,
      exit: 74),
    DiagnosticRow(
      error: ListeningEnd.device(SinkError(device: "alsa:x", operation: .open, code: EBUSY)),
      line: "cannot open alsa:x: device or resource busy", hint: "another program holds it",
      code: .device, exit: 74),
    DiagnosticRow(
      error: SinkError(device: "wav:/x/y", operation: .create, code: ENOENT),
      line: "cannot create wav:/x/y: no such file or directory", code: .noRoom, exit: 73),
    DiagnosticRow(
      error: ServiceError.cannotListen(host: "127.0.0.1", port: 80, code: EADDRINUSE),
      line: "cannot listen on 127.0.0.1 port 80: address already in use",
      hint: "--port picks another; 0 takes any free one", code: .system, exit: 71),
    DiagnosticRow(
      error: ServiceError.certificate(path: "/c"), line: "cannot use the certificate or key in /c",
      code: .noFile, exit: 66),
    DiagnosticRow(
      error: ServiceError.musicFolder(path: "/m", code: ENOENT),
      line: "cannot read the music in /m: no such file or directory", code: .noFile, exit: 66),
    DiagnosticRow(
      error: ServiceError.musicFolder(path: "/m", code: ENOTDIR),
      line: "cannot read the music in /m: not a directory", code: .noFile, exit: 66),
    DiagnosticRow(
      error: ServiceError.database(path: "/d", detail: "full"), line: "cannot use /d: full",
      code: .noRoom, exit: 73),
  ]

  struct Surprise: Error {}

  static let own = [
    DiagnosticRow(
      error: Diagnostic.usage("no command", hint: "try help"), line: "no command",
      hint: "try help", code: .usage, exit: 64),
    DiagnosticRow(error: CancellationError(), line: "interrupted", code: .timeout, exit: 75),
    DiagnosticRow(
      error: Surprise(), line: "something unexpected happened: Surprise()",
      hint: "this is a bug; please report it with the command line", code: .bug, exit: 70),
  ]

  @Test(arguments: network + disk + tracks + rooms + sound + own)
  func `an error in words`(row: DiagnosticRow) {
    let diagnostic = Diagnostic(describing: row.error)
    #expect(diagnostic.message == row.line)
    #expect(diagnostic.hint == row.hint)
    #expect(diagnostic.code == row.code)
    #expect(diagnostic.status.rawValue == row.exit)
  }

  @Test func `of a request that got no answer it is said what could not be done`() {
    let lost = TransportError(
      operation: "POST", url: Self.url, cause: .interrupted(detail: "reset"), wasSent: true)
    let diagnostic = Diagnostic(RoomError.transport(lost), what: "cannot upload a.mp3")
    #expect(
      diagnostic.message
        == "cannot upload a.mp3: the connection to http://localhost:3001 broke: reset")
    #expect(diagnostic.hint == Diagnostic.perhapsDone)
    let page = RoomError.unexpected(operation: "POST /x", what: "a web page: Hotel")
    #expect(
      Diagnostic(page, what: "cannot upload a.mp3").message
        == "cannot upload a.mp3: the answer is a web page: Hotel")
  }

  @Test func `people get lines, programs one object`() {
    let diagnostic = Diagnostic(.noHost, "cannot reach x", why: "no such host", hint: "look")
    #expect(diagnostic.lines == ["blastoise: cannot reach x: no such host", "hint: look"])
    #expect(
      diagnostic.json.description
        == #"{"error": {"code": "no_host", "message": "cannot reach x: no such host", "#
        + #""hint": "look", "exit": 68}}"#)
    #expect(Diagnostic(.bug, "x").lines == ["blastoise: x"])
  }

  @Test func `the documented table is the one in the code`() throws {
    let text = String(
      decoding: try Fixture.bytes(at: "\(Fixture.root)/docs/exit-codes.md"), as: UTF8.self)
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| ") && $0.contains("`") }
    var documented: [String: Int32] = [:]
    for row in rows {
      let cells = row.split(separator: "|").map { $0.split(separator: " ") }
      guard let exit = cells[0].first.flatMap({ Int32($0) }), let code = cells[1].first else {
        continue
      }
      documented[String(code.replacing("`", with: ""))] = exit
    }
    let coded = FailureCode.allCases.map { ($0.rawValue, $0.status.rawValue) }
    #expect(documented == Dictionary(uniqueKeysWithValues: coded))
    for status in ExitStatus.allCases { #expect(text.contains("\n| \(status.rawValue) |")) }
  }
}
