import Caching
import Codecs
import Control
import Glibc
import Listening
import Playback
import RoomClient
import RoomProtocol
import RoomServer
import Storage
import Transport

/// The one place that puts other modules' errors into words.
extension Diagnostic {
  /// Describes whatever was thrown.
  init(describing error: any Error) {
    switch error {
    case let error as Diagnostic: self = error
    case let error as TransportError: self.init(error)
    case let error as SQLiteError: self.init(error)
    case let error as MigrationError: self.init(error)
    case let error as FileError: self.init(error)
    case let error as CacheError: self.init(error)
    case let error as LibraryError: self.init(error)
    case let error as DecoderError: self.init(error, subject: "the track")
    case let error as ByteSourceError: self.init(error)
    case let error as RoomError: self.init(error)
    case let error as ServerAddress.ReadingError: self.init(error)
    case let error as SessionError: self.init(error)
    case let error as ControlError: self.init(error)
    case let error as ControlFailure: self.init(error)
    case let error as JoinError: self.init(error)
    case let error as ListeningEnd: self.init(error)
    case let error as SinkError: self.init(error)
    case let error as ServiceError: self.init(error)
    case is CancellationError: self.init(.timeout, "interrupted")
    default:
      self.init(
        .bug, "something unexpected happened", why: Printable.escaped("\(error)"),
        hint: "this is a bug; please report it with the command line")
    }
  }

  init(_ error: TransportError) {
    let url = Printable.escaped(error.url)
    let server = Self.server(of: url)
    let what = "cannot reach \(server)"
    switch error.cause {
    case .unknownHost(let host):
      self.init(
        .noHost, what, why: "no such host: \(Printable.escaped(host))",
        hint: "check the address after --server, or the network")
    case .unreachable(let detail):
      self.init(
        .unreachable, what, why: Self.inSentence(Printable.escaped(detail)),
        hint: "is the server running? blastoise serve starts one here")
    case .timeout(let detail):
      self.init(
        .timeout, "no answer from \(server)", why: Self.inSentence(Printable.escaped(detail)),
        hint: "--timeout gives it longer")
    case .untrusted(let host, let detail):
      self.init(
        .untrusted, "the certificate of \(Printable.escaped(host)) is not trusted",
        why: Printable.escaped(detail),
        hint: "--cacert FILE trusts a private authority; --insecure trusts anybody")
    case .certificateFile(let path):
      self.init(
        .noFile, "cannot use the certificates in \(Printable.escaped(path))",
        why: "no readable PEM file")
    case .http(let status): self.init(httpStatus: status, what: "\(url) refuses", text: nil)
    case .redirected(let place):
      self.init(
        .protocolBroken, "\(url) points elsewhere", why: "to \(Printable.escaped(place))",
        hint: "if you trust that server, name it with --server")
    case .tooLarge(let limit):
      self.init(.protocolBroken, "the answer of \(url) is too large", why: "over \(limit) bytes")
    case .unreadable(let path):
      self.init(.noFile, "cannot read \(Printable.escaped(path)) to its end")
    case .interrupted(let detail):
      self.init(
        .unreachable, "the connection to \(server) broke",
        why: Self.inSentence(Printable.escaped(detail)))
    case .protocolViolation(let detail):
      // OpenSSL's words for an answer that is not encrypted.
      let isPlain = detail.contains("wrong version number")
      self.init(
        .protocolBroken, "\(server) does not speak the protocol",
        why: Self.inSentence(Printable.escaped(detail)),
        hint: isPlain ? "if it is without TLS, say so: --server http://..." : nil)
    case .aborted, .cancelled, .stopped: self.init(.timeout, "interrupted")
    }
    if error.wasSent, Self.isChange(error.operation), error.cause.losesAnswer {
      hint = hint.map { "\($0); \(Self.perhapsDone)" } ?? Self.perhapsDone
    }
  }

  /// What to say of a change whose answer is lost.
  static let perhapsDone = "it may have been done all the same: look before you try again"

  /// Whether a request changes something, by its method.
  static func isChange(_ operation: String) -> Bool {
    ["POST", "PATCH", "DELETE"].contains { operation.hasPrefix($0) }
  }

  /// The part of an address that names the server: what comes before the path.
  private static func server(of url: String) -> String {
    let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    return parts.prefix(3).joined(separator: "/")
  }

  /// Describes an answer with an error status.
  ///
  /// - Parameters:
  ///   - status: the HTTP status.
  ///   - what: what could not be done.
  ///   - text: the server's own words.
  init(httpStatus status: Int, what: String, text: String?) {
    let why = text.map { Printable.escaped($0) } ?? "HTTP \(status)"
    switch status {
    case 401:
      self.init(.signInNeeded, what, why: why, hint: "blastoise login signs in")
    case 403:
      self.init(
        .forbidden, what, why: why, hint: "blastoise login signs in as somebody who may")
    case 404, 410: self.init(.notFound, what, why: why)
    case 409, 412: self.init(.conflict, what, why: why)
    case 413: self.init(.tooLarge, what, why: text == nil ? "it is too large for the server" : why)
    case 415: self.init(.badAudio, what, why: why)
    case 408, 429, 504: self.init(.timeout, what, why: why)
    case 500...: self.init(.serverError, what, why: why)
    default: self.init(.serverError, what, why: why)
    }
  }

