import Synchronization

/// Four numbers published together by one thread and read by any, without a lock.
///
/// A sequence lock: the version is odd while the writer is at work, and a reader that sees it
/// change reads again.
///
/// Threading: `publish` from one thread only, wait-free; `read` from any.
final class Board: Sendable {
  typealias Values = (Int64, Int64, Int64, Int64)

  private let version = Atomic<UInt64>(0)
  private let first = Atomic<Int64>(0)
  private let second = Atomic<Int64>(0)
  private let third = Atomic<Int64>(0)
  private let fourth = Atomic<Int64>(0)

  func publish(_ values: Values) {
    let current = version.load(ordering: .relaxed)
    version.store(current &+ 1, ordering: .relaxed)
    atomicMemoryFence(ordering: .releasing)
    first.store(values.0, ordering: .relaxed)
    second.store(values.1, ordering: .relaxed)
    third.store(values.2, ordering: .relaxed)
    fourth.store(values.3, ordering: .relaxed)
    version.store(current &+ 2, ordering: .releasing)
  }

  func read() -> Values {
    while true {
      let before = version.load(ordering: .acquiring)
      let values = (
        first.load(ordering: .relaxed), second.load(ordering: .relaxed),
        third.load(ordering: .relaxed), fourth.load(ordering: .relaxed)
      )
      atomicMemoryFence(ordering: .acquiring)
      if before & 1 == 0, version.load(ordering: .relaxed) == before { return values }
    }
  }
}
