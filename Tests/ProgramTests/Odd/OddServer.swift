import Platform
import Synchronization
import TestSupport
import Transport

/// A room server that does as the protocol says, and all that it leaves open in another way than
/// ours: a witness that the program depends on none of it.
///
/// Two rooms, five songs, one user: ada, with the password `secret`. `OddRoom` says what is odd.
final class OddServer: Sendable {
  typealias Work = @Sendable (OddRoom) -> Void

  let port: Int
  private let inbox: ServiceInbox<Work>
  private let thread: NamedThread

  /// Starts a server in this process.
  ///
  /// - Throws: `NeverHappened` where it has no port.
  init() async throws {
    let inbox = ServiceInbox<Work>()
    let started = Started()
    thread = NamedThread(name: "odd-server") {
      let options = WebServerOptions(host: "127.0.0.1", port: 0, serverName: "odd/9")
      guard let server = try? WebServer(options) else { return }
      let room = OddRoom()
      server.handler = room
      server.isWoken(by: inbox)
      started.port.withLock { $0 = server.port }
      while !room.isOver {
        server.step()
        for work in inbox.takeAll() { work(room) }
      }
      for work in inbox.close() { work(room) }
      server.shutDown()
    }
    self.inbox = inbox
    try await eventually("the odd server is up") { started.port.withLock { $0 != nil } }
    port = started.port.withLock { $0 } ?? 0
  }

  private final class Started: Sendable {
    let port = Mutex<Int?>(nil)
  }

  var url: String { "http://127.0.0.1:\(port)" }

  /// Ends the server.
  func stop() {
    _ = inbox.post { $0.isOver = true }
    thread.join()
  }

  /// Looks at the room, or changes it, on its thread.
  func room<Value: Sendable>(_ body: @escaping @Sendable (OddRoom) -> Value) async -> Value? {
    await withCheckedContinuation { continuation in
      if !inbox.post({ continuation.resume(returning: body($0)) }) {
        continuation.resume(returning: nil)
      }
    }
  }
}
