import Synchronization

/// A queue of small plain values from one thread to one other, without locks.
///
/// Threading: `push` belongs to the producer's thread, `peek` and `pop` to the consumer's. Never
/// blocks, locks or allocates after `init`.
package final class Conveyor<Item: BitwiseCopyable & Sendable>: Sendable {
  /// The items it holds at most, a power of two.
  package let capacity: Int

  private let items: FixedBuffer<Item>
  private let paddingBefore = InlineArray<16, Int64>(repeating: 0)
  private let pushed = Atomic<Int>(0)
  private let paddingBetween = InlineArray<16, Int64>(repeating: 0)
  private let popped = Atomic<Int>(0)
  private let paddingAfter = InlineArray<16, Int64>(repeating: 0)

  /// Makes an empty queue.
  ///
  /// - Parameter minimumCapacity: rounded up to a power of two.
  package init(minimumCapacity: Int = 64) {
    var slots = 1
    while slots < minimumCapacity { slots <<= 1 }
    capacity = slots
    items = FixedBuffer(count: slots)
  }

  /// The items in the queue.
  package var count: Int {
    pushed.load(ordering: .acquiring) &- popped.load(ordering: .acquiring)
  }

  /// Appends an item.
  ///
  /// Threading: producer only.
  ///
  /// - Parameter item: what to append.
  /// - Returns: false when the queue is full and nothing was done.
  package func push(_ item: Item) -> Bool {
    let index = pushed.load(ordering: .relaxed)
    guard index &- popped.load(ordering: .acquiring) < capacity else { return false }
    items.base[index & (capacity - 1)] = item
    pushed.store(index &+ 1, ordering: .releasing)
    return true
  }

  /// The oldest item, left where it is; nil when the queue is empty.
  ///
  /// Threading: consumer only.
  package func peek() -> Item? {
    let index = popped.load(ordering: .relaxed)
    guard pushed.load(ordering: .acquiring) != index else { return nil }
    return items.base[index & (capacity - 1)]
  }

  /// Takes the oldest item off; nil when the queue is empty.
  ///
  /// Threading: consumer only.
  package func pop() -> Item? {
    guard let item = peek() else { return nil }
    popped.wrappingAdd(1, ordering: .releasing)
    return item
  }
}
