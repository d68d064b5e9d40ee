import Glibc
import RoomProtocol
import Synchronization

/// The only place that writes to standard output and standard error.
///
/// Results go to `print`, everything else to `note`. Text from a server must have gone through
/// `Printable` before. A reader that has gone away (EPIPE) is no error: what comes after is dropped.
///
/// Threading: from anywhere; a line is never torn by another.
final class Console: Sendable {
  /// What a terminal can show; nil where standard output is none.
  struct Terminal: Sendable, Equatable {
    var columns: Int
    var rows: Int
  }

  /// Another place for what is written, such as the lines above a prompt; it takes whole lines.
  struct Relay: Sendable {
    /// Shows lines, without the last one's end.
    var show: @Sendable (String) -> Void
    /// Shows a question and waits for the answer; nil where none comes.
    var ask: @Sendable (String) async -> String?
    /// The terminal that shows the lines.
    var terminal: @Sendable () -> Terminal?
  }

  private let output: Int32
  private let errors: Int32
  /// The environment's variables.
  let environment: [String: String]
  /// Whether notes are dropped.
  let isQuiet: Bool
  private let relay: Relay?
  /// The `errno` of the first failed write of results; nil while all went well.
  private let failedWrite = Mutex<Int32?>(nil)

  /// A console on two descriptors.
  ///
  /// - Parameters:
  ///   - output: where results go.
  ///   - errors: where everything else goes.
  ///   - environment: `TERM` and `COLUMNS` are read from it.
  ///   - isQuiet: whether notes are dropped.
  init(
    output: Int32 = STDOUT_FILENO, errors: Int32 = STDERR_FILENO,
    environment: [String: String] = [:], isQuiet: Bool = false
  ) {
    self.output = output
    self.errors = errors
    self.environment = environment
    self.isQuiet = isQuiet
    relay = nil
  }

  /// A console whose lines, results and notes alike, go elsewhere.
  ///
  /// - Parameters:
  ///   - relay: where they go.
  ///   - environment: as above.
  ///   - isQuiet: whether notes are dropped.
  init(relay: Relay, environment: [String: String], isQuiet: Bool) {
    (output, errors) = (-1, -1)
    self.environment = environment
    self.isQuiet = isQuiet
    self.relay = relay
  }

  /// Takes the standard descriptors that are closed (`<&-`, `>&-`), before a file of ours gets their
  /// numbers and results are written into it.
  ///
  /// They are open the wrong way round: to read and to write them fails, as if they were closed.
  static func occupyDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Whether results can't be written any more, so that making more of them makes no sense.
  var isClosed: Bool { failedWrite.withLock { $0 != nil } }

  /// Whether whoever read the results has gone away.
  var isAbandoned: Bool { failedWrite.withLock { $0 == EPIPE } }

  /// Waits until whoever read the results has gone away; `isClosed` says so then.
  ///
  /// Ends at once where the task is cancelled. A second may go by until it is noticed.
  func waitUntilUnread() async {
    while !isClosed, (try? await Task.sleep(for: .seconds(1))) != nil {
      // The writing end of a pipe that nobody reads has an error.
      var state = pollfd(fd: output, events: 0, revents: 0)
      if poll(&state, 1, 0) > 0, state.revents & Int16(POLLERR) != 0 {
        failedWrite.withLock { $0 = $0 ?? EPIPE }
      }
    }
  }

  /// What the system said to a write of results that failed; a reader gone away is no failure.
  var failure: Int32? { failedWrite.withLock { $0 == EPIPE ? nil : $0 } }

  /// Writes a line of results.
  func print(_ line: String) {
    write(line + "\n", to: output)
  }

  /// Writes one JSON value as a line of results.
  func print(_ value: JSONValue) {
    print(value.description)
  }

  /// Writes a line that is no result: progress, a hint.
  func note(_ line: String) {
    if !isQuiet { write(line + "\n", to: errors) }
  }

  /// Writes a line about a failure, quiet or not.
  func complain(_ line: String) {
    write(line + "\n", to: errors)
  }

  /// Writes text as it is to standard error: a prompt, a line that is redrawn.
  ///
  /// For those who have asked `errorTerminal` or `canAsk`; a relay takes whole lines alone.
  func prompt(_ text: String) {
    if relay == nil { write(text, to: errors) }
  }

  /// Asks a question and waits for a line.
  ///
  /// - Parameter question: the text before the cursor, with a blank at its end.
  /// - Returns: the answer; nil where there is none, and after a cancel.
  func ask(_ question: String) async -> String? {
    if let relay { return await relay.ask(question) }
    prompt(question)
    for await line in LineReader.lines(limit: 1) { return line }
    // Nobody has ended the question's line.
    prompt("\n")
    return nil
  }

  /// Writes text as it is to standard output, a terminal: a line that is redrawn.
  func redraw(_ text: String) {
    write(text, to: output)
  }

  /// The terminal that standard output is, nil where it is none.
  var terminal: Terminal? {
    relay.map { $0.terminal() } ?? Self.terminal(of: output, environment: environment)
  }

  /// The terminal that standard error is, nil where it is none, and where lines are relayed.
  var errorTerminal: Terminal? { Self.terminal(of: errors, environment: environment) }

  /// Whether somebody sits at a terminal to answer questions.
  var canAsk: Bool { relay != nil || isatty(STDIN_FILENO) == 1 && isatty(errors) == 1 }

  private static func terminal(of descriptor: Int32, environment: [String: String]) -> Terminal? {
    guard isatty(descriptor) == 1 else { return nil }
    var size = winsize()
    if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
      return Terminal(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }
    return Terminal(columns: environment["COLUMNS"].flatMap { Int($0) } ?? 80, rows: 24)
  }

  private func write(_ text: String, to descriptor: Int32) {
    if let relay {
      relay.show(text.hasSuffix("\n") ? String(text.dropLast()) : text)
      return
    }
    failedWrite.withLock { failure in
      if failure != nil && descriptor == output { return }
      if let code = Self.writeWhole(text, to: descriptor), descriptor == output { failure = code }
    }
  }

  /// Writes a text to a descriptor, however slowly it takes it; what the system says to a failure.
  static func writeWhole(_ text: String, to descriptor: Int32) -> Int32? {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        // Somebody has made the terminal non-blocking: wait until it takes more.
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&waiting, 1, 1000)
      } else if errno != EINTR {
        return errno
      }
    }
    return nil
  }
}
