import CWebSockets
import Synchronization

/// The way from other threads to the service thread: work is queued, and the loop woken.
///
/// Threading: `post` from anywhere; the rest is the service thread's.
final class ServiceLink<Target>: Sendable {
  typealias Work = @Sendable (Target) -> Void

  private struct State {
    var context: OpaquePointer?
    var isClosed = false
    var waiting: [Work] = []
  }

  // SAFETY: the one field of a non-Sendable type is the context's pointer, and it is only used
  // under the lock, for `lws_cancel_service`, which any thread may call while the context lives.
  private struct Guarded: @unchecked Sendable {
    var state = State()
  }

  private let guarded = Mutex(Guarded())

  /// Queues work; false when the loop has ended and nothing will run any more.
  func post(_ work: @escaping Work) -> Bool {
    guarded.withLock { guarded in
      guard !guarded.state.isClosed else { return false }
      guarded.state.waiting.append(work)
      // Inside the lock, so that the context can't be destroyed at the same time.
      if let context = guarded.state.context { lws_cancel_service(context) }
      return true
    }
  }

  /// Names the context that `post` wakes.
  func attach(_ context: OpaquePointer) {
    let address = UInt(bitPattern: context)
    guarded.withLock { $0.state.context = OpaquePointer(bitPattern: address) }
  }

  /// Takes what waits.
  func takeAll() -> [Work] {
    guarded.withLock { guarded in
      defer { guarded.state.waiting.removeAll() }
      return guarded.state.waiting
    }
  }

  /// Refuses all later work and takes what waits.
  func close() -> [Work] {
    guarded.withLock { guarded in
      guarded.state.isClosed = true
      guarded.state.context = nil
      defer { guarded.state.waiting.removeAll() }
      return guarded.state.waiting
    }
  }
}
