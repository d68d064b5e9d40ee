import Codecs
import Dispatch
import Synchronization
import TestSupport

/// A byte source over bytes in memory.
final class MemoryByteSource: ByteSource {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var length: Int64? { Int64(bytes.count) }
  var isComplete: Bool { true }

  func read(
    at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ByteSourceError) -> Int {
    bytes.copy(from: offset, into: buffer)
  }

  func cancel() {}
}

/// A download that still grows: a read waits until the bytes are there.
final class GrowingByteSource: ByteSource {
  private struct State {
    var available: Int64 = 0
    var highest: Int64 = 0
    var isCancelled = false
    var waiting = false
  }

  let bytes: [UInt8]
  private let knowsLength: Bool
  private let state = Mutex(State())
  private let change = DispatchSemaphore(value: 0)

  /// Whether a read waits for bytes that are not there yet.
  var isWaiting: Bool { state.withLock { $0.waiting } }
  /// The highest offset that was asked for.
  var highestRead: Int64 { state.withLock { $0.highest } }

  init(_ bytes: [UInt8], knowsLength: Bool = true) {
    self.bytes = bytes
    self.knowsLength = knowsLength
  }

  var length: Int64? { knowsLength || isComplete ? Int64(bytes.count) : nil }
  var isComplete: Bool { state.withLock { $0.available >= Int64(bytes.count) } }

  /// Lets more bytes arrive.
  func grow(to count: Int) {
    state.withLock { $0.available = min(Int64(bytes.count), max($0.available, Int64(count))) }
    change.signal()
  }

  func read(
    at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ByteSourceError) -> Int {
    while true {
      let end: Int64? = try state.withLock { state throws(ByteSourceError) in
        if state.isCancelled { throw .cancelled }
        state.highest = max(state.highest, offset)
        let isThere = offset < state.available || state.available >= Int64(bytes.count)
        state.waiting = !isThere
        return isThere ? state.available : nil
      }
      if let end { return bytes[..<Int(end)].copy(from: offset, into: buffer) }
      change.wait()
    }
  }

  func cancel() {
    state.withLock { $0.isCancelled = true }
    change.signal()
  }
}

/// A source whose reads fail from some read on.
final class FailingByteSource: ByteSource {
  private let bytes: [UInt8]
  private let reads: Atomic<Int>
  private let error: ByteSourceError

  init(_ bytes: [UInt8], after reads: Int, with error: ByteSourceError) {
    self.bytes = bytes
    self.reads = Atomic(reads)
    self.error = error
  }

  var length: Int64? { Int64(bytes.count) }
  var isComplete: Bool { true }

  func read(
    at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ByteSourceError) -> Int {
    if reads.subtract(1, ordering: .relaxed).newValue < 0 { throw error }
    return bytes.copy(from: offset, into: buffer)
  }

  func cancel() {}
}

extension Collection<UInt8> where Index == Int {
  /// Copies what is there from an offset on.
  fileprivate func copy(
    from offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) -> Int {
    guard offset < Int64(endIndex) else { return 0 }
    let end = Swift.min(endIndex, Int(offset) + buffer.count)
    buffer.copyBytes(from: self[Int(offset)..<end])
    return end - Int(offset)
  }
}
