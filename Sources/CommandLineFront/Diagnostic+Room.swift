import Glibc
import Listening
import Playback
import RoomClient
import RoomProtocol
import RoomServer
import Storage

/// The words for what rooms, sessions and listeners throw.
extension Diagnostic {
  /// Describes what a server did not do.
  ///
  /// - Parameters:
  ///   - error: the server's answer, or that there was none.
  ///   - what: what could not be done, in words for people; nil names the request.
  init(_ error: RoomError, what: String? = nil) {
    func refused(_ operation: String, _ verb: String = "refuses") -> String {
      what ?? "the server \(verb) \(Printable.escaped(operation))"
    }
    switch error {
    case .transport(let error):
      self.init(error)
      if let what { (self.what, why) = (what, message) }
    case .notSignedIn(let operation, let message):
      self.init(httpStatus: 401, what: refused(operation), text: message)
    case .forbidden(let operation, let message):
      self.init(httpStatus: 403, what: refused(operation), text: message)
    case .notFound(let operation, let message):
      self.init(httpStatus: 404, what: refused(operation, "knows no"), text: message)
      // Nobody has named anything that could be missing: it is another kind of server.
      if what == nil { hint = "is this the address of a room server?" }
    case .server(let operation, let status, let message):
      let verb = status >= 500 ? "failed at" : "refuses"
      self.init(httpStatus: status, what: refused(operation, verb), text: message)
      // Rows change under our hands; a name that is taken stays so.
      let isOfRows = ["/queue", "/tracks"].contains(where: operation.hasSuffix)
      if status == 409, !isOfRows, !operation.hasPrefix("GET ") { code = .usage }
      // The server broke down over it, or a proxy lost its answer.
      if [500, 502, 504].contains(status), Self.isChange(operation) { hint = Self.perhapsDone }
    case .unexpected(let operation, let nature):
      self.init(
        .protocolBroken, what ?? "cannot read the answer to \(Printable.escaped(operation))",
        why: "\(what == nil ? "it" : "the answer") is \(Printable.escaped(nature))",
        hint: "is this the address of a room server?")
    }
  }

  init(_ error: ServerAddress.ReadingError) {
    switch error {
    case .malformed(let text, let detail):
      self.init(
        .usage, "\"\(Printable.escaped(text))\" is no server address",
        why: Printable.escaped(detail)
      )
    case .scheme(let text, let scheme):
      self.init(
        .usage, "\"\(Printable.escaped(text))\" is no server address",
        why: "\(Printable.escaped(scheme)) is neither http nor https")
    case .userInfo:
      self.init(
        .usage, "a server address must not hold a user name or a password",
        hint: "blastoise login signs in")
    case .blank: self.init(.usage, "the server address is blank")
    }
  }

  init(_ error: SessionError) {
    switch error {
    case .malformed(let path, let line):
      self.init(
        .config, "cannot read the session in \(Printable.escaped(path))",
        why: "line \(line) is no cookie", hint: "blastoise login writes it anew")
    case .file(let error):
      self.init(error)
      // A session that is there and can't be read is no lack of room.
      if ["open", "read"].contains(error.operation), [EACCES, EPERM, EISDIR].contains(error.code) {
        code = .config
      }
    }
  }

  init(_ end: ListeningEnd) {
    switch end {
    case .unknownRoom(let name, let known): self = .unknownRoom(name, known: known)
    case .ambiguousRoom(let name, let rooms): self = .ambiguousRoom(name, candidates: rooms)
    case .noRooms: self.init(.notFound, "the server has no room")
    case .refused(let error), .untrusted(let error), .unreachable(let error): self.init(error)
    case .sessionExpired(let user, let server):
      let whose = user.map { " of \(Printable.escaped($0))" } ?? ""
      self.init(
        .signInNeeded,
        "the session\(whose) at \(Printable.escaped(server.description)) has expired",
        hint: "blastoise login signs in again")
    case .kicked(let reason):
      let why = reason.isEmpty ? nil : Printable.escaped(reason)
      self.init(
        .kicked, "the server has ended this session", why: why,
        hint: "another listener of the same user may have asked for it")
    case .device(let error): self.init(error)
    }
  }

  /// No room goes by this name.
  static func unknownRoom(_ name: String, known: [ChannelInfo]) -> Diagnostic {
    let near = Spelling.nearest(to: name.lowercased(), among: known.map { $0.name.lowercased() })
    let meant = known.first { $0.name.lowercased() == near }.map { Printable.escaped($0.name) }
    let names = known.prefix(20).map { Printable.escaped($0.name) }.joined(separator: ", ")
    return Diagnostic(
      .notFound, "no room \"\(Printable.escaped(name))\"",
      hint: known.isEmpty ? nil : meant.map { "did you mean \($0)?" } ?? "rooms are \(names)")
  }

  /// Several rooms go by this name.
  static func ambiguousRoom(_ name: String, candidates: [ChannelInfo]) -> Diagnostic {
    let names = candidates.map {
      "\(Printable.escaped($0.name)) (\(Printable.escaped($0.id.rawValue)))"
    }
    return Diagnostic(
      .ambiguous, "\"\(Printable.escaped(name))\" fits \(candidates.count) rooms",
      hint: "it could be \(names.joined(separator: " or "))")
  }

  init(_ error: SinkError) {
    let device = Printable.escaped(error.device)
    let what = "cannot \(error.operation.rawValue) \(device)"
    let why = Self.text(ofErrno: error.code)
    switch (error.operation, error.code) {
    case (.create, ENOSPC), (.create, EROFS), (.create, EACCES), (.create, ENOENT),
      (.write, ENOSPC):
      self.init(.noRoom, what, why: why)
    case (_, EBUSY):
      self.init(.device, what, why: why, hint: "another program holds it")
    default:
      let isCard = error.device.hasPrefix("alsa")
      self.init(
        .device, what, why: why,
        hint: isCard ? "blastoise devices lists what there is; --output null needs none" : nil)
    }
  }

  init(_ error: ServiceError) {
    switch error {
    case .cannotListen(let host, let port, let code):
      self.init(
        .system, "cannot listen on \(Printable.escaped(host)) port \(port)",
        why: code == 0 ? nil : Self.text(ofErrno: code),
        hint: code == EADDRINUSE ? "--port picks another; 0 takes any free one" : nil)
    case .certificate(let path):
      self.init(.noFile, "cannot use the certificate or key in \(Printable.escaped(path))")
    case .musicFolder(let path, let code):
      let what = "cannot read the music in \(Printable.escaped(path))"
      self.init(errno: code, what)
      if [ENOTDIR, EACCES, EPERM].contains(code) { self.code = .noFile }
    case .database(let path, let detail):
      self.init(.noRoom, "cannot use \(Printable.escaped(path))", why: Printable.escaped(detail))
    case .userExists(let name):
      self.init(.conflict, "there is a user \(Printable.escaped(name)) already")
    case .notRunning: self.init(.bug, "the embedded server is not running")
    }
  }
}
