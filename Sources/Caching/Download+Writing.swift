import Glibc
import RoomProtocol
import Storage
import Synchronization

/// What the fetching side does to a download; one request at a time.
extension Download {
  /// The file and its part, for the cache.
  var storage: DownloadStorage { state.withLock(\.storage) }

  /// What would be recorded now.
  var record: PartRecord {
    state.withLock { state in
      var record = PartRecord()
      record.ranges = state.progress.ranges
      record.flushed = state.flushed
      record.expected = state.progress.expected
      record.validator = state.validator
      record.contentType = state.progress.contentType
      return record
    }
  }

  /// What to ask for next; nil where all is there.
  func plan() -> DownloadPlan? {
    state.withLock { state in
      let plan = DownloadPlan(
        ranges: state.progress.ranges, length: state.progress.expected,
        wanted: state.waiters.last?.offset, cursor: state.cursor,
        hasValidator: state.validator != nil)
      return plan.next == nil ? nil : plan
    }
  }

  /// Says that a request begins, and how to end it.
  func begin(at position: Int64, to end: Int64?, giveUp: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.run = Run(position: position, end: end, giveUp: giveUp)
      state.giveUpRunIfElsewhere()
    }
  }

  /// Says that no request is under way; whether it was given up for another place.
  func endRun() -> Bool {
    state.withLock { state in
      let wasGivenUp = state.run == nil
      state.run = nil
      return wasGivenUp
    }
  }

  /// Takes what the server says of the file; where it is another than before, what was fetched of
  /// the old one counts no more.
  func respond(_ place: AnswerPlace, contentType: String?) throws(CacheError) {
    let isOther = state.withLock { state in
      let known = state.progress
      return differ(place.validator, state.validator) || differ(place.length, known.expected)
    }
    if isOther { try distrust(keeping: place.start..<place.start, not: ByteRanges()) }
    state.withLock { state in
      state.progress.expected = place.length ?? state.progress.expected
      state.progress.contentType = contentType.map { String($0.prefix(200)) }
      state.progress.canJump = place.isPart && state.progress.expected != nil
      if place.validator != nil || !place.isPart {
        state.validator = place.validator.flatMap { $0.utf8.count <= 1000 ? $0 : nil }
      }
      state.run?.position = place.start
      state.run?.end = place.end
      // Who waits past the end waits for nothing.
      if state.progress.canJump, let length = state.progress.expected {
        state.wake { $0.offset >= length }
      }
      state.giveUpRunIfElsewhere()
    }
  }

  /// Says how many bytes there are in all, where only the end of the body told.
  func setLength(_ length: Int64) {
    state.withLock { $0.progress.expected = length }
  }

  /// Whether the file ends with what is there, now that a request for all that follows, of a server
  /// that gives parts and tells no length, has brought nothing.
  func endsHere(_ request: TrackRequest) -> Bool {
    state.withLock { state in
      let ranges = state.progress.ranges
      guard let start = request.start, request.end == nil, state.progress.expected == nil,
        ranges.count > 0, ranges.prefix == ranges.count, start <= ranges.prefix
      else { return false }
      state.progress.expected = ranges.count
      return true
    }
  }

  /// Puts bytes at their place and wakes those who wait for them.
  ///
  /// What is there already is compared. Other bytes are another version of the file: where readers
  /// have the old ones, that is the end; else only what came from `start` on, by the same request,
  /// counts.
  func take(
    _ bytes: UnsafeRawBufferPointer, at offset: Int64, from start: Int64
  ) throws(CacheError) {
    let range = offset..<(offset + Int64(bytes.count))
    let known = state.withLock { state in
      var known = state.progress.ranges.intersection(range)
      known.formUnion(state.suspect.intersection(range))
      return known
    }
    let isSame = try agrees(bytes, at: offset, where: known)
    if !isSame { try distrust(keeping: start..<offset, not: known) }
    if !isSame || known.count < range.count { try write(bytes, at: offset) }
    state.withLock { state in
      state.progress.ranges.insert(range)
      state.suspect.remove(range)
      state.run?.position = range.upperBound
      state.wake { range.contains($0.offset) }
      state.giveUpRunIfElsewhere()
    }
  }

  private func agrees(
    _ bytes: UnsafeRawBufferPointer, at offset: Int64, where known: ByteRanges
  ) throws(CacheError) -> Bool {
    let file = storage.file
    do throws(FileError) {
      for range in known.ranges {
        let part = Int(range.lowerBound - offset)..<Int(range.upperBound - offset)
        let block = UnsafeRawBufferPointer(rebasing: bytes[part])
        if try !file.holds(block, at: range.lowerBound) { return false }
      }
      return true
    } catch { throw .file(error) }
  }

  /// Writes bytes; where the cache's disk refuses, what came so far moves to a temporary file.
  private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(CacheError) {
    let result = isWritable.withLock { isWritable -> Result<Void, CacheError> in
      guard isWritable else { return .failure(.cancelled) }
      let storage = storage
      do throws(FileError) {
        try storage.file.write(bytes, at: offset)
        return .success(())
      } catch {
        guard storage.part != nil, purpose != .keeping else { return .failure(.file(error)) }
        do throws(FileError) {
          try moveAway(because: error)
          try self.storage.file.write(bytes, at: offset)
          return .success(())
        } catch { return .failure(.file(error)) }
      }
    }
    try result.get()
  }

  /// Goes on in a temporary file that is not kept.
  private func moveAway(because reason: any Error) throws(FileError) {
    let (old, ranges) = state.withLock { state in
      var ranges = state.progress.ranges
      ranges.formUnion(state.suspect)
      return (state.storage, ranges)
    }
    let spare = try DownloadStorage.temporary(copying: old.file, ranges)
    old.part?.discard()
    state.withLock { $0.storage = spare }
    setNotKept(reason)
  }

  /// Goes on without keeping, where the cache has no room: said by whoever was asked for it.
  func keepNoMore(because reason: any Error) throws(CacheError) {
    guard storage.part != nil else { return }
    let result = isWritable.withLock { _ -> Result<Void, CacheError> in
      do throws(FileError) {
        try moveAway(because: reason)
        return .success(())
      } catch { return .failure(.file(error)) }
    }
    try result.get()
  }

  /// The file has become another one: only a range of the running request counts, and what readers
  /// have must turn out the same; of `differing` bytes it is known that they don't.
  private func distrust(
    keeping span: Range<Int64>, not differing: ByteRanges
  ) throws(CacheError) {
    let changes = state.withLock { state in
      if differing.ranges.contains(where: { !state.handedOut.intersection($0).isEmpty }) {
        return Int.max
      }
      var old = state.progress.ranges
      old.formUnion(state.suspect)
      old.remove(span)
      state.suspect = ByteRanges()
      for range in old.ranges { state.suspect.formUnion(state.handedOut.intersection(range)) }
      state.progress.ranges = ByteRanges(span)
      state.flushed = state.flushed.intersection(span)
      state.changes += 1
      return state.changes
    }
    // Between two versions that come by turns there is no end.
    guard changes <= 2 else { throw .changed(track: track) }
    // Nothing of the old version may be taken for the new one's after a kill, or a reboot.
    let result = isWritable.withLock { isWritable -> Result<Void, CacheError> in
      guard isWritable else { return .failure(.cancelled) }
      do throws(FileError) {
        return .success(try storage.part?.record(record, durably: true) ?? ())
      } catch { return .failure(.file(error)) }
    }
    try result.get()
  }
}

