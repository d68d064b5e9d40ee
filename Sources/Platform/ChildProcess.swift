import CPlatform
import Glibc
import Synchronization

/// A program that runs beside ours, in a process group of its own, with nothing but its
/// arguments: no shell reads them.
///
/// Threading: `run` blocks its thread until the program has ended; `end` may come from any other.
package final class ChildProcess: Sendable {
  /// How a program ended.
  package enum End: Equatable {
    case exited(Int32)
    case signalled(Int32)
    /// It could not be started; the code is an `errno`.
    case failed(Int32)
  }

  private struct State {
    var group: pid_t?
    var isEnded = false
  }

  /// The longest line that is looked at.
  private static let lineLimit = 32 << 20
  /// How long a program that was asked to end may take.
  private static let patience = 3000

  private let words: [String]
  private let folder: String?
  private let state = Mutex(State())

  /// Describes a run.
  ///
  /// - Parameters:
  ///   - words: the program's path and its arguments.
  ///   - folder: where it runs; nil is where we are.
  package init(_ words: [String], in folder: String? = nil) {
    self.words = words
    self.folder = folder
  }

  /// Whether the program was told to end.
  package var isEnded: Bool { state.withLock { $0.isEnded } }

  /// Tells the program and all it has started to end; what does not is killed after a while.
  package func end() {
    state.withLock { state in
      state.isEnded = true
      if let group = state.group { Glibc.kill(-group, SIGTERM) }
    }
  }

  /// Kills the program and all it has started.
  package func kill() {
    state.withLock { state in
      state.isEnded = true
      if let group = state.group { Glibc.kill(-group, SIGKILL) }
    }
  }

  /// Runs the program to its end.
  ///
  /// - Parameters:
  ///   - limit: kills it after so long.
  ///   - output: gets each line of its standard output, without its end.
  ///   - errors: gets each line of its standard error.
  /// - Returns: how it ended, after its last line.
  package func run(
    within limit: Duration? = nil, output: (String) -> Void, errors: (String) -> Void
  ) -> End {
    guard let ends = Pipes() else { return .failed(errno) }
    var pid = pid_t()
    let code = state.withLock { state -> Int32 in
      if state.isEnded { return ECANCELED }
      let code = spawn(&pid, ends)
      if code == 0 { state.group = pid }
      return code
    }
    ends.closeWritingEnds()
    guard code == 0 else { return .failed(code) }
    let start = ContinuousClock.now
    var readers = [LineSplitter(limit: Self.lineLimit), LineSplitter(limit: Self.lineLimit)]
    var ended: ContinuousClock.Instant?
    var isOver = false
    while !isOver {
      // What the program has started may hold the pipes open: its own end counts.
      isOver = hasEnded(pid)
      ends.wait(milliseconds: isOver ? 0 : 200) { index, bytes in
        readers[index].take(bytes) { index == 0 ? output($0) : errors($0) }
      }
      let now = ContinuousClock.now
      if isEnded { ended = ended ?? now }
      let isLate = ended.map { now - $0 > .milliseconds(Self.patience) } ?? false
      if isLate || limit.map({ now - start > $0 }) ?? false { kill() }
    }
    for index in readers.indices {
      readers[index].finish { index == 0 ? output($0) : errors($0) }
    }
    return collect(pid)
  }

  private func spawn(_ pid: inout pid_t, _ pipes: Pipes) -> Int32 {
    var arguments = words.map { strdup($0) }
    defer { arguments.forEach { free($0) } }
    arguments.append(nil)
    return cplatform_spawn(&pid, arguments, folder, pipes.ends.output, pipes.ends.errors)
  }

  /// Whether it has ended; it stays a zombie, so that its number is not given to another one.
  private func hasEnded(_ pid: pid_t) -> Bool {
    var info = siginfo_t()
    return waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT | WNOHANG) != 0
      || info.si_signo != 0
  }

  private func collect(_ pid: pid_t) -> End {
    state.withLock { state in
      // Whatever it has left behind goes with it.
      Glibc.kill(-pid, SIGKILL)
      state.group = nil
      var status: Int32 = 0
      while waitpid(pid, &status, 0) < 0, errno == EINTR {}
      let signal = status & 0x7F
      return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
    }
  }
}

/// The pipes of a program's two outputs.
private final class Pipes {
  private var reading: [Int32] = []
  private var writing: [Int32] = []
  private var block = [UInt8](repeating: 0, count: 64 * 1024)

  init?() {
    for _ in 0..<2 {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { return nil }
      reading.append(ends[0])
      writing.append(ends[1])
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    }
  }

  deinit {
    for end in reading + writing { close(end) }
  }

  /// The program's ends: its output and its errors.
  var ends: (output: Int32, errors: Int32) { (writing[0], writing[1]) }

  func closeWritingEnds() {
    for end in writing { close(end) }
    writing = []
  }

  /// Waits for bytes, and hands over all there are.
  func wait(milliseconds: Int32, _ body: (_ index: Int, ArraySlice<UInt8>) -> Void) {
    var polled = reading.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let count = poll(&polled, nfds_t(polled.count), milliseconds)
    guard count > 0 else { return }
    for index in polled.indices where polled[index].revents != 0 {
      var isEmpty = false
      while !isEmpty {
        let got = read(reading[index], &block, block.count)
        isEmpty = got <= 0
        if got > 0 { body(index, block[..<got]) }
        if got == 0 {
          // Closed: a negative number is passed over by poll.
          close(reading[index])
          reading[index] = -1
        }
      }
    }
    // Both ends closed and the program still there: poll would not wait for anything.
    if reading.allSatisfy({ $0 < 0 }), milliseconds > 0 { usleep(10_000) }
  }
}
