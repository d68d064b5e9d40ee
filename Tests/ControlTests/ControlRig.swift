import Control
import Glibc
import Platform
import RoomProtocol
import Synchronization
import TestSupport
import Testing

/// A control socket in a folder of its own, whose requests are answered with themselves.
final class ControlRig: Sendable {
  let folder: TemporaryFolder
  let server: ControlServer
  /// The verbs asked for so far.
  let asked = Mutex<[String]>([])
  /// The connections that asked for `follow`.
  let followers = Mutex<[ControlConnection]>([])
  /// Requests for `wait`, which are not answered until somebody does.
  let waiting = Mutex<[ControlRequest]>([])

  init(limits: ControlServer.Limits = .init()) throws {
    folder = try TemporaryFolder()
    let place = try ControlPlace(instance: "test", folder: folder.file("run"))
    try place.prepare()
    server = try ControlServer(
      place, greeting: .object([.init("protocol", .integer(1))]), limits: limits)
    let server = server
    Task { [weak self] in
      for await request in server.requests { self?.serve(request) }
    }
  }

  deinit { server.close() }

  private func serve(_ request: ControlRequest) {
    asked.withLock { $0.append(request.verb) }
    switch request.verb {
    case "fail": request.fail(ControlFailure("not_found", "no such thing", hint: "none", exit: 66))
    case "follow":
      request.connection.subscribe()
      request.answer()
      followers.withLock { $0.append(request.connection) }
    case "wait": waiting.withLock { $0.append(request) }
    default: request.answer([("body", request.body.json)])
    }
  }

  func connect() async throws -> ControlClient {
    // Long: the answers come from a task that waits its turn beside all other tests.
    try #require(try await ControlClient.connect(to: server.place, within: .seconds(60)))
  }

  /// A bare connection, for what no client of ours does.
  func connectRaw() throws -> RawClient { try RawClient(server.place.socketPath) }
}

/// A bare local socket.
final class RawClient: Sendable {
  let descriptor: Int32

  init(_ path: String) throws {
    descriptor = try localSocket(path, connect)
    // Long, as above.
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) {
    _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
  }

  /// Says that nothing more is sent.
  func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// All there is until the other side ends.
  func readAll() async -> String { await Self.block { self.readToTheEnd() } }

  private func readToTheEnd() -> String {
    var all: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(descriptor, &bytes, bytes.count)
      guard count > 0 else { return String(decoding: all, as: UTF8.self) }
      all += bytes[..<count]
    }
  }

  /// Reads until a text has come; false where the other side ends before.
  func waits(for text: String) async -> Bool { await Self.block { self.reads(text) } }

  /// Does what blocks on a thread of its own: the pool's are needed by who answers.
  private static func block<Result: Sendable>(
    _ body: @escaping @Sendable () -> Result
  ) async -> Result {
    await withCheckedContinuation { done in
      _ = NamedThread(name: "raw-client") { done.resume(returning: body()) }
    }
  }

  private func reads(_ text: String) -> Bool {
    var all: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 4096)
    while !String(decoding: all, as: UTF8.self).contains(text) {
      let count = read(descriptor, &bytes, bytes.count)
      guard count > 0 else { return false }
      all += bytes[..<count]
    }
    return true
  }
}