// MARK: - The end

extension Download {
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
      state.run?.giveUp()
    }
  }

  /// Writes down what is there, so that a kill does not cost it.
  func keepRecord() {
    isWritable.withLock { isWritable in
      // Where the disk refuses, what is not recorded is fetched again after a kill.
      if isWritable { try? storage.part?.record(record) }
    }
  }

  /// Puts what came so far on the disk, so that a reboot does not cost it.
  ///
  /// Blocks on the disk; what comes meanwhile is not held up.
  func flush() {
    let (part, ranges, changes) = state.withLock { state in
      (state.storage.part, state.progress.ranges, state.changes)
    }
    // What does not reach the disk now is told when the whole file must.
    guard let part, (try? part.file.synchronize()) != nil else { return }
    state.withLock { if $0.changes == changes { $0.flushed = ranges } }
    keepRecord()
  }

  /// Leaves what came to whoever goes on with it: recorded, and unlocked.
  ///
  /// Blocks while bytes are written, for a moment.
  func release() {
    isWritable.withLock { isWritable in
      guard isWritable else { return }
      isWritable = false
      guard let part = storage.part else { return }
      // What is not recorded is fetched again.
      try? part.record(record)
      part.release()
    }
  }

  /// Removes what came: nobody may go on with it.
  func discard() {
    isWritable.withLock { isWritable in
      isWritable = false
      storage.part?.discard()
      storage.part?.release()
    }
  }
}

/// Whether two things that are both known differ.
private func differ<Value: Equatable>(_ one: Value?, _ other: Value?) -> Bool {
  if let one, let other { one != other } else { false }
}

extension OpenFile {
  /// Whether the file has exactly these bytes at `offset`.
  func holds(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) -> Bool {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
    defer { buffer.deallocate() }
    guard try read(into: buffer, at: offset) == bytes.count else { return false }
    guard let one = buffer.baseAddress, let other = bytes.baseAddress else { return true }
    return memcmp(one, other, bytes.count) == 0
  }
}
