import Glibc
import Synchronization

/// The ring of stereo frames between the decode thread and the output thread.
///
/// One producer and one consumer. Frames are numbered from 0 for ever, in the order of writing; the
/// number is masked only where memory is touched, so that a frame keeps its name for the life of
/// the ring. The last `keptBehind` frames already read are never overwritten: they are the history
/// that interpolation and repeats read. Frames before number 0 are silence.
///
/// Threading: `write` and `writableFrames` belong to the producer's thread, everything that reads
/// or moves `readIndex` to the consumer's; the two indices may be looked at from anywhere. Never
/// blocks, locks or allocates after `init`.
package final class RingBuffer: Sendable {
  /// The frames the memory holds, a power of two.
  package let capacity: Int
  /// The frames behind the read index that are never overwritten.
  package let keptBehind: Int

  private let samples: FixedBuffer<Float>
  private let mask: FrameCount
  // The indices live on cache lines of their own, so that each thread's store does not take the
  // line of the other's index away.
  private let paddingBefore = InlineArray<16, Int64>(repeating: 0)
  private let written = Atomic<Int64>(0)
  private let paddingBetween = InlineArray<16, Int64>(repeating: 0)
  private let consumed = Atomic<Int64>(0)
  /// The farthest the read index was before it was moved back; the consumer's alone.
  private let farthestRead = Atomic<Int64>(0)
  private let paddingAfter = InlineArray<16, Int64>(repeating: 0)

  /// Makes an empty ring and touches all its memory.
  ///
  /// - Parameters:
  ///   - minimumCapacity: frames in all, those kept behind among them; rounded up to a power of
  ///     two.
  ///   - keptBehind: frames behind the read index to keep, less than the capacity.
  package init(minimumCapacity: Int, keptBehind: Int) {
    var frames = 1
    while frames < minimumCapacity { frames <<= 1 }
    precondition(keptBehind >= 0 && keptBehind < frames, "nothing of the ring would be left")
    capacity = frames
    self.keptBehind = keptBehind
    mask = FrameCount(frames - 1)
    samples = FixedBuffer(count: frames * stereo)
  }

  /// The number of the next frame to be written: as many as were ever written.
  package var writeIndex: FrameCount { written.load(ordering: .acquiring) }

  /// The number of the next frame to be read.
  package var readIndex: FrameCount { consumed.load(ordering: .acquiring) }

  /// The frames written and not yet read.
  package var readableFrames: Int { Int(writeIndex - readIndex) }

  /// The frames there is room for.
  package var writableFrames: Int { max(0, capacity - keptBehind - readableFrames) }
}

// MARK: - Producer

extension RingBuffer {
  /// Appends frames, as many as there is room for.
  ///
  /// Threading: producer only.
  ///
  /// - Parameter frames: interleaved stereo samples.
  /// - Returns: the frames taken, from the first on.
  package func write(_ frames: UnsafeBufferPointer<Float>) -> Int {
    let index = written.load(ordering: .relaxed)
    let count = min(frames.count / stereo, writableFrames)
    guard count > 0, let source = frames.baseAddress else { return 0 }
    let place = Int(index & mask)
    let first = min(count, capacity - place)
    store(source, at: place, count: first)
    store(source + first * stereo, at: 0, count: count - first)
    written.store(index &+ FrameCount(count), ordering: .releasing)
    return count
  }

  /// Appends frames, as many as there is room for.
  ///
  /// Threading: producer only.
  ///
  /// - Parameter frames: interleaved stereo samples.
  /// - Returns: the frames taken, from the first on.
  package func write(_ frames: Span<Float>) -> Int {
    frames.withUnsafeBufferPointer { write($0) }
  }

  private func store(_ source: UnsafePointer<Float>, at place: Int, count: Int) {
    (samples.base + place * stereo).update(from: source, count: count * stereo)
  }
}

// MARK: - Consumer

extension RingBuffer {
  /// Copies the oldest unread frames into a block and moves on behind them.
  ///
  /// Threading: consumer only.
  ///
  /// - Parameters:
  ///   - block: receives interleaved samples; the rest of it is left as it was.
  ///   - offset: the frame of the block to begin at.
  ///   - frames: how many are wanted; nil fills the block.
  /// - Returns: the frames copied, 0 when the ring is empty.
  package func read(
    into block: inout MutableSpan<Float>, at offset: Int = 0, frames: Int? = nil
  ) -> Int {
    let room = block.count / stereo - offset
    precondition(offset >= 0 && room >= frames ?? 0, "the block is too small")
    let count = min(frames ?? room, readableFrames)
    guard count > 0 else { return 0 }
    let index = consumed.load(ordering: .relaxed)
    block.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      copy(from: index, count: count, into: base + offset * stereo)
    }
    advance(by: count)
    return count
  }

  /// Copies frames by their numbers, without moving the read index.
  ///
  /// Threading: consumer only.
  ///
  /// - Parameters:
  ///   - index: the first frame, from `readIndex - keptBehind` on; it may be negative.
  ///   - count: how many; the last must have been written.
  ///   - target: receives `count * 2` samples.
  package func copy(
    from index: FrameCount, count: Int, into target: UnsafeMutablePointer<Float>
  ) {
    precondition(
      count >= 0 && index >= readIndex - FrameCount(keptBehind)
        && index + FrameCount(count) <= writeIndex, "frames the ring does not hold")
    let place = Int(index & mask)
    let first = min(count, capacity - place)
    target.update(from: samples.base + place * stereo, count: first * stereo)
    (target + first * stereo).update(from: samples.base, count: (count - first) * stereo)
  }

  /// Moves the read index on; what it leaves becomes history and then room.
  ///
  /// Threading: consumer only.
  ///
  /// - Parameter frames: 0 up to `readableFrames`.
  package func advance(by frames: Int) {
    precondition(frames >= 0 && frames <= readableFrames, "reading past what was written")
    let index = consumed.load(ordering: .relaxed)
    consumed.store(index &+ FrameCount(frames), ordering: .releasing)
  }

  /// Moves the read index back into the frames kept behind, to read them again.
  ///
  /// Threading: consumer only.
  ///
  /// - Parameter frames: how many, 0 or more.
  /// - Returns: false, with nothing done, where they may be overwritten: `keptBehind` counts from
  ///   the farthest the read index ever was.
  package func rewind(by frames: Int) -> Bool {
    let now = consumed.load(ordering: .relaxed)
    let farthest = max(now, farthestRead.load(ordering: .relaxed))
    let target = now - FrameCount(frames)
    guard frames >= 0, target >= max(0, farthest - FrameCount(keptBehind)) else { return false }
    farthestRead.store(farthest, ordering: .relaxed)
    consumed.store(target, ordering: .releasing)
    return true
  }

  /// Throws away unread frames before a number.
  ///
  /// Threading: consumer only.
  ///
  /// - Parameter index: the frame to stand on; one already read or not yet written moves the read
  ///   index only as far as it can go.
  package func discard(upTo index: FrameCount) {
    let target = min(index, writeIndex)
    let now = consumed.load(ordering: .relaxed)
    if target > now { advance(by: Int(target - now)) }
  }
}
