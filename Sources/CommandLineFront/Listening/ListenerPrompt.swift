import Listening
import RoomClient
import RoomProtocol
import Synchronization

/// The prompt of a listener: each typed line is a command line without the program's name, read and
/// run as in a shell, in this process and with the listener's own session.
///
/// One command runs at a time, in the order typed; events and typing go on meanwhile. A question of
/// the command is answered by the next line. Ctrl-C gives the command up, not the listener.
final class ListenerPrompt: Sendable {
  private let context: CommandContext
  private let session: ListeningSession
  private let server: ServerSession
  private let view: ListenerView
  private let running = Mutex<Task<Void, Never>?>(nil)
  private let questions = Questions()

  /// - Parameters:
  ///   - context: the command that listens.
  ///   - session: the listener.
  ///   - server: its session with the server.
  ///   - view: where lines are typed and shown.
  init(
    _ context: CommandContext, _ session: ListeningSession, server: ServerSession,
    view: ListenerView
  ) {
    self.context = context
    self.session = session
    self.server = server
    self.view = view
  }

  /// Takes lines until one says that this is the end, or no more come.
  ///
  /// - Returns: whether the listener is to end.
  func serve() async -> Bool {
    let (commands, pass) = AsyncStream<String>.makeStream()
    // Elsewhere a signal is meant for the program.
    if view.hasScreen { context.interrupts.set { [self] in giveUp() } }
    defer { context.interrupts.set(nil) }
    let reading = Task {
      for await line in view.lines {
        if questions.answer(line) { continue }
        if PromptWords.isQuit(line) { endSoon() }
        pass.yield(line)
      }
      pass.finish()
    }
    defer { reading.cancel() }
    for await line in commands {
      if PromptWords.isQuit(line) { return true }
      let command = Task { await run(line) }
      running.withLock { $0 = command }
      await withTaskCancellationHandler {
        await command.value
      } onCancel: {
        command.cancel()
      }
      running.withLock { $0 = nil }
    }
    return false
  }

  /// Gives the running command up; false where none runs.
  private func giveUp() -> Bool {
    let command = running.withLock { $0 }
    command?.cancel()
    return command != nil
  }

  /// What still runs when the end is wished for has a moment left.
  private func endSoon() {
    guard running.withLock({ $0 != nil }) else { return }
    Task {
      try? await Task.sleep(for: .seconds(2))
      _ = giveUp()
    }
  }

  // MARK: One line

  private func run(_ line: String) async {
    do {
      let words = PromptWords.meant(try ShellWords.split(line))
      guard !words.isEmpty else { return }
      switch try ArgumentReader.read(words, environment: try await environment()) {
      case .version: view.show("blastoise \(Front.version)")
      case .help(.program): view.show(Usage.prompt)
      case .help(let topic): view.show(Usage.text(topic))
      case .run(let invocation): try await run(invocation)
      }
    } catch {
      let diagnostic = Diagnostic(describing: error)
      let hint = diagnostic.hint.map { "\nhint: \($0)" } ?? ""
      view.complain(diagnostic.message + hint)
    }
  }

  private func run(_ invocation: Invocation) async throws {
    try PromptWords.check(invocation)
    var context = try CommandContext(
      invocation: invocation, console: view.console(for: invocation, questions: questions),
      environment: try await environment())
    context.promptSession = server
    do {
      _ = try await CommandTable.run(context)
    } catch is CancellationError {
      view.show("given up: \(invocation.command.rawValue)")
    } catch  where invocation.has(.json) {
      context.console.complain(Diagnostic(describing: error).json.description)
    }
  }

  /// The environment of a typed command: the listener's server and room, and what was said for all
  /// commands where it was started, unless the line itself says otherwise.
  private func environment() async throws -> [String: String] {
    var variables = context.environment
    for option in OptionSpec.global {
      guard let variable = option.variable, let value = context.invocation[option] else { continue }
      variables[variable] = value
    }
    variables["BLASTOISE_INSTANCE"] = context.instance
    variables["BLASTOISE_SERVER"] = server.server.description
    if let channel = await session.channel { variables["BLASTOISE_CHANNEL"] = channel.rawValue }
    return variables
  }
}

/// Questions that wait for the next typed line.
final class Questions: Sendable {
  private let waiting = Mutex<CheckedContinuation<String?, Never>?>(nil)

  /// Gives a line to whoever waits for one; false where nobody does.
  func answer(_ line: String?) -> Bool {
    let asker = waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
    asker?.resume(returning: line)
    return asker != nil
  }

  /// Waits for the next line; nil after a cancel.
  func wait() async -> String? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let before = waiting.withLock { waiting in
          defer { waiting = continuation }
          return waiting
        }
        before?.resume(returning: nil)
        if Task.isCancelled { _ = answer(nil) }
      }
    } onCancel: {
      _ = answer(nil)
    }
  }
}
