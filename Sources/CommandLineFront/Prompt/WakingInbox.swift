import Glibc
import Synchronization

/// Messages from any thread to one that waits in poll(2), woken by a pipe.
///
/// Threading: `post` from anywhere, the rest by the reader.
final class WakingInbox<Message: Sendable>: Sendable {
  /// What becomes readable when messages wait.
  let descriptor: Int32

  private let waking: Int32
  private let messages = Mutex<[Message]>([])

  /// Nil where the system has no pipe left.
  init?() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (descriptor, waking) = (ends[0], ends[1])
  }

  deinit {
    close(descriptor)
    close(waking)
  }

  /// Appends a message and wakes the reader.
  func post(_ message: Message) {
    let isFirst = messages.withLock { waiting in
      waiting.append(message)
      return waiting.count == 1
    }
    guard isFirst else { return }
    var byte: UInt8 = 0
    _ = write(waking, &byte, 1)
  }

  /// Takes all messages, without blocking.
  func takeAll() -> [Message] {
    var bytes: (UInt64, UInt64) = (0, 0)
    while read(descriptor, &bytes, 16) == 16 {}
    return messages.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }
}
