import Glibc
import Platform
import Synchronization
import TestSupport

/// The built program on a terminal of its own: what is typed, and what the screen shows.
final class TerminalProgram: Sendable {
  private struct State {
    var screen: Screen
    var bytes: [UInt8] = []
    var status: Int32?
  }

  let home: TemporaryFolder
  private let pid: pid_t
  private let terminal: Int32
  private let state: Mutex<State>

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - words: its arguments.
  ///   - home: its home; nil makes one.
  ///   - columns: how wide the terminal is.
  ///   - type: what kind of terminal it is.
  ///   - program: another program than ours, such as a shell that finds ours on its PATH.
  /// - Throws: `ProgramError` when the system refuses.
  init(
    _ words: [String], home: TemporaryFolder? = nil, columns: Int = 80, type: String = "xterm",
    program: String = Program.path
  ) throws {
    let home = try home ?? TemporaryFolder()
    self.home = home
    terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    // What unlockpt(3) and ptsname(3) do, which Swift does not import.
    var (locked, number) = (Int32(0), Int32(-1))
    guard terminal >= 0, ioctl(terminal, 0x4004_5431, &locked) == 0,
      ioctl(terminal, 0x8004_5430, &number) == 0
    else { throw ProgramError(what: "no terminal", output: "", errors: "") }
    let path = "/dev/pts/\(number)"
    Self.set(columns, of: terminal)
    state = Mutex(State(screen: Screen(columns: columns, rows: 24)))
    let ours = Program.path.split(separator: "/").dropLast().map { "/\($0)" }.joined()
    let variables = ["TERM": type, "PATH": "\(ours):/usr/bin:/bin"]
    let environment = Program.environment(home).merging(variables) { $1 }
    let newSession: Int32 = 0x80
    pid = try spawn(program, words, environment, flags: newSession) { actions in
      // The first terminal that the leader of a new session opens is its own.
      posix_spawn_file_actions_addopen(&actions, 0, path, O_RDWR, 0)
      posix_spawn_file_actions_adddup2(&actions, 0, 1)
      posix_spawn_file_actions_adddup2(&actions, 0, 2)
    }
    read()
    watch()
  }

  deinit {
    state.withLock { if $0.status == nil { kill(pid, SIGKILL) } }
    close(terminal)
  }

  /// The lines on the screen.
  var lines: [String] { state.withLock { $0.screen.lines } }
  /// The column of the cursor, from 0.
  var cursor: Int { state.withLock { $0.screen.column } }
  /// Everything written so far.
  var bytes: [UInt8] { state.withLock(\.bytes) }

  /// Types keys.
  func type(_ keys: String) {
    let bytes = Array(keys.utf8)
    _ = write(terminal, bytes, bytes.count)
  }

  /// Makes the terminal narrower or wider.
  func resize(columns: Int) {
    state.withLock { $0.screen.resize(columns: columns) }
    Self.set(columns, of: terminal)
  }

  private static func set(_ columns: Int, of terminal: Int32) {
    var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
  }

  /// Gives the terminal the settings that a shell gives it between `fg` and the program's own.
  func takeAway() {
    var settings = termios()
    tcgetattr(terminal, &settings)
    settings.c_lflag |= tcflag_t(ICANON | ECHO)
    tcsetattr(terminal, TCSANOW, &settings)
  }

  /// Waits until the screen fulfils something.
  func wait(_ what: String, _ condition: ([String]) throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(20)
    while try !condition(lines) {
      guard ContinuousClock.now < end else {
        throw ProgramError(what: what, output: lines.joined(separator: "\n"), errors: "")
      }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Waits until a line of the screen holds a text.
  func wait(for text: String) async throws {
    try await wait("no \(text)") { $0.contains { $0.contains(text) } }
  }

  /// Waits until the last line is this.
  func wait(forLast line: String) async throws {
    try await wait("last is not \(line)") { $0.last == line }
  }

  /// Waits for its end; the status, 128 and more where a signal ended it.
  func end() async throws -> Int32 {
    var status: Int32?
    try await wait("does not end") { _ in
      status = state.withLock(\.status)
      return status != nil
    }
    return status ?? -1
  }

  // MARK: The system

  private func read() {
    // A copy, so that a number closed and used anew is never read.
    let reading = dup(terminal)
    _ = NamedThread(name: "screen") { [weak self] in
      var block = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = Glibc.read(reading, &block, block.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0, let self else { break }
        state.withLock { state in
          state.bytes += block[..<count]
          state.screen.write(block[..<count])
        }
      }
      close(reading)
    }
  }

  private func watch() {
    let pid = pid
    _ = NamedThread(name: "child") { [weak self] in
      var status: Int32 = 0
      while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
      self?.state.withLock { $0.status = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status }
    }
  }
}
