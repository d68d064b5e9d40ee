import Dispatch
package import RoomProtocol
import Storage
import Synchronization

/// A track's file while it grows.
///
/// Any number of readers may read it anywhere; they wait for what is not there yet, and what they
/// wait for is fetched first where the server gives parts. It ends whole (`isComplete`) or with a
/// failure, and stays readable afterwards, whatever becomes of its name in the cache.
///
/// Threading: from anywhere.
package final class Download: Sendable {
  /// How far a download has come.
  package struct Progress: Sendable {
    /// The bytes that can be read.
    package var ranges = ByteRanges()
    /// Bytes the server has promised in all; nil before it answers, or where it says nothing.
    package var expected: Int64?
    /// What the server calls them.
    package var contentType: String?
    /// Whether all bytes are there.
    package var isComplete = false
    /// Whether they go into the cache in the end.
    package var isKept: Bool
    /// Whether the server has been seen to give parts, so that any byte can be had with a short wait.
    package var canJump = false

    /// How many bytes can be read.
    package var received: Int64 { ranges.count }

    /// How full each of `count` equal parts of the file is, from 0 to 1; all empty where its length
    /// is not known.
    package func segments(_ count: Int) -> [Double] {
      guard let expected else { return [Double](repeating: isComplete ? 1 : 0, count: count) }
      return ranges.segments(count, of: expected)
    }
  }

  /// What somebody wants of a download.
  package enum Purpose: Sendable {
    /// It is heard, or about to be: it waits for nobody.
    case playing
    /// It is for later: it lets a playing one go first.
    case later
    /// It is for later, and of use only if it is kept.
    case keeping
  }

  struct State {
    var storage: DownloadStorage
    var progress: Progress
    var purpose: Purpose
    /// What tells this version of the file from another.
    var validator: String?
    /// The bytes that were flushed to the disk.
    var flushed = ByteRanges()
    /// What readers have been given.
    var handedOut = ByteRanges()
    /// Bytes of an older version that readers have: those of the new one must be the same.
    var suspect = ByteRanges()
    /// How often the file was found to be another.
    var changes = 0
    /// Where the reader was last.
    var cursor: Int64 = 0
    /// The request under way.
    var run: Run?
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
  struct Waiter {
    var reader: ObjectIdentifier
    var offset: Int64
    var signal: DispatchSemaphore
  }

  /// A request under way.
  struct Run {
    /// The next byte it brings.
    var position: Int64
    /// The byte after its last one; nil where it goes to the end of the file.
    var end: Int64?
    /// Ends it.
    var giveUp: @Sendable () -> Void

    /// Whether it brings a byte soon.
    func brings(_ offset: Int64) -> Bool {
      offset >= position && offset < min(position + DownloadPlan.near, end ?? .max)
    }
  }

  /// The track that is fetched.
  package let track: TrackID
  /// False once nothing may be written any more; held while bytes are written.
  let isWritable = Mutex(true)
  let state: Mutex<State>

  /// A download that goes on with what a part has already.
  init(
    track: TrackID, storage: DownloadStorage, from record: PartRecord = PartRecord(),
    for purpose: Purpose = .playing
  ) {
    self.track = track
    var progress = Progress(isKept: storage.part != nil)
    progress.ranges = record.ranges
    progress.expected = record.expected
    progress.contentType = record.contentType
    state = Mutex(
      State(
        storage: storage, progress: progress, purpose: purpose, validator: record.validator,
        flushed: record.flushed))
  }

  /// How far it has come by now.
  package var progress: Progress { state.withLock(\.progress) }

  /// Why it failed; nil while it runs and when it is complete.
  package var failure: CacheError? { state.withLock(\.failure) }

  /// What it is for; a track that was fetched for later may come to be played.
  package var purpose: Purpose {
    get { state.withLock(\.purpose) }
    set { state.withLock { $0.purpose = newValue } }
  }

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
          let read = try file.read(into: block, at: offset)
          if read > 0 { return read }
        } catch { throw .file(error) }
        // Cut by somebody else: the end of the file is not the end of the track.
        throw failure ?? .changed(track: track)
      }
    }
  }

  private func step(
    at offset: Int64, wanted: Int, for reader: DownloadReader
  ) throws(CacheError) -> Step {
    let step = state.withLock { state -> Result<Step, CacheError> in
      if reader.isCancelled { return .failure(.cancelled) }
      if let end = state.progress.ranges.end(at: offset) {
        let count = Int(min(end - offset, Int64(wanted)))
        state.cursor = offset + Int64(count)
        state.handedOut.insert(offset..<state.cursor)
        return .success(.read(state.storage.file, count: count))
      }
      if state.progress.isComplete { return .success(.end) }
      if let failure = state.failure { return .failure(failure) }
      // Its length is known before its last byte is there.
      if let length = state.progress.expected, offset >= length, state.progress.canJump {
        return .success(.end)
      }
      let signal = DispatchSemaphore(value: 0)
      state.cursor = offset
      state.waiters.append(
        Waiter(reader: ObjectIdentifier(reader), offset: offset, signal: signal))
      state.giveUpRunIfElsewhere()
      return .success(.wait(signal))
    }
    return try step.get()
  }

  /// Wakes a reader that has been cancelled.
  func wake(_ reader: DownloadReader) {
    state.withLock { $0.wake { $0.reader == ObjectIdentifier(reader) } }
  }
}

extension Download.State {
  /// Ends the running request where it brings nothing soon that somebody waits for.
  mutating func giveUpRunIfElsewhere() {
    guard progress.canJump, let run, !waiters.isEmpty,
      !waiters.contains(where: { run.brings($0.offset) })
    else { return }
    self.run = nil
    run.giveUp()
  }
}
