import RoomClient
import RoomProtocol

/// `server`: what the server is and allows.
enum ServerCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    try await context.withServer { session in
      let status = try await session.api.status().status
      let user = try? await session.api.me().user
      context.present(
        text(status, user, session.server), json: json(status, user, session.server))
      return .done
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
