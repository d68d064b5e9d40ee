import Glibc
import Platform
package import RoomProtocol
import Synchronization

/// A listener's end of the control socket: takes lines from clients of the same user.
///
/// One thread serves all clients and never waits for one of them. A client has one request at a
/// time; what it sends beyond that waits in its own socket.
///
/// Threading: from anywhere; `requests` has one reader.
package final class ControlServer: Sendable {
  /// What clients ask for, each to be answered exactly once; ends with `close`.
  package let requests: AsyncStream<ControlRequest>
  /// Where clients find it.
  package let place: ControlPlace

  private let waker: PollWaker
  private let greeting: Greeting
  private let thread: Mutex<NamedThread?>

  /// How many clients, and how patient with them.
  package struct Limits: Sendable {
    /// The most clients at once.
    package var clients = 32
    /// The longest line of a client, in bytes.
    package var line = 64 << 10
    /// How long a client may take nothing of what waits for it.
    package var stall = Duration.seconds(10)

    /// The usual limits.
    package init() {}
  }

  /// Takes the instance over, also from a listener that has died, and begins to serve.
  ///
  /// - Parameters:
  ///   - place: where; its folder is checked already.
  ///   - greeting: the members of the first line that each client gets.
  ///   - limits: the limits.
  /// - Throws: `ControlError.running` where a listener of this name lives.
  package init(
    _ place: ControlPlace, greeting: JSONValue, limits: Limits = Limits()
  ) throws(ControlError) {
    let lock = try InstanceLock(place)
    let waker = try PollWaker()
    // The lock is ours: what stands there belonged to the dead.
    unlink(place.socketPath)
    let descriptor = try UnixSocket.make()
    var code = UnixSocket.call(bind, descriptor, place.socketPath)
    if code == 0, chmod(place.socketPath, 0o600) != 0 || listen(descriptor, 16) != 0 {
      code = errno
    }
    guard code == 0 else {
      Glibc.close(descriptor)
      throw .system(operation: "listen on", path: place.socketPath, code: code)
    }
    UnixSocket.makeNonBlocking(descriptor)
    let (requests, announce) = AsyncStream<ControlRequest>.makeStream()
    let greeting = Greeting(greeting)
    self.greeting = greeting
    self.place = place
    self.requests = requests
    self.waker = waker
    thread = Mutex(
      NamedThread(name: "control") {
        let loop = ControlLoop(
          descriptor: descriptor, waker: waker, greeting: greeting, limits: limits,
          announce: announce)
        while !waker.isStopping.load(ordering: .acquiring) { loop.step() }
        loop.close()
        // Under the lock: no newer listener's socket is taken for ours.
        unlink(place.socketPath)
        withExtendedLifetime(lock) {}
      })
  }

  deinit { stop() }

  /// Greets those who come from now on with other words.
  package func greet(with members: JSONValue) { greeting.members.withLock { $0 = members } }

  /// Lets all clients go and removes the socket; blocks for a moment.
  package func close() {
    stop()
    let running = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    running?.join()
  }

  private func stop() {
    waker.isStopping.store(true, ordering: .releasing)
    waker.wake()
  }
}

/// The first line that clients get.
final class Greeting: Sendable {
  let members: Mutex<JSONValue>

  init(_ members: JSONValue) { self.members = Mutex(members) }

  var line: String { members.withLock { "{\"hello\": \($0.json)}" } }
}
