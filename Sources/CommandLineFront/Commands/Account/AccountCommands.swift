import RoomClient
import RoomProtocol

/// `login` and `signup`: a name and a password become a session.
enum SignInCommand {
  static func run(_ context: CommandContext, makesAccount: Bool) async throws -> ExitStatus {
    let credentials = try await Credentials.ask(context, repeats: makesAccount)
    return try await context.withServer { session in
      if !session.server.isSecure && !session.server.isNear {
        context.console.complain(
          "blastoise: warning: the password goes to \(session.server) unencrypted")
      }
      let name = Printable.escaped(credentials.user)
      let envelope: AuthEnvelope
      do throws(RoomError) {
        envelope =
          makesAccount
          ? try await session.api.signup(username: credentials.user, password: credentials.password)
          : try await session.api.login(username: credentials.user, password: credentials.password)
      } catch {
        var diagnostic = Diagnostic(
          error,
          what: makesAccount ? "cannot make the account \(name)" : "cannot sign in as \(name)")
        // To sign in is what was just tried.
        if diagnostic.code == .signInNeeded { diagnostic.hint = nil }
        throw diagnostic
      }
      try await session.save()
      await context.tellListeners(of: session.server)
      context.confirm(
        "signed in to \(session.server) as \(name)",
        json: JSONValue(envelope: envelope, server: session.server))
      return .done
    }
  }
}

/// `logout`: ends the session, on the server and here.
enum LogoutCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    try await context.withServer { session in
      do throws(RoomError) {
        try await session.api.logout()
      } catch {
        // No session there any more is what was wanted.
        guard case .notSignedIn = error else { throw error }
      }
      try await session.forget()
      await context.tellListeners(of: session.server)
      context.confirm(
        "signed out of \(session.server)",
        json: ["server": .text(session.server.description), "user": .null])
      return .done
    }
  }
}

/// `whoami`: who the server takes us for.
enum WhoAmICommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    try await context.withServer { session in
      let envelope = try await session.api.me()
      guard let user = envelope.user else {
        throw Diagnostic(
          .signInNeeded, "nobody is signed in to \(session.server)",
          hint: "blastoise login signs in")
      }
      let kind = user.isGuest ? " (guest)" : user.isAdmin ? " (admin)" : ""
      context.present(
        Printable.escaped(user.username) + kind,
        json: JSONValue(envelope: envelope, server: session.server))
      return .done
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
