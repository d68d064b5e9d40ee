import Glibc

/// A program that the bench runs beside itself, its output thrown away.
///
/// It is killed and collected when the value goes away.
struct ChildProcess: ~Copyable {
  /// How a program ended.
  struct Outcome {
    /// The exit status, or nil where a signal ended it.
    var status: Int32?
    /// The processor time it took, in seconds.
    var processor: Double
  }

  let pid: pid_t
  private let input: Int32
  private var isCollected = false

  /// Starts a program; nil where the system refuses.
  ///
  /// - Parameters:
  ///   - program: its path.
  ///   - arguments: what follows its name.
  init?(_ program: String, _ arguments: [String]) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    // Our end must not keep another child's input open.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var words = ([program] + arguments).map { strdup($0) }
    defer { words.forEach { free($0) } }
    words.append(nil)
    var pid = pid_t()
    let code = posix_spawn(&pid, program, &actions, nil, words, environ)
    close(ends[0])
    guard code == 0 else {
      close(ends[1])
      return nil
    }
    self.pid = pid
    input = ends[1]
  }

  deinit {
    close(input)
    guard !isCollected else { return }
    kill(pid, SIGKILL)
    waitpid(pid, nil, 0)
  }

  /// Types a line into its standard input.
  func type(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(input, bytes, bytes.count)
  }

  /// Waits for it to end.
  mutating func wait() -> Outcome {
    var status: Int32 = 0
    var usage = rusage()
    while wait4(pid, &status, 0, &usage) < 0 && errno == EINTR {}
    isCollected = true
    let processor = seconds(usage.ru_utime) + seconds(usage.ru_stime)
    return Outcome(status: status & 0x7F == 0 ? status >> 8 & 0xFF : nil, processor: processor)
  }

  /// Sends a signal and waits for the end, for 5 s at most.
  ///
  /// - Returns: the seconds from the signal to the end, nil where it did not come.
  mutating func end(by signal: Int32) -> Double? {
    let start = Stopwatch.now
    kill(pid, signal)
    while Stopwatch.now - start < 5 {
      if waitpid(pid, nil, WNOHANG) == pid {
        isCollected = true
        return Stopwatch.now - start
      }
      usleep(500)
    }
    return nil
  }
}

/// Programs by their names.
enum Programs {
  /// The path of a program, found as the shell finds it.
  static func path(of name: String) -> String? {
    if name.contains("/") { return access(name, X_OK) == 0 ? name : nil }
    let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    let paths = folders.split(separator: ":").map { "\($0)/\(name)" }
    return paths.first { access($0, X_OK) == 0 }
  }

  /// Runs a program to its end.
  ///
  /// - Returns: its processor time in seconds, nil where it is missing or fails.
  static func run(_ name: String, _ arguments: [String]) -> Double? {
    guard let path = path(of: name), var child = ChildProcess(path, arguments) else { return nil }
    let outcome = child.wait()
    return outcome.status == 0 ? outcome.processor : nil
  }
}

private func seconds(_ time: timeval) -> Double {
  Double(time.tv_sec) + Double(time.tv_usec) * 1e-6
}
