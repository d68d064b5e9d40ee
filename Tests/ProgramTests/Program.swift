import Glibc
import Platform
import Synchronization
import TestSupport

/// The built program as a child process: what it prints, what is typed into it, and how it ends.
///
/// It has a home of its own, hears nothing of our environment, and is killed when the value goes
/// away. Whatever is waited for is waited for so long at most.
final class Program: Sendable {
  /// How a run has ended.
  struct Outcome: Sendable {
    /// The exit status; nil where a signal ended it.
    var status: Int32?
    var output: String
    var errors: String
    var at: ContinuousClock.Instant

    /// The lines of standard error.
    var complaints: [String] { errors.split(separator: "\n").map(String.init) }
  }

  let pid: pid_t
  /// Its home and all its other folders.
  let home: TemporaryFolder
  private let running: Running
  private let input: Int32

  /// The program beside the running tests.
  static let path: String = {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let bytes = buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
    let own = String(decoding: bytes, as: UTF8.self)
    return own.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/blastoise"
  }()

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - words: its arguments.
  ///   - home: its home; nil makes one.
  ///   - variables: what its environment holds beside the folders.
  ///   - isTyped: whether its standard input is what `type` gives it; else it is empty.
  ///   - program: another program than ours, such as a shell that runs ours.
  /// - Throws: `ProgramError` when the system refuses.
  init(
    _ words: [String], home: TemporaryFolder? = nil, variables: [String: String] = [:],
    isTyped: Bool = false, program: String = Program.path
  ) throws {
    let home = try home ?? TemporaryFolder()
    let environment = Self.environment(home).merging(variables) { $1 }
    // One at a time: no child may inherit another's ends, or their end would not be seen.
    let (pid, output, errors, keys) = try Self.spawning.withLock { _ in
      let (output, errors, keys) = (try Pipe(), try Pipe(), try Pipe())
      let ends = [keys.reading, output.writing, errors.writing]
      let pid = try spawn(program, words, environment) { actions in
        for (number, descriptor) in ends.enumerated() {
          posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
      }
      for end in ends { close(end) }
      return (pid, output, errors, keys)
    }
    self.pid = pid
    self.home = home
    input = isTyped ? keys.writing : -1
    if !isTyped { close(keys.writing) }
    running = Running(pid: pid, output: output.reading, errors: errors.reading)
  }

  deinit {
    if input >= 0 { close(input) }
    running.kill()
  }

  /// Runs the program to its end.
  static func run(
    _ words: [String], home: TemporaryFolder? = nil, variables: [String: String] = [:],
    within limit: Duration = .seconds(20)
  ) async throws -> Outcome {
    try await Program(words, home: home, variables: variables).end(within: limit)
  }

  /// Types a line.
  func type(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(input, bytes, bytes.count)
  }

  /// Sends a signal.
  ///
  /// - Returns: when.
  @discardableResult
  func send(_ signal: Int32) -> ContinuousClock.Instant {
    let now = ContinuousClock.now
    running.send(signal)
    return now
  }

  /// What standard output holds so far.
  var output: String { String(decoding: outputBytes, as: UTF8.self) }
  /// What standard output holds so far, as it is.
  var outputBytes: [UInt8] { running.state.withLock(\.output) }
  /// What standard error holds so far.
  var errors: String { running.state.withLock { String(decoding: $0.errors, as: UTF8.self) } }
  /// Whether it runs.
  var isRunning: Bool { running.state.withLock { $0.endedAt == nil } }

  /// Waits until standard output holds a text; with it fails what ended before.
  func waitForOutput(_ text: String, within limit: Duration = .seconds(20)) async throws {
    try await wait("\(text) on standard output", limit) { $0.output.contains(text) }
  }

  /// Waits until standard error holds a text.
  func waitForErrors(_ text: String, within limit: Duration = .seconds(20)) async throws {
    try await wait("\(text) on standard error", limit) { $0.errors.contains(text) }
  }

  /// Waits until something holds of it.
  func wait(
    _ what: String, _ limit: Duration = .seconds(20), _ condition: (Program) async throws -> Bool
  ) async throws {
    let end = ContinuousClock.now + limit
    while try await !condition(self) {
      guard isRunning, ContinuousClock.now < end else {
        // What came at the very end counts too.
        if try await condition(self) { return }
        throw ProgramError(
          what: "no \(what) of \(isRunning ? "running" : "ended") \(pid)",
          output: String(output.suffix(2000)), errors: String(errors.suffix(2000)))
      }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Waits for its end.
  func end(within limit: Duration = .seconds(20)) async throws -> Outcome {
    let end = ContinuousClock.now + limit
    while true {
      if let outcome = running.outcome { return outcome }
      guard ContinuousClock.now < end else {
        throw ProgramError(
          what: "it does not end", output: String(output.suffix(2000)),
          errors: String(errors.suffix(2000)))
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  // MARK: The system

  private static let spawning = Mutex(())

  private struct Pipe {
    var reading: Int32
    var writing: Int32

    init() throws {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { throw ProgramError(what: "pipe", output: "", errors: "") }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      (reading, writing) = (ends[0], ends[1])
    }
  }

  static func environment(_ home: TemporaryFolder) -> [String: String] {
    [
      "HOME": home.path, "XDG_STATE_HOME": home.file("state"),
      "XDG_CACHE_HOME": home.file("cache"), "XDG_CONFIG_HOME": home.file("config"),
      "XDG_RUNTIME_DIR": home.path, "TMPDIR": home.path, "PATH": "/usr/bin:/bin",
      "LANG": "C.UTF-8",
    ]
  }
}

/// Why a program's test can't go on, with what the program said.
struct ProgramError: Error {
  var what: String
  var output: String
  var errors: String
}

/// The child as the threads that read and await it know it.
private final class Running: Sendable {
  struct State {
    var output: [UInt8] = []
    var errors: [UInt8] = []
    var openEnds = 2
    var waitStatus: Int32 = 0
    var endedAt: ContinuousClock.Instant?
  }

  let pid: pid_t
  let state = Mutex(State())

  init(pid: pid_t, output: Int32, errors: Int32) {
    self.pid = pid
    read(output) { $0.output += $1 }
    read(errors) { $0.errors += $1 }
    _ = NamedThread(name: "child") { [self] in
      // Left uncollected until its end is noted: the number stays its own for `send`.
      var information = siginfo_t()
      while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
      state.withLock { state in
        state.endedAt = .now
        waitpid(pid, &state.waitStatus, 0)
      }
    }
  }

  /// The end, once all that was printed has been read too.
  var outcome: Program.Outcome? {
    state.withLock { state in
      guard let at = state.endedAt, state.openEnds == 0 else { return nil }
      let status = state.waitStatus
      return Program.Outcome(
        status: status & 0x7F == 0 ? status >> 8 & 0xFF : nil,
        output: String(decoding: state.output, as: UTF8.self),
        errors: String(decoding: state.errors, as: UTF8.self), at: at)
    }
  }

  func send(_ signal: Int32) {
    state.withLock { if $0.endedAt == nil { Glibc.kill(pid, signal) } }
  }

  func kill() { send(SIGKILL) }

  private func read(
    _ descriptor: Int32, _ append: @escaping @Sendable (inout State, ArraySlice<UInt8>) -> Void
  ) {
    _ = NamedThread(name: "child-output") { [self] in
      var block = [UInt8](repeating: 0, count: 65536)
      while true {
        let count = Glibc.read(descriptor, &block, block.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { break }
        state.withLock { append(&$0, block[..<count]) }
      }
      close(descriptor)
      state.withLock { $0.openEnds -= 1 }
    }
  }
}
