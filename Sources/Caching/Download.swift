import Dispatch
package import RoomProtocol
import Storage
import Synchronization

/// A track's file while it grows.
///
/// Any number of readers may read it from its first byte on; they wait for what is not there yet.
/// It ends whole (`isComplete`) or with a failure, and stays readable afterwards, whatever becomes
/// of its name in the cache.
///
/// Threading: from anywhere.
package final class Download: Sendable {
  /// How far a download has come.
  package struct Progress: Sendable {
    /// Bytes that can be read.
    package var received: Int64 = 0
    /// Bytes the server has promised in all; nil before it answers, or where it says nothing.
    package var expected: Int64?
    /// What the server calls them.
    package var contentType: String?
    /// Whether all bytes are there.
    package var isComplete = false
    /// Whether they go into the cache in the end.
    package var isKept: Bool
  }

  private struct State {
    var storage: DownloadStorage
    var progress: Progress
    var failure: CacheError?
    /// Why the cache's disk did not take it.
    var keepingFailure: (any Error)?
    var waiters: [Waiter] = []

    mutating func wake(where condition: (Waiter) -> Bool) {
      for waiter in waiters where condition(waiter) { waiter.signal.signal() }
      waiters.removeAll(where: condition)
    }
  }

  /// A reader that is blocked until a byte is there.
  private struct Waiter {
    var reader: ObjectIdentifier
    var offset: Int64
    var signal: DispatchSemaphore
  }

  /// The track that is fetched.
  package let track: TrackID
  private let state: Mutex<State>

  init(track: TrackID, storage: DownloadStorage) {
    self.track = track
    state = Mutex(State(storage: storage, progress: Progress(isKept: storage.part != nil)))
  }

  /// How far it has come by now.
  package var progress: Progress { state.withLock(\.progress) }

  /// Why it failed; nil while it runs and when it is complete.
  package var failure: CacheError? { state.withLock(\.failure) }

  /// A reader of its own for one consumer.
  package func reader() -> DownloadReader { DownloadReader(of: self) }
}

// MARK: - What readers do

extension Download {
  private enum Step {
    case read(OpenFile, count: Int)
    case end
    case wait(DispatchSemaphore)
  }

  /// Copies bytes from `offset` on, waiting for the first of them.
  func read(
    at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, for reader: DownloadReader
  ) throws(CacheError) -> Int {
    guard !buffer.isEmpty else { return 0 }
    while true {
      switch try step(at: offset, wanted: buffer.count, for: reader) {
      case .end: return 0
      case .wait(let signal): signal.wait()
      case .read(let file, let count):
        do throws(FileError) {
          let block = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
          return try file.read(into: block, at: offset)
        } catch { throw .file(error) }
      }
    }
  }

  private func step(
    at offset: Int64, wanted: Int, for reader: DownloadReader
  ) throws(CacheError) -> Step {
    let step = state.withLock { state -> Result<Step, CacheError> in
      if reader.isCancelled { return .failure(.cancelled) }
      let available = state.progress.received - offset
      if available > 0 {
        return .success(
          .read(state.storage.file, count: Int(min(available, Int64(wanted)))))
      }
      if let failure = state.failure { return .failure(failure) }
      if state.progress.isComplete { return .success(.end) }
      let signal = DispatchSemaphore(value: 0)
      state.waiters.append(
        Waiter(reader: ObjectIdentifier(reader), offset: offset, signal: signal))
      return .success(.wait(signal))
    }
    return try step.get()
  }

  /// Wakes a reader that has been cancelled.
  func wake(_ reader: DownloadReader) {
    state.withLock { $0.wake { $0.reader == ObjectIdentifier(reader) } }
  }
}

// MARK: - What the writer does

extension Download {
  /// The file and its `.part` name, for the cache.
  var storage: DownloadStorage { state.withLock(\.storage) }

  func setResponse(expected: Int64?, contentType: String?) {
    state.withLock {
      $0.progress.expected = expected
      $0.progress.contentType = contentType
    }
  }

  /// Writes bytes at the end and wakes those who wait for them; the writer's thread only.
  ///
  /// Where the cache's disk refuses, what came so far moves to a temporary file that is not kept.
  func append(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    let (storage, offset) = state.withLock { ($0.storage, $0.progress.received) }
    do throws(FileError) {
      try storage.file.write(bytes, at: offset)
    } catch {
      guard storage.part != nil else { throw error }
      let spare = try DownloadStorage.temporary(copying: storage.file, count: offset)
      try spare.file.write(bytes, at: offset)
      storage.discard()
      state.withLock { $0.storage = spare }
      setNotKept(error)
    }
    state.withLock { state in
      state.progress.received += Int64(bytes.count)
      let received = state.progress.received
      state.wake { $0.offset < received }
    }
  }

  /// Why it is not kept, where a disk has refused.
  var keepingFailure: (any Error)? { state.withLock(\.keepingFailure) }

  /// Says that nothing of it will stay on the disk, and why.
  func setNotKept(_ reason: any Error) {
    state.withLock {
      $0.progress.isKept = false
      $0.keepingFailure = reason
    }
  }

  /// All bytes are there.
  func complete() {
    state.withLock { state in
      guard state.failure == nil else { return }
      state.progress.isComplete = true
      state.wake { _ in true }
    }
  }

  /// Ends it for good; what readers have not read yet they can still read.
  func fail(_ error: CacheError) {
    state.withLock { state in
      guard state.failure == nil else { return }
      state.failure = error
      state.wake { _ in true }
    }
  }
}
