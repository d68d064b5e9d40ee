import Control
import Glibc
import Listening
import RoomClient
import Synchronization

/// One run of a listener in the foreground: its events are shown, its prompt is served, and it ends
/// by a signal, a time limit, or for what waiting can't heal.
struct ListenerRun {
  let context: CommandContext
  let options: ListenOptions

  /// Listens on a server; the connection ends with it.
  ///
  /// - Throws: `ListeningEnd`, and `Diagnostic` when a file for events can't be made.
  func run(on server: ServerSession) async throws -> ExitStatus {
    let control = try openControl(server.server)
    defer { control?.close() }
    let session = ListeningSession(options.configuration, server: server)
    var variables = context.environment
    variables[OptionSpec.server.variable ?? ""] = server.server.description
    let names = ListenerNames(environment: variables)
    let view = try ListenerView(context, usesStandardOutput: options.usesStandardOutput) { line in
      names.completion(of: line)
    }
    defer { view.close() }
    let listening = Task { try await session.run() }
    let desk = control.map { control in
      ListenerDesk(session: session, server: control, stop: { listening.cancel() })
    }
    let showing = Task {
      for await event in session.events {
        view.show(event)
        if view.isAbandoned { listening.cancel() }
        desk?.tell(event)
        context.remember(event, of: server)
      }
    }
    let helpers = [
      Task { if let desk { await desk.serve() } },
      Task { await endAfterLimit(listening) },
      Task { await keepLineFresh(view, session, names) },
      Task { await servePrompt(view, session, server, listening) },
    ]
    let result = await withTaskCancellationHandler {
      await listening.result
    } onCancel: {
      listening.cancel()
    }
    for helper in helpers { helper.cancel() }
    await showing.value
    if case .failure(let error) = result, !(error is CancellationError) { throw error }
    return .done
  }

  /// Opens the control socket.
  ///
  /// Where none can be had the sound goes on without.
  ///
  /// - Throws: `ControlError` where another listener has the name, or nobody can have it.
  private func openControl(_ server: ServerAddress) throws(ControlError) -> ControlServer? {
    do {
      return try ControlServer(
        try context.controlFolders.place(of: context.instance),
        greeting: ListenerDesk.greeting(context.instance, server))
    } catch {
      switch error {
      case .running, .badName: throw error
      default:
        let trouble = Diagnostic(error)
        context.console.complain(
          "blastoise: warning: this listener can't be controlled: \(trouble.message)")
        return nil
      }
    }
  }

  private func endAfterLimit(_ listening: Task<Void, any Error>) async {
    guard let limit = options.limit else { return }
    guard (try? await Task.sleep(for: limit)) != nil else { return }
    listening.cancel()
  }

  private func keepLineFresh(
    _ view: ListenerView, _ session: ListeningSession, _ names: ListenerNames
  ) async {
    guard view.hasScreen else { return }
    while !Task.isCancelled {
      let snapshot = await session.snapshot
      names.update(snapshot)
      view.draw(snapshot)
      try? await Task.sleep(for: .milliseconds(500))
    }
  }

  private func servePrompt(
    _ view: ListenerView, _ session: ListeningSession, _ server: ServerSession,
    _ listening: Task<Void, any Error>
  ) async {
    let prompt = ListenerPrompt(context, session, server: server, view: view)
    if await prompt.serve() { listening.cancel() }
  }
}
