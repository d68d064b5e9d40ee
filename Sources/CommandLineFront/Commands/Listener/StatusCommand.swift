import Control
import RoomClient
import RoomProtocol

/// `status`: what the running listener hears; without one, what the server says of the room.
enum StatusCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let format = try context.invocation[.format].map { text throws(Diagnostic) in
      try StatusFormat(text)
    }
    try context.invocation.checkApart(.format, .json)
    if context.invocation.has(.watch) {
      return try await StatusWatch(context: context, format: format)
        .run(try await context.runningListener())
    }
    if let status = try await heard(context) {
      show(status, format, context)
      return .done
    }
    let status = try await context.withRoomServer { session in
      let user = try await session.api.me().user
      let channel = try await context.room(on: session)
      let room = try await context.glance(at: channel, on: session)
      return StatusJSON.reading(
        room, server: session.server, user: user, instance: context.instance,
        cached: await context.cachedIDs(of: session.server))
    }
    show(status, format, context)
    return .done
  }

  /// What the running listener hears; nil where none runs, or what is named is elsewhere.
  private static func heard(_ context: CommandContext) async throws -> JSONValue? {
    guard let client = try await context.listener() else { return nil }
    let answer = try await client.ask(JSONValue(verb: "status", try context.namedPlace()))
    guard let failure = ControlFailure(answer: answer) else { return answer["status"] }
    guard ListenerDesk.isElsewhere(failure) else { throw Diagnostic(failure) }
    return nil
  }

  private static func show(_ status: JSONValue, _ format: StatusFormat?, _ context: CommandContext)
  {
    context.present(format?.text(status) ?? StatusText.lines(status), json: status)
  }
}

/// `status --watch`: a line whenever it changes; on a terminal one line that is redrawn.
struct StatusWatch {
  let context: CommandContext
  let format: StatusFormat?

  func run(_ client: ControlClient) async throws -> ExitStatus {
    var last: String?
    let isDrawn = context.console.terminal != nil && !context.isJSON
    defer { if isDrawn, last != nil { context.console.print("") } }
    return try await context.goOver(
      JSONValue(verb: "watch", try context.namedPlace()), of: client
    ) { value in
      let status = value["status"]
      guard status != .null else { return }
      let text =
        context.isJSON ? status.description : format?.text(status) ?? StatusText.line(status)
      guard text != last else { return }
      last = text
      show(text, isDrawn: isDrawn)
    }
  }

  private func show(_ text: String, isDrawn: Bool) {
    guard isDrawn, let terminal = context.console.terminal else {
      return context.console.print(text)
    }
    // A longer line would wrap, and could not be redrawn.
    let line = Printable.truncated(text, to: max(terminal.columns - 1, 1))
    context.console.redraw("\r\(line)\u{1B}[K")
  }
}

/// `events`: what happens to the running listener, a line each.
enum EventsCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let request = JSONValue(verb: "events", [.init("text", .bool(!context.isJSON))])
    return try await context.goOver(request, of: try await context.runningListener()) { value in
      if value["event"] != .null { context.console.print(value) }
      if let text = value["line"].text { context.console.print(Printable.escaped(text)) }
    }
  }
}

extension CommandContext {
  /// Goes over the lines that a listener tells for a request, as long as anybody reads what is made
  /// of them.
  ///
  /// - Parameters:
  ///   - request: `watch` or `events`.
  ///   - client: the connection.
  ///   - each: takes a line.
  /// - Returns: how the command ends: by a signal, or because the reader has gone away.
  /// - Throws: `Diagnostic` of the code `no_listener` where the listener ends, and what it answers.
  fileprivate func goOver(
    _ request: JSONValue, of client: ControlClient, _ each: (JSONValue) -> Void
  ) async throws -> ExitStatus {
    client.send(request)
    // While nothing is told no write finds out that nobody reads.
    let lookout = Task {
      await console.waitUntilUnread()
      client.close()
    }
    defer { lookout.cancel() }
    for await line in client.lines {
      if Task.isCancelled || console.isClosed { return .done }
      guard let value = JSONValue(json: line) else { continue }
      if let failure = ControlFailure(answer: value) { throw Diagnostic(failure) }
      each(value)
    }
    if Task.isCancelled || console.isClosed { return .done }
    throw Diagnostic(.noListener, "the listener has ended")
  }
}
