import Glibc
import TestSupport
import Testing
import Transport

/// What standing connections cost while nothing happens (design.md 10: paused or idle, two wake-ups
/// a second in the whole process).
@Suite(.timeLimit(.minutes(3))) struct IdleTests {
  /// How often each of our threads was woken so far, by thread id.
  private func wakeUps(of name: String) -> [String: Int] {
    var counts: [String: Int] = [:]
    guard let folder = opendir("/proc/self/task") else { return [:] }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let task = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard let bytes = try? Fixture.bytes(at: "/proc/self/task/\(task)/status") else { continue }
      let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      guard lines.first == "Name:\t\(name)" else { continue }
      let line = lines.first { $0.hasPrefix("voluntary_ctxt_switches:") }
      counts[task] = line.flatMap { $0.split(separator: "\t").last }.flatMap { Int($0) }
    }
    return counts
  }

  @Test func `a kept connection and an open socket wake nobody`() async throws {
    let script: @Sendable (RawConnection) -> Void = { connection in
      guard let head = connection.readHead() else { return }
      if head.lowercased().contains("upgrade: websocket") {
        connection.acceptWebSocket(head)
      } else {
        connection.answer("200 OK")
      }
      connection.waitForEnd()
    }
    try await withStandIn(script) { client, url, _ in
      _ = try await client.send(HTTPRequest(.get, url))
      let sockets = WebSocketClient(configuration: client.configuration)
      defer { sockets.shutdown() }
      let socket = sockets.connect(to: url.with(scheme: "ws"))
      var events = socket.events.makeAsyncIterator()
      guard case .opened? = await events.next() else {
        Issue.record("the socket did not open")
        return
      }
      let seconds = 3
      let before = ["http", "lws"].map { wakeUps(of: $0) }
      try await Task.sleep(for: .seconds(seconds))
      for (name, old) in zip(["http", "lws"], before) {
        let now = wakeUps(of: name)
        // Tests beside this one have such threads too, busy ones: the idlest is ours.
        let counts = old.compactMap { task, count in now[task].map { $0 - count } }
        #expect(try #require(counts.min()) <= seconds, "\(name)")
      }
    }
  }
}
