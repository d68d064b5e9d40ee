import RoomProtocol
import Storage
import Transport

/// Status, sign-up, log-in and who one is.
extension RoomHost {
  func status() -> OutgoingResponse {
    let status = ServerStatus(
      allowsGuests: configuration.allowsGuests, allowsSignups: configuration.allowsSignups,
      ytdlp: ServerStatus.ImportSupport(
        enabled: configuration.importProgram != nil, available: importProgram != nil),
      name: configuration.name, version: configuration.version)
    return (try? .value(status)) ?? .error(500, "internal error")
  }

  /// The session of a request's cookie.
  func session(of request: IncomingRequest) throws -> Session? {
    guard let token = request.cookies[SessionCookie.name] else { return nil }
    return try users.session(token: token)
  }

  /// The header that gives a session's cookie out, or, without a token, takes it back.
  func cookie(token: String?) -> HTTPHeaders {
    SessionCookie.header(
      token: token, pathPrefix: configuration.pathPrefix,
      isSecure: configuration.certificate != nil)
  }

  func signup(_ call: Call) throws -> Answer {
    guard configuration.allowsSignups else { throw Refusal(403, "sign-up is closed") }
    let (username, password) = try credentials(call)
    try awaitPassword()
    return .later(passwords) {
      let hash = PasswordHash(of: password)
      return { host in
        host.pendingPasswords -= 1
        guard let user = try host.users.create(username: username, password: hash) else {
          throw Refusal(409, "the name is taken")
        }
        return try host.signIn(user, status: 201)
      }
    }
  }

  func login(_ call: Call) throws -> Answer {
    let credentials: RequestBody.Credentials = try call.body()
    let (name, address) = (credentials.username, call.request.sender)
    let found = try users.find(username: name)
    let user = found?.user
    let hash = found?.password
    try awaitPassword()
    // Taken before it is known to fail: a thousand at once are not to get through.
    if let wait = attempts.take(name, from: address, at: .now) {
      pendingPasswords -= 1
      let seconds = max(1, Int(wait.components.seconds) + 1)
      throw Refusal(
        429, "too many failed log-ins; try again in \(seconds) s", retryAfter: seconds)
    }
    return .later(passwords) {
      // An unknown name takes as long as a wrong password.
      let matches = (hash ?? Self.nobodysPassword).matches(credentials.password)
      return { host in
        host.pendingPasswords -= 1
        guard matches, let user else { throw Refusal(401, "wrong name or password") }
        host.attempts.forget(name, from: address)
        return try host.signIn(user, status: 200)
      }
    }
  }

  /// The passwords that may wait to be hashed: each takes 50 ms of a core.
  private static let passwordLimit = 100

  /// Notes that a password is to be hashed; where too many wait already it is refused.
  private func awaitPassword() throws(Refusal) {
    guard pendingPasswords < Self.passwordLimit else {
      throw Refusal(429, "too many log-ins at once; try again in 5 s", retryAfter: 5)
    }
    pendingPasswords += 1
  }

  private static let nobodysPassword = PasswordHash(of: Hex.string(SecureRandom.bytes(16)))

  private func credentials(_ call: Call) throws(Refusal) -> (username: String, password: String) {
    let body: RequestBody.Credentials = try call.body()
    let username = body.username.trimmed
    guard (1...64).contains(username.count), !username.hasControlCharacters else {
      throw Refusal(400, "a name has 1 to 64 characters")
    }
    guard (4...1024).contains(body.password.utf8.count) else {
      throw Refusal(400, "a password has at least 4 characters")
    }
    return (username, body.password)
  }

  private func signIn(_ user: User, status: Int) throws -> OutgoingResponse {
    let (token, session) = try users.open(user)
    var response = try OutgoingResponse.value(AuthEnvelope(user: session.user), status: status)
    response.headers.add(cookie(token: token))
    return response
  }

  func logout(_ call: Call) throws -> OutgoingResponse {
    if let session = call.session {
      try users.close(session)
      demote(session)
    }
    var response = try OutgoingResponse.value(["success": true])
    response.headers.add(cookie(token: nil))
    return response
  }

  func me(_ call: Call) throws -> OutgoingResponse {
    if let session = call.session { return try .value(AuthEnvelope(user: session.user)) }
    guard configuration.allowsGuests else { throw Refusal(401, "not signed in") }
    let (token, session) = try users.openGuest()
    var response = try OutgoingResponse.value(AuthEnvelope(user: session.user))
    response.headers.add(cookie(token: token))
    return response
  }

  func kickOthers(_ call: Call) throws -> OutgoingResponse {
    guard let session = call.session else { throw Refusal(401, "not signed in") }
    let count = try users.closeOthers(than: session)
    kickOthers(than: session)
    return try .value(["success": true, "kicked": count])
  }
}

extension String {
  /// The text without blanks around it.
  var trimmed: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[first...last])
  }

  /// Whether it holds characters that move a terminal's cursor.
  var hasControlCharacters: Bool {
    unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}
