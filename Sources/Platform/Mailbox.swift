import Dispatch
import Synchronization

/// Messages from any thread to one thread that waits for them, in order.
///
/// Threading: `post` from anywhere; `take` from one thread only, which may block in it. Not for the
/// real-time output thread: it locks.
package final class Mailbox<Message: Sendable>: Sendable {
  private let messages = Mutex<[Message]>([])
  private let signal = DispatchSemaphore(value: 0)

  package init() {}

  /// Appends a message and wakes the reader.
  package func post(_ message: Message) {
    messages.withLock { $0.append(message) }
    signal.signal()
  }

  /// Wakes the reader without a message.
  ///
  /// Threading: from anywhere, the output thread included: it neither locks nor allocates.
  package func wake() {
    signal.signal()
  }

  /// Takes all waiting messages, without blocking.
  package func takeAll() -> [Message] {
    messages.withLock { waiting in
      defer { waiting.removeAll() }
      return waiting
    }
  }

  /// Waits for a message or a `wake`, at most `timeout` (for ever when nil).
  ///
  /// It may return early, with nothing there: when an earlier call already took what it was woken
  /// for.
  package func wait(timeout: Duration? = nil) {
    guard let timeout else { return signal.wait() }
    let (seconds, attoseconds) = timeout.components
    let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    _ = signal.wait(timeout: .now() + .nanoseconds(Int(max(0, nanoseconds))))
  }

  /// Waits like `wait`, and takes all messages there are by then.
  package func take(timeout: Duration? = nil) -> [Message] {
    wait(timeout: timeout)
    return takeAll()
  }
}
