import Listening
import RoomClient
import RoomProtocol

/// `server`: what the server is and allows.
enum ServerCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    try await context.withServer { session in
      let status = try await session.api.status().status
      let user = await user(context, session)
      context.present(
        text(status, user, session.server), json: json(status, user, session.server))
      return .done
    }
  }

  /// Who we are; a session that has ended is said, and no reason to say nothing of the server.
  private static func user(_ context: CommandContext, _ session: ServerSession) async -> User? {
    let wasKnown = session.isKnown
    do throws(RoomError) {
      return try await context.identity(on: session).user
    } catch {
      let judged = await context.judged(error, on: session, wasKnown: wasKnown)
      if case ListeningEnd.sessionExpired = judged {
        context.console.complain("blastoise: \(Diagnostic(describing: judged).message)")
      }
      return nil
    }
  }

  private static func text(_ status: ServerStatus, _ user: User?, _ server: ServerAddress) -> String
  {
    let name = [status.name, status.version].compactMap(\.self).map { Printable.escaped($0) }
    let imports =
      switch (status.ytdlp.enabled, status.ytdlp.available) {
      case (true, true): "yes"
      case (true, false): "no: yt-dlp is missing on the server"
      case (false, _): "no"
      }
    let rows = [
      ("server", "\(server)"), ("name", name.joined(separator: " ")),
      ("guests", allowed(status.allowsGuests)), ("sign-up", allowed(status.allowsSignups)),
      ("imports", imports), ("you", user.map { Printable.escaped($0.username) } ?? "nobody"),
    ]
    return rows.filter { !$0.1.isEmpty }.map { name, value in
      "\(Printable.padded(name, to: 8)) \(value)"
    }.joined(separator: "\n")
  }

  private static func allowed(_ flag: Bool?) -> String {
    flag.map { $0 ? "allowed" : "not allowed" } ?? "not known"
  }

  private static func json(
    _ status: ServerStatus, _ user: User?, _ server: ServerAddress
  ) -> JSONValue {
    [
      "server": .text(server.description), "name": JSONValue(status.name),
      "version": JSONValue(status.version), "guests": JSONValue(status.allowsGuests),
      "signups": JSONValue(status.allowsSignups),
      "imports": .bool(status.offersImports), "user": JSONValue(user?.username),
    ]
  }
}
