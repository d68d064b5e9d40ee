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
    if let client = try await context.listener() {
      if context.invocation.has(.watch) {
        return try await StatusWatch(context: context, format: format).run(client)
      }
      let answer = try await client.answer(to: "status")
      show(answer["status"], format, context)
      return .done
    }
    guard !context.invocation.has(.watch) else { throw context.noListener }
    let status = try await context.withServer { session in
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
    client.send(JSONValue(verb: "watch"))
    var last: String?
    let isDrawn = context.console.terminal != nil && !context.isJSON
    defer { if isDrawn, last != nil { context.console.print("") } }
    for await line in client.lines {
      if Task.isCancelled || context.console.isClosed { return .done }
      guard let value = JSONValue(json: line) else { continue }
      if let failure = ControlFailure(answer: value) { throw Diagnostic(failure) }
      let status = value["status"]
      guard status != .null else { continue }
      let text =
        context.isJSON ? status.description : format?.text(status) ?? StatusText.line(status)
      guard text != last else { continue }
      last = text
      show(text, isDrawn: isDrawn)
    }
    if Task.isCancelled { return .done }
    throw Diagnostic(.noListener, "the listener has ended")
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
    guard let client = try await context.listener() else { throw context.noListener }
    client.send(JSONValue(verb: "events", [.init("text", .bool(!context.isJSON))]))
    for await line in client.lines {
      if Task.isCancelled || context.console.isClosed { return .done }
      guard let value = JSONValue(json: line) else { continue }
      if let failure = ControlFailure(answer: value) { throw Diagnostic(failure) }
      if value["event"] != .null { context.console.print(value) }
      if let text = value["line"].text { context.console.print(Printable.escaped(text)) }
    }
    return .done
  }
}
