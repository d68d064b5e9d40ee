import Control
import Listening
import RoomClient
import RoomProtocol
import Synchronization

extension CommandContext {
  /// The name of the listener that is meant: `--instance`, or the standard one.
  var instance: String { invocation[.instance] ?? ControlPlace.standardInstance }

  /// Where control sockets are.
  var controlFolders: ControlFolders {
    ControlFolders(environment: environment, state: stateFolder)
  }

  /// A connection to the running listener that is meant; nil where none runs.
  ///
  /// - Throws: `ControlError` where one runs that does not answer; `Diagnostic` of the code
  ///   `no_listener` where the command line names one that does not run: what was to be done there
  ///   is not done elsewhere.
  func listener() async throws -> ControlClient? {
    if let client = idleClient.take() { return client }
    do throws(ControlError) {
      return try await ControlClient.connect(to: instance, in: controlFolders)
    } catch {
      guard case .noListener = error else { throw error }
      // These tell of it, or begin one.
      guard isListenerNamed, ![.status, .libraryPlay].contains(invocation.command) else {
        return nil
      }
      throw await noListener
    }
  }

  /// Whether the command line itself names the listener.
  private var isListenerNamed: Bool {
    invocation.origins[OptionSpec.instance.name]?.hasPrefix("--") == true
  }

  /// A connection to the running listener that is meant.
  ///
  /// - Throws: `ControlError`; `Diagnostic` of the code `no_listener` where none runs.
  func runningListener() async throws -> ControlClient {
    guard let client = try await listener() else { throw await noListener }
    return client
  }

  /// Asks the running listener for something.
  ///
  /// - Parameters:
  ///   - verb: what.
  ///   - arguments: what with.
  ///   - patience: how long to wait.
  /// - Returns: its answer.
  /// - Throws: `Diagnostic` of the code `no_listener` where none runs, and what it answers.
  func askListener(
    _ verb: String, _ arguments: [JSONValue.Member] = [],
    within patience: Duration = ControlClient.patience
  ) async throws -> JSONValue {
    try await runningListener().answer(to: verb, arguments, within: patience)
  }

  /// Whether an option was given for this command alone, not by the configuration.
  func isGiven(_ option: OptionSpec) -> Bool {
    guard invocation.has(option), let origin = invocation.origins[option.name] else { return false }
    if origin.hasPrefix("--") { return true }
    // Whoever names a listener on the command line means its place, whatever the environment says.
    return origin == option.variable && !isListenerNamed
  }

  /// The server and the room that are meant, as the control socket takes them: those that are given
  /// here, else those that the command names by its options; neither where neither is named.
  func namedPlace(
    server: ServerAddress? = nil, room: String? = nil
  ) throws -> [JSONValue.Member] {
    let server = try server ?? (isGiven(.server) ? serverAddress : nil)
    let room = room ?? (isGiven(.channel) ? invocation[.channel] : nil)
    return [
      server.map { .init("server", .text($0.description)) }, room.map { .init("room", .text($0)) },
    ].compactMap(\.self)
  }

  /// What the running listener tells of itself; nil where none runs, or it is at another server.
  ///
  /// - Throws: `ControlError` where one runs that does not answer.
  func listenerStatus(at server: ServerAddress) async throws -> JSONValue? {
    guard let client = try await listener() else { return nil }
    let status = try await client.answer(to: "status")["status"]
    guard let text = status["server"].text, let theirs = try? ServerAddress(text),
      theirs.isSame(as: server)
    else { return nil }
    return status
  }

  /// The running listener's server, where it is the one that is meant: no other one is named.
  ///
  /// - Throws: `ControlError` where a listener runs that does not answer.
  var listenersServer: ServerAddress? {
    get async throws {
      guard let client = try await listener(), let text = client.hello["server"].text,
        let server = try? ServerAddress(text)
      else { return nil }
      guard isGiven(.server) else { return server }
      return try serverAddress.isSame(as: server) ? server : nil
    }
  }

  /// Follows the room that is meant through the running listener; nil where none runs, or it is
  /// elsewhere.
  ///
  /// - Parameters:
  ///   - server: the server that is meant; nil means the listener's where no other one is named.
  ///   - wantsQueue: whether the queue is wanted.
  ///   - wish: what is to be done to the room; nil for those who only look.
  /// - Returns: the visit, with the room's state.
  /// - Throws: `ControlError`, `Diagnostic`.
  func visitThroughListener(
    of server: ServerAddress? = nil, wantsQueue: Bool, wish: String? = nil
  ) async throws -> RoomVisit? {
    guard let client = try await listener() else { return nil }
    let arguments = try namedPlace(server: server) + [.init("queue", .bool(wantsQueue))]
    let answer = try await client.ask(JSONValue(verb: "follow", arguments))
    // Elsewhere, or without its server at the moment: the room is reached without it.
    guard ControlFailure(answer: answer) == nil, let id = answer["channel_id"].text else {
      return nil
    }
    let channel = ChannelInfo(id: ChannelID(id), name: answer["channel"].text ?? "Room")
    let identity = Array(answer["identity"].json.utf8)
    if let wish, let identity = try? WireJSON.decode(AuthEnvelope.self, from: identity) {
      try RoomEntrance(channel: channel, identity: identity).checkControl(wish)
    }
    let visit = RoomVisit(channel, through: client, wantsQueue: wantsQueue)
    try await visit.arrive(within: arrivalPatience)
    return visit
  }

