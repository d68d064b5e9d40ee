import Synchronization

/// The way of a listing's bytes from the network's thread to the thread that keeps them.
///
/// Threading: from anywhere; what is given is copied and nothing waits.
package final class ListingFeed: Sendable {
  /// More bytes on their way than these are too many, unless the network can't be held back.
  private static let limit = 4 << 20

  /// The pieces, in order; to be given back by `release` when they have been used.
  let pieces: AsyncStream<[UInt8]>

  private let continuation: AsyncStream<[UInt8]>.Continuation
  private let waiting = Atomic(0)

  init() {
    (pieces, continuation) = AsyncStream.makeStream()
  }

  /// Whether enough is on its way: the network is held back until it is not.
  package var isFull: Bool { waiting.load(ordering: .relaxed) > Self.limit }

  /// Takes the next bytes.
  ///
  /// - Parameter bytes: valid during the call only.
  /// - Returns: false when no more are wanted.
  package func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    waiting.add(bytes.count, ordering: .relaxed)
    if case .terminated = continuation.yield(Array(bytes)) { return false }
    return true
  }

  /// Says that bytes have been used.
  func release(_ count: Int) { waiting.subtract(count, ordering: .relaxed) }

  /// Ends the pieces; what is received afterwards is not wanted.
  func finish() { continuation.finish() }
}
