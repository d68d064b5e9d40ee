import RoomProtocol
import Synchronization

/// One client of a control socket, as those who answer it know it.
///
/// What is sent waits in memory until the client takes it, up to a limit: who reads slower than
/// that is told so and dropped. Nothing here blocks.
///
/// Threading: from anywhere.
package final class ControlConnection: Sendable {
  /// How much may wait for a client, beside one line that is longer by itself.
  package static let backlogLimit = 1 << 20

  struct Outbox {
    var lines: [ArraySlice<UInt8>] = []
    var waiting = 0
    /// The longest line since the outbox was empty: one queue of a large room must fit.
    var longest = 0
    /// Whether a request waits for its answer.
    var isAsking = false
    var isSubscribed = false
    /// No more is taken; what waits goes out, then the connection ends.
    var isEnding = false
    var isClosed = false
  }

  private let waker: PollWaker
  private let state = Mutex(Outbox())

  init(waker: PollWaker) { self.waker = waker }

  /// Whether anything sent may still arrive.
  package var isOpen: Bool { state.withLock { !$0.isClosed && !$0.isEnding } }

  /// Sends one line, without its end.
  ///
  /// - Parameter line: one JSON object.
  package func send(_ line: String) { send(Array(line.utf8)) }

  /// Sends one line, without its end, as bytes.
  package func send(_ line: [UInt8]) {
    change { outbox in
      guard !outbox.isEnding, !outbox.isClosed else { return }
      outbox.append(line)
      guard outbox.waiting - outbox.longest > Self.backlogLimit else { return }
      outbox.cut()
      let failure = ControlFailure(
        "too_slow", "this client reads too slowly: it is let go", exit: 75)
      outbox.append(Array("{\"error\": \(failure.value.json)}".utf8))
      outbox.isEnding = true
    }
  }

  /// Keeps the connection although it asks for nothing more: it is told things.
  package func subscribe() { change { $0.isSubscribed = true } }

  /// Ends the connection after what was sent.
  package func end() { change { $0.isEnding = true } }

  func answer(_ line: String) {
    send(line)
    change { $0.isAsking = false }
  }

  /// Looks at the outbox, or changes it, on the socket's thread.
  func withOutbox<Result>(_ body: (inout sending Outbox) -> sending Result) -> sending Result {
    state.withLock(body)
  }

  private func change(_ body: (inout Outbox) -> Void) {
    state.withLock { body(&$0) }
    waker.wake()
  }
}

extension ControlConnection.Outbox {
  mutating func append(_ line: [UInt8]) {
    let whole = line + [UInt8(ascii: "\n")]
    lines.append(whole[...])
    waiting += whole.count
    longest = max(longest, whole.count)
  }

  /// Drops what waits, but for the rest of a line that has begun.
  mutating func cut() {
    lines = lines.prefix(1).filter { $0.startIndex > 0 }
    count()
  }

  /// Takes off what the system has taken.
  mutating func sent(_ count: Int) {
    guard let first = lines.first else { return }
    waiting -= count
    if count == first.count {
      lines.removeFirst()
    } else {
      lines[0] = first.dropFirst(count)
    }
    if lines.isEmpty { longest = 0 }
  }

  private mutating func count() {
    waiting = lines.reduce(0) { $0 + $1.count }
    longest = lines.map(\.count).max() ?? 0
  }
}
