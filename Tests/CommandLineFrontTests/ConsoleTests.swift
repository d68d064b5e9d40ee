import Glibc
import TestSupport
import Testing

@testable import CommandLineFront

@Suite(.timeLimit(.minutes(3))) struct ConsoleTests {
  /// A console on files, and what it wrote.
  private struct Recorder {
    let folder: TemporaryFolder
    let output: Int32
    let errors: Int32

    init() throws {
      folder = try TemporaryFolder()
      output = open(folder.file("out"), O_RDWR | O_CREAT, 0o600)
      errors = open(folder.file("err"), O_RDWR | O_CREAT, 0o600)
    }

    func close() {
      Glibc.close(output)
      Glibc.close(errors)
    }

    func text(_ name: String) throws -> String {
      String(decoding: try Fixture.bytes(at: folder.file(name)), as: UTF8.self)
    }
  }

  @Test func `results and notes go their own ways`() throws {
    let recorder = try Recorder()
    defer { recorder.close() }
    let console = Console(output: recorder.output, errors: recorder.errors)
    console.print("result")
    console.print(["a": 1])
    console.note("note")
    console.complain("failure")
    #expect(try recorder.text("out") == "result\n{\"a\": 1}\n")
    #expect(try recorder.text("err") == "note\nfailure\n")
    #expect(console.terminal == nil)
  }

  @Test func `quiet drops notes, not failures`() throws {
    let recorder = try Recorder()
    defer { recorder.close() }
    let console = Console(output: recorder.output, errors: recorder.errors, isQuiet: true)
    console.note("note")
    console.complain("failure")
    #expect(try recorder.text("err") == "failure\n")
  }

  @Test func `a reader that has gone away is no error and no signal`() throws {
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    close(ends[0])
    defer { close(ends[1]) }
    let console = Console(output: ends[1])
    #expect(!console.isClosed)
    console.print("lost")
    #expect(console.isClosed)
    #expect(console.isAbandoned)
    #expect(console.failure == nil)
    console.print("dropped")
  }

  @Test func `results that can't be written are a failure`() {
    let full = open("/dev/full", O_WRONLY)
    defer { close(full) }
    let console = Console(output: full)
    #expect(console.failure == nil)
    console.print("lost")
    #expect(console.failure == ENOSPC)
    #expect(!console.isAbandoned)
  }

  @Test func `a terminal says how large it is`() throws {
    let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    try #require(terminal >= 0)
    defer { close(terminal) }
    var unlocked: Int32 = 0
    var number: UInt32 = 0
    try #require(ioctl(terminal, 0x4004_5431, &unlocked) == 0, "TIOCSPTLCK")
    try #require(ioctl(terminal, 0x8004_5430, &number) == 0, "TIOCGPTN")
    let side = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
    defer { close(side) }
    let console = Console(output: side)
    var size = winsize(ws_row: 30, ws_col: 123, ws_xpixel: 0, ws_ypixel: 0)
    #expect(ioctl(side, UInt(TIOCSWINSZ), &size) == 0)
    #expect(console.terminal == Console.Terminal(columns: 123, rows: 30))
  }
}

@Suite(.timeLimit(.minutes(3))) struct SignalsTests {
  @Test func `a signal arrives as a value`() async {
    await #expect(processExitsWith: .exitCode(143)) {
      let signals = Signals()
      kill(getpid(), SIGTERM)
      for await stop in signals.stream { _exit(stop.status.rawValue) }
    }
  }

  @Test func `a terminal that is gone ends it as SIGTERM does`() async {
    await #expect(processExitsWith: .exitCode(143)) {
      let signals = Signals()
      kill(getpid(), SIGHUP)
      for await stop in signals.stream { _exit(stop.status.rawValue) }
    }
  }

  @Test func `what nohup has it ignore stays ignored`() async {
    await #expect(processExitsWith: .exitCode(ExitStatus.interrupted.rawValue)) {
      signal(SIGHUP, SIG_IGN)
      let signals = Signals()
      kill(getpid(), SIGHUP)
      kill(getpid(), SIGINT)
      for await stop in signals.stream { _exit(stop.status.rawValue) }
    }
  }

  @Test func `a hanging program ends by the watchdog in time`() async {
    // The time counts in the child alone: how long a busy machine lets it wait is no fault.
    await #expect(processExitsWith: .exitCode(130)) {
      Watchdog.arm(.interrupted)
      sleep(20)
      _exit(0)
    }
  }
}
