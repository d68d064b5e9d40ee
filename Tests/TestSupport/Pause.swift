import Glibc

/// Waits on a thread of the test's own, where a stand-in must let time pass.
package enum Pause {
  /// Blocks the calling thread; never called from a task.
  package static func nanoseconds(_ count: Int) {
    usleep(UInt32(count / 1000))
  }
}
