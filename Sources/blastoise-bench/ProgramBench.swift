import Glibc

/// The built program from outside: start, size, memory, wake-ups, end.
enum ProgramBench {
  static func run(_ options: BenchOptions) {
    guard let program = options.program else {
      return Figure.skip("program", because: "name the path of a release build")
    }
    guard access(program, X_OK) == 0 else {
      return Figure.skip("program", because: "\(program) can't be run")
    }
    version(program)
    size(program)
    guard let room = BenchRoom(program) else {
      return Figure.skip("listening", because: "no room could be made")
    }
    listing(program, room)
    verbs(room)
    whilePlaying(room)
    whilePaused(room)
    ending(room)
  }

  /// `queue list` of a long queue, the connection and the socket in it.
  private static func listing(_ program: String, _ room: BenchRoom) {
    let name = "queue list of 1,000 rows, median of 40"
    room.control(["queue", "set"] + (0..<1000).map { "@\($0 % 3 + 1)" })
    var times: [Double] = []
    for _ in 0..<40 {
      let start = Stopwatch.now
      guard var child = ChildProcess(program, ["queue", "list"]), child.wait().status == 0 else {
        return Figure.skip(name, because: "it fails")
      }
      times.append(Stopwatch.now - start)
    }
    room.control(["queue", "crop", "1-3"])
    let median = times.sorted()[times.count / 2]
    Figure(name: name, value: median * 1000, unit: "ms", digits: 1, due: .atMost(40)).report()
  }

  private static func version(_ program: String) {
    var times: [Double] = []
    for _ in 0..<40 {
      let start = Stopwatch.now
      guard var child = ChildProcess(program, ["--version"]), child.wait().status == 0 else {
        return Figure.skip("--version", because: "it fails")
      }
      times.append(Stopwatch.now - start)
    }
    let median = times.sorted()[times.count / 2]
    Figure(
      name: "--version, median of \(times.count)", value: median * 1000, unit: "ms", digits: 1,
      due: .atMost(15)
    ).report()
  }

  private static func size(_ program: String) {
    let name = "stripped binary"
    Folder.temporary { folder in
      let copy = "\(folder)/stripped"
      guard Programs.run("strip", ["-o", copy, program]) != nil, let size = Folder.size(of: copy)
      else { return Figure.skip(name, because: "strip is missing") }
      Figure(name: name, value: Double(size) / 1e6, unit: "MB", digits: 1, due: .atMost(16))
        .report()
    }
  }

  private static func verbs(_ room: BenchRoom) {
    guard let child = room.listen() else {
      return Figure.skip("verbs through the listener", because: "it does not start")
    }
    sleep(5)
    for words in [["status"], ["volume", "50"], ["toggle"]] {
      var times: [Double] = []
      for _ in 0..<40 {
        let start = Stopwatch.now
        room.control(words)
        times.append(Stopwatch.now - start)
      }
      Figure(
        name: "\(words[0]) through the listener, median of \(times.count)",
        value: times.sorted()[times.count / 2] * 1000, unit: "ms", digits: 1, due: .atMost(20)
      ).report()
    }
    answers(room.controlSocket)
    withExtendedLifetime(child) {}
  }

  private static func answers(_ path: String) {
    let name = "the listener's answer to status"
    guard let socket = LocalSocket(path), socket.readLine() else {
      return Figure.skip(name, because: "no socket at \(path)")
    }
    var times: [Double] = []
    for _ in 0..<200 {
      let start = Stopwatch.now
      socket.write("{\"do\": \"status\"}\n")
      guard socket.readLine() else { return Figure.skip(name, because: "it hangs up") }
      times.append(Stopwatch.now - start)
      usleep(2000)
    }
    times.sort()
    Figure(name: "\(name), median of 200", value: times[100] * 1000, unit: "ms", due: .atMost(2))
      .report()
    Figure(name: "\(name), p95", value: times[190] * 1000, unit: "ms").report()
  }

  private static func whilePlaying(_ room: BenchRoom) {
    guard let child = room.listen() else {
      return Figure.skip("memory while playing", because: "it does not start")
    }
    sleep(5)
    let status = ProcessStatus(pid: child.pid)
    let start = (Stopwatch.now, status.processor)
    var anonymous = 0.0
    var resident = 0.0
    for _ in 0..<10 {
      sleep(1)
      anonymous = max(anonymous, status.anonymous)
      resident = max(resident, status.resident)
    }
    guard resident > 0 else {
      return Figure.skip("memory while playing", because: "it ended by itself")
    }
    let load = (status.processor - start.1) / (Stopwatch.now - start.0)
    Figure(
      name: "anonymous memory while playing", value: anonymous, unit: "MiB", digits: 1,
      due: .atMost(10)
    ).report()
    Figure(
      name: "RSS while playing", value: resident, unit: "MiB", digits: 1, due: .atMost(32)
    ).report()
    Figure(name: "processor while playing", value: load * 100, unit: "% of a core").report()
  }

  private static func whilePaused(_ room: BenchRoom) {
    guard let child = room.listen() else {
      return Figure.skip("wake-ups while paused", because: "it does not start")
    }
    sleep(4)
    room.control(["pause"])
    // The device is released after 10 s of pause.
    sleep(13)
    let status = ProcessStatus(pid: child.pid)
    let start = (Stopwatch.now, status.sleeps, status.processor)
    sleep(10)
    let time = Stopwatch.now - start.0
    guard status.resident > 0 else {
      return Figure.skip("wake-ups while paused", because: "it ended by itself")
    }
    Figure(
      name: "wake-ups while paused", value: Double(status.sleeps - start.1) / time,
      unit: "a second", digits: 1, due: .atMost(2)
    ).report()
    Figure(
      name: "processor while paused", value: (status.processor - start.2) / time * 100,
      unit: "% of a core", due: .atMost(0.05)
    ).report()
  }

  private static func ending(_ room: BenchRoom) {
    var worst = 0.0
    room.control(["play"])
    // While it starts, just after, and in the middle of playing.
    for delay: UInt32 in [150_000, 600_000, 2_000_000, 3_500_000] {
      guard var child = room.listen() else { continue }
      usleep(delay)
      worst = max(worst, child.end(by: SIGTERM) ?? .infinity)
    }
    Figure(
      name: "SIGTERM to exit, worst of 4", value: worst * 1000, unit: "ms", digits: 0,
      due: .atMost(300)
    ).report()
  }
}
