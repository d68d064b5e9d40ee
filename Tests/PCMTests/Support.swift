import Glibc
import TestSupport

extension SeededGenerator {
  /// A sample from -1 up to 1.
  mutating func sample() -> Float {
    Float.random(in: -1...1, using: &self)
  }
}

/// Lets the other thread of a test run.
func pauseThread() {
  sched_yield()
}
