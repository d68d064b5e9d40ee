import RoomClient
import RoomProtocol

/// `login` and `signup`: a name and a password become a session.
enum SignInCommand {
  static func run(_ context: CommandContext, makesAccount: Bool) async throws -> ExitStatus {
    let credentials = try await Credentials.ask(context, repeats: makesAccount)
    return try await context.withServer { session in
      if let warning = warning(before: session.server) { context.console.complain(warning) }
      let envelope = try await signIn(credentials, on: session, makesAccount: makesAccount)
      try await session.save(isWanted: true)
      context.memory(of: session.server).remember(user: credentials.user)
      await context.forgetPlaylists(of: session.server)
      await context.tellListeners(of: session.server)
      context.confirm(
        "signed in to \(session.server) as \(Printable.escaped(credentials.user))",
        json: JSONValue(envelope: envelope, server: session.server))
      return .done
    }
  }

  /// What is said before a password goes over a public line as it is.
  static func warning(before server: ServerAddress) -> String? {
    if server.isSecure || server.isNear { return nil }
    return "blastoise: warning: the password goes to \(server) unencrypted"
  }

  private static func signIn(
    _ credentials: Credentials, on session: ServerSession, makesAccount: Bool
  ) async throws(Diagnostic) -> AuthEnvelope {
    let name = Printable.escaped(credentials.user)
    do throws(RoomError) {
      return makesAccount
        ? try await session.api.signup(username: credentials.user, password: credentials.password)
        : try await session.api.login(username: credentials.user, password: credentials.password)
    } catch {
      var diagnostic = Diagnostic(
        error, what: makesAccount ? "cannot make the account \(name)" : "cannot sign in as \(name)")
      // To sign in is what was just tried.
      if [.signInNeeded, .forbidden].contains(diagnostic.code) { diagnostic.hint = nil }
      if makesAccount, case .server(_, status: 409, _) = error {
        diagnostic.hint = "blastoise login \(name) signs in to it, if it is yours"
      }
      throw diagnostic
    }
  }
}

/// `logout`: ends the session, here and on the server.
///
/// Here it ends whatever the server says: whoever signs out wants no session to lie about.
enum LogoutCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    try await context.withServer(needed: false) { session in
      let wasKnown = session.isKnown
      let refusal = wasKnown ? await refusal(of: session) : nil
      try await session.forget()
      context.memory(of: session.server).remember(user: nil)
      await context.forgetPlaylists(of: session.server)
      await context.tellListeners(of: session.server)
      if let refusal {
        var diagnostic = Diagnostic(refusal)
        diagnostic.why = diagnostic.message
        diagnostic.what = "signed out here, but \(session.server) still has the session"
        diagnostic.hint = nil
        throw diagnostic
      }
      context.confirm(
        wasKnown ? "signed out of \(session.server)" : "nobody is signed in to \(session.server)",
        json: ["server": .text(session.server.description), "user": .null])
      return .done
    }
  }

  /// Ends the session on the server; what keeps it from that.
  private static func refusal(of session: ServerSession) async -> RoomError? {
    do throws(RoomError) {
      try await session.api.logout()
      return nil
    } catch {
      // No session there any more is what was wanted.
      if case .notSignedIn = error { return nil }
      return error
    }
  }
}

/// `whoami`: who the server takes us for, and what we may do.
enum WhoAmICommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    try await context.withServer { session in
      let envelope = try await context.identity(on: session)
      guard let user = envelope.user else {
        throw Diagnostic(
          .signInNeeded, "nobody is signed in to \(session.server)",
          hint: "blastoise login signs in")
      }
      context.present(
        text(envelope, user), json: JSONValue(envelope: envelope, server: session.server))
      return .done
    }
  }

  private static func text(_ envelope: AuthEnvelope, _ user: User) -> String {
    let kind = user.isGuest ? " (guest)" : user.isAdmin ? " (admin)" : ""
    var lines = [Printable.escaped(user.username) + kind]
    if user.isAdmin {
      lines.append("may do everything")
    } else if envelope.permissions.isEmpty {
      lines.append(
        user.isGuest
          ? "guests may listen and change rooms; blastoise login or signup lets you do more"
          : "the server lists no permissions")
    } else {
      lines += PermissionText.lines(envelope.permissions)
    }
    return lines.joined(separator: "\n")
  }
}

/// `kick-others`: ends one's other sessions.
enum KickOthersCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    try await context.withServer { session in
      let user = try await context.identity(on: session).user
      let name = user.map { Printable.escaped($0.username) } ?? "this user"
      let what = "cannot end the other sessions of \(name)"
      if user?.isGuest == true { throw Diagnostic.guestRefused(what) }
      guard
        try await context.agrees(to: "end all other sessions of \(name) on \(session.server)")
      else { return .done }
      let count = try await attempting(what) {
        () throws(RoomError) in try await session.api.kickOthers()
      }
      context.confirm(
        text(count, name),
        json: [
          "server": .text(session.server.description), "user": JSONValue(user?.username),
          "kicked": JSONValue(count),
        ])
      return .done
    }
  }

  private static func text(_ count: Int?, _ name: String) -> String {
    switch count {
    case nil: "ended the other sessions of \(name); the server does not say how many"
    case 0?: "there was no other session of \(name)"
    case 1?: "ended 1 other session of \(name)"
    case let count?: "ended \(count) other sessions of \(name)"
    }
  }
}

/// Permissions in words.
enum PermissionText {
  /// A line for each thing: `may control and edit every channel`.
  static func lines(_ permissions: [Permission]) -> [String] {
    var things: [(name: String, may: [String])] = []
    for permission in permissions {
      let what = permission.permission.isEmpty ? "use" : permission.permission
      let name = thing(permission)
      if let place = things.firstIndex(where: { $0.name == name }) {
        if !things[place].may.contains(what) { things[place].may.append(what) }
      } else {
        things.append((name, [what]))
      }
    }
    return things.map { thing in
      let may =
        thing.may.count == 1
        ? thing.may[0]
        : thing.may.dropLast().joined(separator: ", ") + " and " + (thing.may.last ?? "")
      return Printable.escaped("may \(may) \(thing.name)")
    }
  }

  private static func thing(_ permission: Permission) -> String {
    let kind = permission.resourceType
    switch (kind.isEmpty, permission.resourceID) {
    case (true, nil): return "everything"
    case (true, let id?): return id
    case (false, nil): return "every \(kind)"
    case (false, let id?): return "the \(kind) \(id)"
    }
  }
}

extension JSONValue {
  /// Who somebody is on a server.
  init(envelope: AuthEnvelope, server: ServerAddress) {
    var user = JSONValue.null
    if let known = envelope.user {
      user = [
        "id": .integer(Int64(known.id)), "username": .text(known.username),
        "guest": .bool(known.isGuest), "admin": .bool(known.isAdmin),
      ]
    }
    let permissions = envelope.permissions.map { permission -> JSONValue in
      [
        "resource_type": .text(permission.resourceType),
        "resource_id": JSONValue(permission.resourceID),
        "permission": .text(permission.permission),
      ]
    }
    self = [
      "server": .text(server.description), "user": user, "permissions": .list(permissions),
    ]
  }
}
