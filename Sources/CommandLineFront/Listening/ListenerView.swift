import Glibc
import Listening
import Platform
import RoomProtocol
import Synchronization

/// What a listener shows: lines for people or objects for programs, and on a terminal the
/// now-playing line and the prompt below them.
///
/// Threading: from anywhere; what is written in one call stays together.
final class ListenerView: Sendable {
  /// The lines typed, on the terminal or on another standard input.
  let lines: AsyncStream<String>
  /// Whether there is a now-playing line to be kept fresh.
  let hasScreen: Bool

  private let console: Console
  private let isJSON: Bool
  private let isVerbose: Bool
  private let linesGoToErrors: Bool
  private let events: EventFile?
  private let screen = Mutex(Screen())
  private let told = Mutex(Told())

  /// What was told last, so that it is told once.
  private struct Told {
    /// The outage, nil while there is none: however often it is tried.
    var outage: String?
    /// Whether the room stood still.
    var isPaused = false
  }

  /// What stands at the bottom of the terminal.
  private struct Screen {
    var status = ""
    var typed = TypedLine()
    var isDrawn = false
  }

  /// Opens the view.
  ///
  /// - Parameters:
  ///   - context: the command's.
  ///   - usesStandardOutput: whether sound goes there: lines then go to standard error.
  /// - Throws: `Diagnostic` when the file for events can't be made.
  init(_ context: CommandContext, usesStandardOutput: Bool) throws(Diagnostic) {
    console = context.console
    isJSON = context.isJSON && !usesStandardOutput
    isVerbose = context.invocation.has(.verbose)
    linesGoToErrors = usesStandardOutput
    events = try context.invocation[.events].map { path throws(Diagnostic) in
      try EventFile(path)
    }
    let canRead = console.canRead
    let isScreen =
      canRead && !isJSON && !usesStandardOutput && console.canAsk && console.terminal != nil
      && context.environment["TERM"] != "dumb"
    hasScreen = isScreen
    let (lines, typed) = AsyncStream<String>.makeStream()
    self.lines = lines
    if isScreen {
      TerminalEcho.readBytes()
      readKeys(into: typed)
    } else if canRead {
      pass(LineReader.lines(), to: typed)
    } else {
      typed.finish()
    }
  }

  /// Shows an event.
  func show(_ event: ListeningEvent) {
    if isJSON || events != nil, let object = EventJSON.now().object(event) {
      events?.write(object.description)
      if isJSON { console.print(object) }
    }
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
      case .state(let state):
        defer { told.isPaused = state.paused }
        // On a screen the now-playing line shows it.
        return told.isPaused != state.paused && !hasScreen
      default: break
      }
      return true
    }
  }

  /// Shows a line for people.
  func show(_ line: String) {
    guard hasScreen else {
      if linesGoToErrors { console.note(line) } else { console.print(line) }
      return
    }
    screen.withLock { screen in
      erase(&screen)
      console.print(line)
      drawBottom(&screen)
    }
  }

  /// Redraws the now-playing line.
  func draw(_ snapshot: ListeningSnapshot) {
    guard hasScreen else { return }
    let columns = (console.terminal?.columns ?? 80) - 1
    screen.withLock { screen in
      screen.status = NowPlayingLine.text(snapshot, columns: columns)
      erase(&screen)
      drawBottom(&screen)
    }
  }

  /// Takes the bottom lines away and gives the terminal back.
  func close() {
    screen.withLock { erase(&$0) }
    TerminalEcho.restore()
  }

  private func erase(_ screen: inout Screen) {
    guard screen.isDrawn else { return }
    console.prompt("\r\u{1B}[K\u{1B}[1A\r\u{1B}[K")
    screen.isDrawn = false
  }

  private func drawBottom(_ screen: inout Screen) {
    let columns = (console.terminal?.columns ?? 80) - 4
    // A line longer than the terminal shows its end, where the cursor is.
    var typed = Printable.escaped(screen.typed.text)
    while Printable.width(typed) > columns { typed.removeFirst() }
    console.prompt("\(screen.status)\n> \(typed)")
    screen.isDrawn = true
  }

  // MARK: Input

  private func readKeys(into typed: AsyncStream<String>.Continuation) {
    _ = NamedThread(name: "stdin") { [self] in
      var byte: UInt8 = 0
      while read(STDIN_FILENO, &byte, 1) == 1 {
        switch take(byte) {
        case .changed: break
        case .line(let line): typed.yield(line)
        case .end: typed.yield("quit")
        }
      }
      typed.finish()
    }
  }

  private func take(_ byte: UInt8) -> TypedLine.Outcome {
    screen.withLock { screen in
      let outcome = screen.typed.take(byte)
      erase(&screen)
      drawBottom(&screen)
      return outcome
    }
  }

  private func pass(
    _ lines: AsyncStream<String>, to typed: AsyncStream<String>.Continuation
  ) {
    Task {
      for await line in lines { typed.yield(line) }
      typed.finish()
    }
  }
}

/// A file that takes one object a line.
final class EventFile: Sendable {
  private let descriptor: Int32

  /// Makes the file, or empties it.
  ///
  /// - Throws: `Diagnostic` when the system refuses.
  init(_ path: String) throws(Diagnostic) {
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_APPEND, 0o666)
    guard descriptor < 0 else { return }
    throw Diagnostic(
      .noRoom, "cannot make \(Printable.escaped(path))", why: Diagnostic.text(ofErrno: errno))
  }

  deinit { close(descriptor) }

  /// Appends a line.
  func write(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = Glibc.write(descriptor, bytes, bytes.count)
  }
}
