import RoomClient
import Transport

extension CommandContext {
  /// How connections are made: the options that concern every command.
  ///
  /// `--insecure` is said aloud each time.
  var transport: TransportConfiguration {
    get throws(Diagnostic) {
      var configuration = TransportConfiguration(userAgent: "BlastoiseCLI/\(Front.version)")
      configuration.certificateFile = invocation[.cacert]
      configuration.isInsecure = invocation.has(.insecure)
      if let seconds = try invocation.integer(.timeout) {
        configuration.totalTimeout = .seconds(seconds)
        // What may take for ever, such as a library or a file, may not stand still for longer.
        configuration.idleTimeout = .seconds(seconds)
        configuration.connectTimeout = min(configuration.connectTimeout, .seconds(seconds))
      }
      configuration.trace = trace
      return configuration
    }
  }

  /// What tells of each request: `-vv`, but not where a line is being drawn on the terminal.
  private var trace: (@Sendable (RequestTrace) -> Void)? {
    let draws = [.listen, .demo, .libraryPlay].contains(invocation.command)
    guard invocation.count(.verbose) > 1, !draws || console.terminal == nil else { return nil }
    let console = console
    return { request in
      let outcome = request.status.map { "\($0)" } ?? "no answer"
      let milliseconds = Int((request.duration.inSeconds * 1000).rounded())
      console.note(
        "\(request.operation) \(Printable.escaped(request.url)): \(outcome), \(milliseconds) ms")
    }
  }

  /// How long the first word of a room may take: `--timeout`, or 10 s.
  var arrivalPatience: Duration {
    get throws(Diagnostic) { .seconds(try invocation.integer(.timeout) ?? 10) }
  }

  /// The server that is meant: `--server`, or the standard one.
  var serverAddress: ServerAddress {
    get throws { try ServerAddress.setting(invocation[.server]) }
  }

  /// Who has named a server, for `-v`: ` (BLASTOISE_SERVER)`; empty where it is a listener's.
  private func origin(of server: ServerAddress) -> String {
    guard (try? serverAddress) == server else { return "" }
    let word = ConfigListCommand.place(of: settings.value(of: .server), SettingKey(.server))
    return " (\(word))"
  }

  /// A failure with what the settings have to say to it: a host nobody knows may be a saved server's
  /// name with a slip.
  func explained(_ diagnostic: Diagnostic) -> Diagnostic {
    guard diagnostic.code == .noHost, let text = settings[.server], SettingKey.isName(text) else {
      return diagnostic
    }
    var diagnostic = diagnostic
    if let near = Spelling.nearest(to: text, among: settings.names(.server)) {
      diagnostic.hint = "did you mean the saved server \(near)?"
    } else {
      diagnostic.hint =
        "no server is saved as \(text); blastoise config set server.\(text).url URL saves one"
    }
    return diagnostic
  }

  /// The folder of what is kept between runs.
  var stateFolder: String { Self.stateFolder(environment) }

  /// The folder of what is kept between runs.
  static func stateFolder(_ environment: [String: String]) -> String {
    if let root = environment["XDG_STATE_HOME"], root.hasPrefix("/") { return root + "/blastoise" }
    return "\(environment["HOME"] ?? ".")/.local/state/blastoise"
  }

  /// Starts with the session kept for the server that is meant.
  ///
  /// - Throws: `ServerAddress.ReadingError`, `SessionError`, `Diagnostic`.
  func connect() async throws -> ServerSession { try await connect(to: serverAddress) }

  /// Starts with the session kept for a server.
  ///
  /// - Throws: `SessionError`, `Diagnostic`.
  func connect(to server: ServerAddress) async throws -> ServerSession {
    if invocation.has(.verbose) { console.note("server \(server)\(origin(of: server))") }
    if invocation.has(.insecure) {
      console.complain("blastoise: warning: certificates are not checked (--insecure)")
    }
    return try await ServerSession(
      server: server, configuration: transport,
      store: SessionStore(folder: SessionStore.standardFolder(environment)),
      replacesBroken: [.login, .signup, .logout].contains(invocation.command))
  }
}
