import PCM
import Platform
import Synchronization
import TestSupport
import Testing

@Suite struct RingBufferTests {
  /// Frames whose two samples tell their number.
  private func numbered(from first: Int, count: Int) -> [Float] {
    (first..<first + count).flatMap { [Float($0), -Float($0)] }
  }

  /// Writes such frames; the frames taken.
  private func write(to ring: RingBuffer, from first: Int, count: Int) -> Int {
    let frames = numbered(from: first, count: count)
    return ring.write(frames.span)
  }

  @Test func `capacity is the next power of two`() {
    #expect(RingBuffer(minimumCapacity: 1000, keptBehind: 0).capacity == 1024)
    #expect(RingBuffer(minimumCapacity: 1024, keptBehind: 0).capacity == 1024)
  }

  @Test func `frames before number zero are silence`() {
    let ring = RingBuffer(minimumCapacity: 64, keptBehind: 16)
    #expect(write(to: ring, from: 1, count: 64) == 48)
    var out = [Float](repeating: 9, count: 34)
    out.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      ring.copy(from: -16, count: 17, into: base)
    }
    #expect(out == [Float](repeating: 0, count: 32) + [1, -1])
  }

  @Test func `what is kept behind is never overwritten`() {
    let ring = RingBuffer(minimumCapacity: 8, keptBehind: 3)
    #expect(write(to: ring, from: 0, count: 9) == 5)
    ring.advance(by: 5)
    #expect(write(to: ring, from: 5, count: 9) == 5)
    var out = [Float](repeating: 9, count: 16)
    out.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      ring.copy(from: 2, count: 8, into: base)
    }
    #expect(out == numbered(from: 2, count: 8))
  }

  @Test func `what is kept behind can be read again, and no more than that`() {
    let ring = RingBuffer(minimumCapacity: 64, keptBehind: 16)
    let frames = (0..<80).flatMap { [Float($0), Float($0)] }
    #expect(ring.write(frames.span) == 48)
    ring.advance(by: 40)
    #expect(!ring.rewind(by: 17))
    #expect(ring.rewind(by: 10))
    #expect(ring.readIndex == 30)
    // The frames kept behind count from the farthest place, which was 40.
    #expect(!ring.rewind(by: 7))
    #expect(ring.rewind(by: 6))
    var block = [Float](repeating: -1, count: 8)
    var span = block.mutableSpan
    #expect(ring.read(into: &span) == 4)
    #expect(block == [24, 24, 25, 25, 26, 26, 27, 27])
    // The producer sees the room that is really there.
    #expect(ring.writableFrames == 64 - 16 - (48 - 28))
  }

  @Test func `discarding stops at both ends`() {
    let ring = RingBuffer(minimumCapacity: 16, keptBehind: 0)
    _ = write(to: ring, from: 0, count: 10)
    ring.discard(upTo: 4)
    #expect(ring.readIndex == 4)
    ring.discard(upTo: 2)
    #expect(ring.readIndex == 4)
    ring.discard(upTo: 99)
    #expect(ring.readIndex == 10)
  }

  @Test func `reading begins at the frame asked for and leaves the rest of the block`() {
    let ring = RingBuffer(minimumCapacity: 16, keptBehind: 0)
    _ = write(to: ring, from: 1, count: 3)
    var block = [Float](repeating: 7, count: 10)
    var span = block.mutableSpan
    #expect(ring.read(into: &span, at: 1, frames: 2) == 2)
    #expect(block == [7, 7, 1, -1, 2, -2, 7, 7, 7, 7])
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `any order of writes, reads and looks back agrees with an array`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let kept = Int.random(in: 0..<20, using: &random)
    let ring = RingBuffer(
      minimumCapacity: Int.random(in: 21...70, using: &random), keptBehind: kept)
    var model: [Float] = []
    var read = 0
    for _ in 0..<500 {
      let room = ring.capacity - kept - (model.count / 2 - read)
      #expect(ring.writableFrames == room)
      let wish = numbered(from: model.count / 2, count: Int.random(in: 0...40, using: &random))
      let taken = ring.write(wish.span)
      #expect(taken == min(room, wish.count / 2))
      model += wish[..<(taken * 2)]
      #expect(ring.writeIndex == FrameCount(model.count / 2))

      let back = min(read, Int.random(in: 0...kept, using: &random))
      let count = Int.random(in: 0...(model.count / 2 - read + back), using: &random)
      var look = [Float](repeating: 0, count: count * 2 + 2)
      look.withUnsafeMutableBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return }
        ring.copy(from: FrameCount(read - back), count: count, into: base)
      }
      #expect(look.dropLast(2) == model[((read - back) * 2)..<((read - back + count) * 2)])

      var block = [Float](repeating: 0, count: 2 * Int.random(in: 0...40, using: &random))
      var span = block.mutableSpan
      let got = ring.read(into: &span)
      #expect(got == min(block.count / 2, model.count / 2 - read))
      #expect(block.prefix(got * 2) == model[(read * 2)..<((read + got) * 2)])
      read += got
    }
  }

  @Test(.timeLimit(.minutes(3))) func `two threads pass every frame once and in order`() {
    let ring = RingBuffer(minimumCapacity: 256, keptBehind: 32)
    let total = 200_000
    let producer = NamedThread(name: "producer") {
      var block = [Float](repeating: 0, count: 2 * 61)
      var next = 0
      while next < total {
        let count = min(61, total - next)
        for frame in 0..<count {
          block[2 * frame] = Float(next + frame)
          block[2 * frame + 1] = -Float(next + frame)
        }
        let taken = ring.write(block.span.extracting(0..<(2 * count)))
        next += taken
        if taken == 0 { pauseThread() }
      }
    }
    let wrong = Atomic<Int>(0)
    let consumer = NamedThread(name: "consumer") {
      var block = [Float](repeating: 0, count: 2 * 97)
      var next = 0
      while next < total {
        var span = block.mutableSpan
        let got = ring.read(into: &span)
        for frame in 0..<got {
          let value = Float(next + frame)
          if block[2 * frame] != value || block[2 * frame + 1] != -value {
            wrong.wrappingAdd(1, ordering: .relaxed)
          }
        }
        next += got
        if got == 0 { pauseThread() }
      }
    }
    producer.join()
    consumer.join()
    #expect(wrong.load(ordering: .relaxed) == 0)
    #expect(ring.readIndex == FrameCount(total))
  }
}
