import Dispatch
import Storage
import Synchronization
import Transport

/// Slow work beside the service thread, one piece after the other.
///
/// Threading: `run` from the service thread; the work runs on a queue of its own, and its
/// conclusion on the service thread again.
final class Worker: Sendable {
  private let inbox: HostInbox
  private let queue: DispatchQueue
  private let cancelled = Atomic(false)

  init(inbox: HostInbox, label: String) {
    self.inbox = inbox
    queue = DispatchQueue(label: label)
  }

  /// Whether the work is to be given up.
  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  /// Queues work; it returns what the service thread does with its result.
  func run(_ work: @escaping @Sendable () -> @Sendable (RoomHost) -> Void) {
    queue.async { self.post(work()) }
  }

  /// Does something on the service thread; after the end of the server there is nobody left.
  func post(_ action: @escaping @Sendable (RoomHost) -> Void) {
    _ = inbox.post(action)
  }

  /// Asks the work to give up.
  func cancel() {
    cancelled.store(true, ordering: .releasing)
  }

  /// Hashes a password away from the cooperative pool.
  static func hash(_ password: String) async -> PasswordHash {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "room-server.hash").async {
        continuation.resume(returning: PasswordHash(of: password))
      }
    }
  }
}
