import Dispatch
import Platform
import RoomProtocol
import Storage
import Synchronization
import Transport

/// A conforming room server: HTTP and WebSocket on one port, one thread, one database.
///
/// Used by `blastoise serve` and `blastoise demo`, and in process by the tests of clients. Where
/// the protocol is silent it does what docs/server.md says.
///
/// ```swift
/// let server = Server(ServerConfiguration(musicFolder: "/srv/music"))
/// let port = try await server.start()
/// ...
/// await server.stop()
/// ```
///
/// Threading: from any thread. All rooms live on the thread "room-server"; a call here is a message
/// to it.
package final class Server: Sendable {
  private struct Running {
    var thread: NamedThread
    var port: Int
  }

  private let configuration: ServerConfiguration
  private let inbox = HostInbox()
  private let running = Mutex<Running?>(nil)

  /// Makes a server that is not running yet.
  package init(_ configuration: ServerConfiguration) {
    self.configuration = configuration
  }

  deinit {
    _ = inbox.post { $0.isStopping = true }
  }

  /// Opens the database and the port, and serves; called once.
  ///
  /// - Returns: the port listened on.
  /// - Throws: `ServiceError` when the port, the certificate, the music folder or the database
  ///   can't be had.
  @discardableResult
  package func start() async throws(ServiceError) -> Int {
    let configuration = configuration
    let inbox = inbox
    let (thread, result) = await withCheckedContinuation { continuation in
      let started = Started(continuation)
      let thread = NamedThread(name: "room-server") {
        serve(configuration, inbox: inbox) { started.finish($0) }
      }
      started.give(thread)
    }
    switch result {
    case .success(let port): running.withLock { $0 = Running(thread: thread, port: port) }
    case .failure(let error):
      await Self.join(thread)
      throw error
    }
    if configuration.awaitsScan { await scanned() }
    return try address().port
  }

  /// Closes all connections, saves the rooms and ends the thread; does nothing a second time.
  package func stop() async {
    let thread = running.withLock { running in
      defer { running = nil }
      return running?.thread
    }
    guard let thread else { return }
    _ = inbox.post { $0.isStopping = true }
    await Self.join(thread)
  }

  /// The server's base URL, such as `http://127.0.0.1:3001/music`.
  ///
  /// It names the host the configuration names; all addresses become 127.0.0.1.
  package var baseURL: String {
    let port = running.withLock { $0?.port } ?? configuration.port
    let scheme = configuration.certificate == nil ? "http" : "https"
    let isAny = ["", "0.0.0.0", "::"].contains(configuration.host)
    let host = isAny ? "127.0.0.1" : configuration.host
    let name = host.contains(":") ? "[\(host)]" : host
    return "\(scheme)://\(name):\(port)\(configuration.pathPrefix)"
  }

  private func address() throws(ServiceError) -> (host: String, port: Int) {
    guard let port = running.withLock({ $0?.port }) else { throw .notRunning }
    return (configuration.host, port)
  }

  /// Waits until the library's scan is complete; returns at once where the server isn't running.
  package func scanned() async {
    guard running.withLock({ $0 != nil }) else { return }
    await withCheckedContinuation { continuation in
      let isPosted = inbox.post { host in host.whenScanned { continuation.resume() } }
      if !isPosted { continuation.resume() }
    }
  }

  /// Does something on the server's thread; nil where it isn't running.
  func perform<Value: Sendable>(
    _ body: @escaping @Sendable (RoomHost) -> Value
  ) async -> Value? {
    guard running.withLock({ $0 != nil }) else { return nil }
    return await withCheckedContinuation { continuation in
      let isPosted = inbox.post { host in continuation.resume(returning: body(host)) }
      if !isPosted { continuation.resume(returning: nil) }
    }
  }

  private static func join(_ thread: NamedThread) async {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "room-server.join").async {
        thread.join()
        continuation.resume()
      }
    }
  }
}

/// Brings the new thread and its first report together for `Server.start`.
private final class Started: Sendable {
  typealias Outcome = (NamedThread, Result<Int, ServiceError>)

  private struct State {
    var thread: NamedThread?
    var result: Result<Int, ServiceError>?
    var continuation: CheckedContinuation<Outcome, Never>?
  }

  private let state: Mutex<State>

  init(_ continuation: CheckedContinuation<Outcome, Never>) {
    state = Mutex(State(continuation: continuation))
  }

  func give(_ thread: NamedThread) {
    update { $0.thread = thread }
  }

  func finish(_ result: Result<Int, ServiceError>) {
    update { $0.result = result }
  }

  private func update(_ change: (inout State) -> Void) {
    let ready = state.withLock { state in
      change(&state)
      guard let thread = state.thread, let result = state.result else {
        return Optional<() -> Void>.none
      }
      let continuation = state.continuation
      // The thread's body holds this object: let go of the thread, or neither is ever freed.
      state = State()
      return { continuation?.resume(returning: (thread, result)) }
    }
    ready?()
  }
}

/// The body of the thread: opens everything, serves until told to stop, closes everything.
private func serve(
  _ configuration: ServerConfiguration, inbox: HostInbox,
  report: (Result<Int, ServiceError>) -> Void
) {
  let host: RoomHost
  do {
    host = try RoomHost.open(configuration, inbox: inbox)
  } catch {
    _ = inbox.close()
    return report(.failure(error))
  }
  host.webServer.isWoken(by: inbox)
  report(.success(host.webServer.port))
  while !host.isStopping {
    host.webServer.step()
    for work in inbox.takeAll() { work(host) }
  }
  // Whoever asked last still gets an answer.
  for work in inbox.close() { work(host) }
  host.close()
}