  private init(_ error: SQLiteError) {
    let path = Printable.escaped(error.path)
    let why = Printable.escaped(error.message)
    if error.isCorrupt {
      self.init(
        .config, "\(path) is damaged", why: why, hint: "move it away; it is made anew")
    } else if error.isUnwritable {
      self.init(.noRoom, "cannot write \(path)", why: why)
    } else if error.isBusy {
      self.init(.timeout, "\(path) is in use", why: why)
    } else {
      self.init(.system, "cannot use \(path)", why: why)
    }
  }

  private init(_ error: MigrationError) {
    switch error {
    case .newerDatabase(let path, let found, let known):
      self.init(
        .config, "cannot use \(Printable.escaped(path))",
        why: "a newer version of blastoise wrote it (schema \(found), this one knows \(known))",
        hint: "update blastoise, or move it away")
    }
  }

  init(_ error: FileError) {
    let path = Printable.escaped(error.path)
    let what =
      switch error.operation {
      case "mkdir": "cannot make the folder \(path)"
      case "opendir": "cannot read the folder \(path)"
      case "chmod", "fchmod": "cannot set the permissions of \(path)"
      case "flock": "cannot lock \(path)"
      case "unlink", "rmdir": "cannot remove \(path)"
      case "rename": "cannot replace \(path)"
      case "fsync", "ftruncate": "cannot write \(path)"
      case "stat", "lstat", "fstat", "statvfs": "cannot look at \(path)"
      default: "cannot \(error.operation) \(path)"
      }
    self.init(errno: error.code, what)
    // What can't be made there is not a file that is missing.
    if error.operation == "mkdir", error.code == ENOENT { code = .noRoom }
  }

  /// Describes what the system refused.
  init(errno code: Int32, _ what: String) {
    let why = Self.text(ofErrno: code)
    switch code {
    case ENOENT: self.init(.noFile, what, why: why)
    case ENOSPC, EDQUOT, EROFS, EACCES, EPERM, ENOTDIR, EFBIG: self.init(.noRoom, what, why: why)
    case EIO, ENODEV, ENXIO: self.init(.device, what, why: why)
    default: self.init(.system, what, why: why)
    }
  }

  private init(_ error: CacheError) {
    func name(_ track: TrackID) -> String { "track \(Printable.escaped(track.rawValue))" }
    switch error {
    case .cancelled: self.init(.timeout, "the download was called off")
    case .wrongLength(let track, let promised, let received):
      self.init(
        .incomplete, "cannot get \(name(track))",
        why: "the server promised \(promised) bytes and sent \(received)")
    case .changed(let track):
      self.init(
        .incomplete, "cannot get \(name(track))", why: "its bytes changed between two tries")
    case .brokenLine(let track):
      self.init(
        .mismatch, "cannot get \(name(track))",
        why: "what arrives does not match its id and differs each time")
    case .badAnswer(let track, let header, let value):
      self.init(
        .protocolBroken, "cannot get \(name(track))",
        why: "the server answered with an impossible \(header): \(Printable.escaped(value))")
    case .fetch(_, let cause): self.init(describing: cause)
    case .file(let error): self.init(error)
    case .busy(let track):
      self.init(
        .timeout, "cannot keep \(name(track))", why: "another blastoise is downloading it")
    case .notKept(let track): self.init(.noRoom, "cannot keep \(name(track))")
    case .notHere(let track): self.init(.notFound, "\(name(track)) is not in the cache")
    case .noRoom(let track, let missing):
      self.init(
        .noRoom, "no room for \(name(track))", why: "\(missing) bytes too few",
        hint: "cache prune or cache unpin makes room; cache.max-size is the limit")
    }
  }

  private init(_ error: LibraryError) {
    let what = "cannot read the library"
    switch error {
    case .notAListing:
      self.init(
        .protocolBroken, what, why: "the answer is no list of tracks",
        hint: "is this the address of a room server?")
    case .endsEarly: self.init(.incomplete, what, why: "the answer ends in the middle")
    case .busy: self.init(.timeout, what, why: "another blastoise has been reading it for a minute")
    }
  }

  /// Describes audio that can't be decoded.
  ///
  /// - Parameters:
  ///   - error: what the decoder said.
  ///   - subject: the track, as people know it; fit for a terminal.
  init(_ error: DecoderError, subject: String) {
    switch error {
    case .unsupported(let format):
      let why = format.map { "it looks like \(Printable.escaped($0))" } ?? "no audio we know"
      self.init(.badAudio, "cannot play \(subject)", why: why)
    case .corrupt(let codec, let detail):
      self.init(
        .badAudio, "cannot play \(subject)", why: "broken \(codec): \(Printable.escaped(detail))")
    case .source(let error): self.init(error)
    }
  }

  private init(_ error: ByteSourceError) {
    switch error {
    case .cancelled: self.init(.timeout, "interrupted")
    case .system(let operation, let subject, let code):
      self.init(errno: code, "cannot \(operation) \(Printable.escaped(subject))")
    case .lost(let detail):
      self.init(.incomplete, "the download failed", why: Printable.escaped(detail))
    }
  }
}

extension TransportError.Cause {
  /// Whether a request may have been obeyed, and what the server said to it never came.
  fileprivate var losesAnswer: Bool {
    switch self {
    case .timeout, .interrupted, .protocolViolation: true
    default: false
    }
  }
}
