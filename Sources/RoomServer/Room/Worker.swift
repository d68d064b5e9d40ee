import Dispatch
import Storage

/// Slow work beside the service thread: password hashing and the scan, one after the other.
///
/// Threading: `run` from the service thread; the work runs on a queue of its own, and its
/// conclusion on the service thread again.
final class Worker: Sendable {
  private let link: ServiceLink<RoomHost>
  private let queue: DispatchQueue

  init(link: ServiceLink<RoomHost>, label: String) {
    self.link = link
    queue = DispatchQueue(label: label)
  }

  /// Queues work; it returns what the service thread does with its result.
  func run(_ work: @escaping @Sendable () -> @Sendable (RoomHost) -> Void) {
    let link = link
    queue.async {
      let conclusion = work()
      // After the end of the server there is nobody left to tell.
      _ = link.post(conclusion)
    }
  }

  /// Hashes a password away from the cooperative pool.
  static func hash(_ password: String) async -> PasswordHash {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(returning: PasswordHash(of: password))
      }
    }
  }
}