  /// Nobody listens by the name that is meant; others who do are named.
  var noListener: Diagnostic {
    get async {
      let isStandard = instance == ControlPlace.standardInstance
      let name = isStandard ? "" : " called \(Printable.escaped(instance))"
      let others = await runningInstances
      return Diagnostic(
        .noListener, "no listener\(name) runs here",
        hint: others.isEmpty
          ? "blastoise listen\(isStandard ? "" : " --instance \(Printable.escaped(instance))") starts one"
          : "--instance means another: \(others.joined(separator: ", "))")
    }
  }

  /// The names of all listeners of this user that answer.
  private var runningInstances: [String] {
    get async {
      var names: [String] = []
      for place in controlFolders.all {
        // A socket may be left of one that was killed.
        guard (try? await ControlClient.connect(to: place, within: .milliseconds(200))) != nil
        else { continue }
        names.append(place.instance)
      }
      return names
    }
  }

  /// Tells all running listeners of a server that the session on disk has changed, and waits until
  /// they have taken it.
  func tellListeners(of server: ServerAddress) async {
    for place in controlFolders.all {
      guard let client = try? await ControlClient.connect(to: place) else { continue }
      let argument = JSONValue.Member("server", .text(server.description))
      _ = try? await client.answer(to: "session", [argument], within: .seconds(10))
    }
  }
}

/// A connection that nobody uses at the moment: the next one who wants a listener takes it.
final class IdleClient: Sendable {
  private let client = Mutex<ControlClient?>(nil)

  /// Leaves a connection on which no answer and no subscription is awaited.
  func leave(_ idle: ControlClient) { client.withLock { $0 = idle } }

  /// Takes the connection, where there is one.
  func take() -> ControlClient? { client.withLock { $0.take() } }
}

extension ControlClient {
  /// Asks for something; an answer that is an error is thrown.
  ///
  /// - Throws: `ControlError`; `Diagnostic` where the listener refuses.
  func answer(
    to verb: String, _ arguments: [JSONValue.Member] = [],
    within patience: Duration = ControlClient.patience
  ) async throws -> JSONValue {
    let answer = try await ask(JSONValue(verb: verb, arguments), within: patience)
    if let failure = ControlFailure(answer: answer) { throw Diagnostic(failure) }
    return answer
  }
}

// MARK: - Words for what goes wrong

extension Diagnostic {
  /// What a listener has answered.
  init(_ failure: ControlFailure) {
    self.init(
      FailureCode(rawValue: failure.code) ?? .unreachable, Printable.escaped(failure.message),
      hint: failure.hint.map { Printable.escaped($0) })
  }

  init(_ error: ControlError) {
    switch error {
    case .badName(let name):
      self.init(
        .usage, "\"\(Printable.escaped(name))\" is no name for a listener",
        hint: "names have letters, digits, dots, dashes and underscores, 64 at most")
    case .pathTooLong(let path, let limit):
      self.init(
        .system, "cannot make the socket \(Printable.escaped(path))",
        why: "its path is longer than \(limit) bytes",
        hint: "set XDG_RUNTIME_DIR to a shorter folder, or give --instance a shorter name")
    case .foreignFolder(let path, let fault):
      let why =
        switch fault {
        case .notAFolder: "it is no folder"
        case .symbolicLink: "it is a symbolic link"
        case .ownedByAnother: "it belongs to another user"
        }
      self.init(.system, "cannot use \(Printable.escaped(path))", why: why)
    case .system(let operation, let path, let code):
      self.init(errno: code, "cannot \(operation) \(Printable.escaped(path))")
    case .running(let instance, let pid):
      let isStandard = instance == ControlPlace.standardInstance
      let name = isStandard ? "a listener" : "the listener \(Printable.escaped(instance))"
      let process = pid.map { " (process \($0))" } ?? ""
      self.init(
        .alreadyRunning, "\(name) runs already\(process)",
        hint: "blastoise stop ends it; --instance NAME runs another beside it")
    case .noListener(let instance):
      self.init(.noListener, "no listener called \(Printable.escaped(instance)) runs here")
    case .silent(let instance):
      self.init(
        .timeout, "the listener \(Printable.escaped(instance)) does not answer",
        hint: "it may be stopped (Ctrl-Z)")
    case .closed(let reason):
      self.init(
        .unreachable, "the listener has gone away", why: reason.map { Printable.escaped($0) })
    }
  }

  init(_ error: JoinError) {
    switch error {
    case .unknownRoom(let name, let known): self = .unknownRoom(name, known: known)
    case .ambiguousRoom(let name, let rooms): self = .ambiguousRoom(name, candidates: rooms)
    case .notConnected:
      self.init(.unreachable, "the listener is not connected to its server")
    case .unreachable(let error): self.init(error, what: "cannot get to the room")
    case .refused(let error): self.init(error, what: "the room does not let us in")
    case .timeout: self.init(.timeout, "no word from the room")
    case .superseded: self.init(.conflict, "another room was asked for meanwhile")
    }
  }
}
