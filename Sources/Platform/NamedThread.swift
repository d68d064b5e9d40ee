import CPlatform
import Glibc

/// A thread of ours with a name, joined by its owner.
///
/// All signals are blocked in it, so that only the program's signal source sees them.
///
/// Threading: `start` and `join` are called by the owner; `join` blocks until the body returns and
/// must not be called from the thread itself.
package final class NamedThread: Sendable {
  private let body: @Sendable () -> Void
  private let name: String
  private let realtimePriority: Int32?
  // SAFETY: written once in `init` before anybody else has the object, read by the owner in `join`.
  nonisolated(unsafe) private var handle = pthread_t()

  /// Starts a thread at once.
  ///
  /// - Parameters:
  ///   - name: what `ps -T` and debuggers show, 15 bytes at most.
  ///   - realtimePriority: SCHED_FIFO priority to ask for; a refusal is ignored.
  ///   - body: what the thread runs.
  package init(
    name: String, realtimePriority: Int32? = nil, body: @escaping @Sendable () -> Void
  ) {
    self.name = name
    self.realtimePriority = realtimePriority
    self.body = body
    let context = Unmanaged.passRetained(self)
    let code = pthread_create(&handle, nil, namedThreadEntry, context.toOpaque())
    // Without a thread there is no program: the system is out of memory or of processes.
    precondition(code == 0, "pthread_create failed with \(code)")
  }

  /// Waits for the body to return; called once.
  package func join() {
    pthread_join(handle, nil)
  }

  fileprivate func run() {
    cplatform_name_this_thread(name)
    cplatform_block_signals()
    if let realtimePriority { _ = cplatform_wish_realtime(realtimePriority) }
    body()
  }
}

/// The thread's C entry: takes over the reference that `init` retained.
private func namedThreadEntry(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<NamedThread>.fromOpaque(context).takeRetainedValue().run()
  return nil
}
