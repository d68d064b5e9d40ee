import Glibc
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Platform

@Suite(.timeLimit(.minutes(3))) struct ChildProcessTests {
  /// Runs a line of the shell.
  private func run(
    _ script: String, in folder: String? = nil, within limit: Duration? = nil
  ) -> (end: ChildProcess.End, output: [String], errors: [String]) {
    var (output, errors): ([String], [String]) = ([], [])
    let end = ChildProcess(["/bin/sh", "-c", script], in: folder).run(within: limit) {
      output.append($0)
    } errors: {
      errors.append($0)
    }
    return (end, output, errors)
  }

  @Test func `lines of both outputs come, the last one too`() {
    let (end, output, errors) = run("echo one; echo two >&2; printf 'three\\r\\nfour'")
    #expect(end == .exited(0))
    #expect(output == ["one", "three", "four"])
    #expect(errors == ["two"])
  }

  @Test func `arguments stay what they are`() {
    var output: [String] = []
    let words = ["/bin/echo", "$HOME", "a b", "`id`", "; exit 3", "-- \"'"]
    let end = ChildProcess(words).run {
      output.append($0)
    } errors: { _ in
    }
    #expect(end == .exited(0))
    #expect(output == [words.dropFirst().joined(separator: " ")])
  }

  @Test func `how it ended is told`() {
    #expect(run("exit 7").end == .exited(7))
    #expect(run("kill -9 $$").end == .signalled(SIGKILL))
    let missing = ChildProcess(["/nothing/here"]).run(output: { _ in }, errors: { _ in })
    #expect(missing == .failed(ENOENT))
  }

  @Test func `it runs in its folder, with no input and nothing of ours open`() throws {
    let folder = try TemporaryFolder()
    let kept = open("/dev/null", O_RDONLY)  // without O_CLOEXEC
    defer { close(kept) }
    let (end, output, _) = run("pwd -P; cat; ls /proc/self/fd | wc -l", in: folder.path)
    #expect(end == .exited(0))
    // 0, 1, 2 and the folder that ls reads.
    #expect(output == [folder.path, "4"])
  }

  @Test func `all that it started goes with it`() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("pid")
    // A child of its own that holds the pipes, and outlives it.
    let (end, output, _) = run("sleep 60 & echo $! > \(file); echo started")
    #expect(end == .exited(0))
    #expect(output == ["started"])
    let text = String(decoding: try Fixture.bytes(at: file), as: UTF8.self)
    let pid = try #require(pid_t(text.split(separator: "\n").first ?? ""))
    try await eventually("it is gone") { isGone(pid) }
  }

  @Test func `it can be ended from elsewhere, and before it has begun`() async throws {
    let process = ChildProcess(["/bin/sh", "-c", "echo up; sleep 60"])
    let isUp = Atomic(false)
    async let end = withCheckedContinuation { continuation in
      let thread = NamedThread(name: "child") {
        let end = process.run(output: { _ in isUp.store(true, ordering: .releasing) }) { _ in }
        continuation.resume(returning: end)
      }
      _ = thread
    }
    try await eventually("it runs") { isUp.load(ordering: .acquiring) }
    process.end()
    #expect(await end == .signalled(SIGTERM))
    let early = ChildProcess(["/bin/sh", "-c", "exit 0"])
    early.end()
    #expect(early.run(output: { _ in }, errors: { _ in }) == .failed(ECANCELED))
  }

  @Test func `it is killed where it takes too long`() {
    let (end, _, _) = run("trap '' TERM; sleep 60; sleep 60", within: .milliseconds(50))
    #expect(end == .signalled(SIGKILL))
  }

  @Test func `a line that has no end is bounded`() {
    var lines: [String] = []
    var splitter = LineSplitter(limit: 10)
    for _ in 0..<100 { splitter.take(Array("abcd".utf8)[...]) { lines.append($0) } }
    splitter.take(Array("\nnext\n".utf8)[...]) { lines.append($0) }
    #expect(lines == ["abcdabcd", "next"])
  }

  private func isGone(_ pid: pid_t) -> Bool {
    // A zombie of init's is gone too.
    let stat = (try? Fixture.bytes(at: "/proc/\(pid)/stat")).map {
      String(decoding: $0, as: UTF8.self)
    }
    return stat.map { $0.contains(") Z ") } ?? true
  }
}
