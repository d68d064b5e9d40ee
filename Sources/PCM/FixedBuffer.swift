import Glibc

/// A block of plain values whose size and place never change, all zero bytes at first.
///
/// The memory is allocated and touched by `init` and freed by `deinit`; in between nothing is
/// allocated, counted or checked, as the audio threads need it.
///
/// Threading: none of its own; whoever owns the buffer says which thread may touch which part.
// SAFETY: the struct is an address and a count that never change. What lies at the address is
// guarded by the owner: RingBuffer and Conveyor by their two indices, FilterBank by writing
// only in its `init`, the resamplers by belonging to one thread.
package struct FixedBuffer<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
  /// The first value.
  package let base: UnsafeMutablePointer<Element>
  /// The number of values.
  package let count: Int

  /// Allocates the block.
  ///
  /// - Parameter count: how many values, 0 or more.
  package init(count: Int) {
    self.count = count
    base = .allocate(capacity: max(count, 1))
    // Writing every page now keeps page faults out of the audio threads.
    memset(base, 0, max(count, 1) * MemoryLayout<Element>.stride)
  }

  deinit {
    base.deallocate()
  }
}
