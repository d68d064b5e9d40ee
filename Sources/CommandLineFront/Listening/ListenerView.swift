import Glibc
import Listening
import RoomProtocol
import Synchronization

/// What a listener shows: lines for people or objects for programs, and on a terminal the
/// now-playing line and the prompt below them.
///
/// Threading: from anywhere; what is written in one call stays together.
final class ListenerView: Sendable {
  /// The lines typed, on the terminal or on another standard input.
  let lines: AsyncStream<String>
  /// Whether nobody reads what is shown any more.
  var isAbandoned: Bool { console.isAbandoned }
  /// Whether there is a now-playing line to be kept fresh.
  var hasScreen: Bool { screen != nil }

  private let console: Console
  private let environment: [String: String]
  private let isJSON: Bool
  private let isVerbose: Bool
  private let linesGoToErrors: Bool
  private let events: EventFile?
  private let screen: (any PromptScreen)?
  private let told = Mutex(Told())

  /// What was told last, so that it is told once.
  private struct Told {
    /// The outage, nil while there is none: however often it is tried.
    var outage: String?
    /// Whether the room stood still.
    var isPaused = false
    /// What was said of the cache.
    var keeping = KeepingNews()
  }

  /// Opens the view.
  ///
  /// - Parameters:
  ///   - context: the command's.
  ///   - usesStandardOutput: whether sound goes there: lines then go to standard error.
  ///   - complete: what Tab leads to, where the prompt knows Tab.
  /// - Throws: `Diagnostic` when the file for events can't be made.
  init(
    _ context: CommandContext, usesStandardOutput: Bool, complete: @escaping LineCompleter
  ) throws(Diagnostic) {
    console = context.console
    environment = context.environment
    isJSON = context.isJSON && !usesStandardOutput
    isVerbose = context.invocation.has(.verbose)
    linesGoToErrors = usesStandardOutput
    events = try context.invocation[.events].map { path throws(Diagnostic) in
      try EventFile(path)
    }
    let canRead = Keyboard.isOurs
    let isScreen =
      canRead && !isJSON && !usesStandardOutput && console.canAsk && console.terminal != nil
      && context.environment["TERM"] != "dumb"
    screen = isScreen ? Self.screen(context, complete) : nil
    if let screen {
      lines = screen.lines
    } else if canRead {
      lines = LineReader.lines()
    } else {
      lines = AsyncStream { $0.finish() }
    }
  }

  private static func screen(
    _ context: CommandContext, _ complete: @escaping LineCompleter
  ) -> any PromptScreen {
    #if LineEditing
      let history = PromptHistory(folder: context.stateFolder)
      if let edited = EditedPrompt(history: history, complete: complete) { return edited }
    #endif
    return PlainPrompt(context.console)
  }

  /// Shows an event.
  func show(_ event: ListeningEvent) {
    if isJSON || events != nil, let object = EventJSON.now().object(event) {
      if let trouble = events?.write(object.description) { complain("warning: \(trouble.message)") }
      if isJSON { console.print(object) }
    }
    if case .download(let event) = event, !told.withLock({ $0.keeping.isNews(event) }) { return }
    guard !isJSON, let line = EventText.line(event, isVerbose: isVerbose), isNews(event, line)
    else { return }
    show(line)
  }

  private func isNews(_ event: ListeningEvent, _ line: String) -> Bool {
    told.withLock { told in
      switch event {
      case .connected: told.outage = nil
      case .disconnected:
        defer { told.outage = line }
        return told.outage != line
      case .state(let state, _):
        defer { told.isPaused = state.paused }
        // On a screen the now-playing line shows it.
        return told.isPaused != state.paused && !hasScreen
      default: break
      }
      return true
    }
  }

  /// Shows lines for people.
  func show(_ text: String) {
    if let screen {
      screen.show(text)
    } else if linesGoToErrors {
      console.note(text)
    } else {
      console.print(text)
    }
  }

  /// Shows lines about a failure.
  func complain(_ text: String) {
    if let screen { screen.show(text) } else { console.complain(text) }
  }

  /// The console of a command typed at the prompt.
  ///
  /// - Parameters:
  ///   - invocation: the command.
  ///   - questions: takes the answers to what it asks.
  /// - Returns: one that writes where the listener does.
  func console(for invocation: Invocation, questions: Questions) -> Console {
    let isQuiet = invocation.has(.quiet)
    guard let screen else {
      let output = linesGoToErrors ? STDERR_FILENO : STDOUT_FILENO
      return Console(output: output, environment: environment, isQuiet: isQuiet)
    }
    let console = console
    let relay = Console.Relay(
      show: { screen.show($0) },
      ask: { question in
        screen.show(question)
        screen.expectAnswer(true)
        defer { screen.expectAnswer(false) }
        return await questions.wait()
      },
      terminal: { console.terminal })
    return Console(relay: relay, environment: environment, isQuiet: isQuiet)
  }

  /// Redraws the now-playing line.
  func draw(_ snapshot: ListeningSnapshot) {
    let columns = (console.terminal?.columns ?? 80) - 1
    let line = NowPlayingLine.text(snapshot, columns: columns, isPlain: !console.writesUnicode)
    screen?.draw(status: line)
  }

  /// Takes the bottom lines away and gives the terminal back.
  func close() { screen?.close() }
}

/// A file that takes one object a line.
final class EventFile: Sendable {
  private let path: String
  private let descriptor: Int32
  private let isBroken = Mutex(false)

  /// Makes the file, or empties it.
  ///
  /// - Throws: `Diagnostic` when the system refuses.
  init(_ path: String) throws(Diagnostic) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_APPEND, 0o666)
    guard descriptor < 0 else { return }
    throw Diagnostic(
      .noRoom, "cannot make \(Printable.escaped(path))", why: Diagnostic.text(ofErrno: errno))
  }

  deinit { close(descriptor) }

  /// Appends a line.
  ///
  /// - Returns: what the system said to the first of those that could not be written.
  func write(_ line: String) -> Diagnostic? {
    let code = Console.writeWhole(line + "\n", to: descriptor)
    return isBroken.withLock { isBroken in
      defer { isBroken = code != nil }
      guard let code, !isBroken else { return nil }
      return Diagnostic(errno: code, "cannot write to \(Printable.escaped(path))")
    }
  }
}
