import Dispatch

/// A serial executor on a dispatch queue of its own, for actors whose work blocks (files, SQLite).
///
/// The cooperative pool has one thread a core: two blocked tasks would stop everything on the
/// machines we run on.
package final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  package init(label: String) {
    queue = DispatchQueue(label: label)
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }

  package func checkIsolated() {
    dispatchPrecondition(condition: .onQueue(queue))
  }
}
