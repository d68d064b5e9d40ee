import RoomProtocol
import Synchronization

/// Puts what one request brings into a download.
final class DownloadWriter: DownloadSink {
  private struct State {
    /// Where the answer's bytes belong; nil before it has come.
    var place: AnswerPlace?
    /// The next byte.
    var offset: Int64 = 0
    /// Whether the server has no such range.
    var isOutside = false
    /// Why the request was stopped by us.
    var refusal: CacheError?
  }

  let request: TrackRequest
  private let job: DownloadJob
  private let keeper: DownloadKeeper
  private let allowance: DownloadAllowance?
  private let state = Mutex(State())

  private var download: Download { job.download }

  /// The most that comes without a promised length where nothing is kept.
  private static let endless: Int64 = 1024 * 1024 * 1024

  init(
    _ request: TrackRequest, for job: DownloadJob, keeper: DownloadKeeper,
    allowance: DownloadAllowance?
  ) {
    self.request = request
    self.job = job
    self.keeper = keeper
    self.allowance = allowance
  }

  /// Whether the server had begun to answer: what failed afterwards is worth another try.
  var hasResponse: Bool { state.withLock { $0.place != nil } }

  /// Whether the server has no such range.
  var isOutside: Bool { state.withLock(\.isOutside) }

  /// Why the request was stopped by us; nil where the fetcher failed by itself.
  var refusal: CacheError? { state.withLock(\.refusal) }

  func response(_ answer: TrackAnswer) {
    state.withLock { state in
      guard answer.status != 416 else {
        state.isOutside = true
        return
      }
      do throws(CacheError) {
        let place = try place(of: answer)
        try download.respond(place, contentType: answer.contentType)
        state.place = place
        state.offset = place.start
        // Whoever makes room counts on what is still to come.
        download.keepRecord()
        allowance?.ask(for: place.length ?? place.start + DownloadAllowance.step)
      } catch {
        state.refusal = error
      }
    }
  }

  private func place(of answer: TrackAnswer) throws(CacheError) -> AnswerPlace {
    do throws(AnswerPlace.Nonsense) {
      return try AnswerPlace(answer, to: request)
    } catch {
      throw .badAnswer(track: download.track, header: error.header, value: error.value)
    }
  }

  var isFull: Bool {
    if let allowance, download.progress.isKept {
      if allowance.isExhausted(at: state.withLock(\.offset)) { return true }
    }
    return job.isHeldBack
  }

  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    state.withLock { state in
      guard state.refusal == nil, let place = state.place else { return false }
      do throws(CacheError) {
        try take(bytes, at: state.offset, of: place)
        state.offset += Int64(bytes.count)
        return true
      } catch {
        state.refusal = error
        return false
      }
    }
  }

  private func take(
    _ bytes: UnsafeRawBufferPointer, at offset: Int64, of place: AnswerPlace
  ) throws(CacheError) {
    if let failure = download.failure { throw failure }
    let next = offset + Int64(bytes.count)
    if let end = place.end, next > end {
      throw .wrongLength(
        track: download.track, promised: end - place.start, received: next - place.start)
    }
    try settleRoom(next, of: place)
    try download.take(bytes, at: offset, from: place.start)
    keeper.note(bytes.count)
  }

  /// Asks for more room, and obeys the answer.
  private func settleRoom(_ next: Int64, of place: AnswerPlace) throws(CacheError) {
    guard let allowance, download.progress.isKept else {
      guard place.length != nil || next <= Self.endless else {
        throw .wrongLength(track: download.track, promised: Self.endless, received: next)
      }
      return
    }
    if let refusal = allowance.refusal {
      guard download.purpose != .keeping else {
        throw refusal as? CacheError ?? .notKept(track: download.track)
      }
      try download.keepNoMore(because: refusal)
    } else if place.length == nil {
      allowance.askAhead(of: next)
    }
  }

  /// Checks what came once the fetcher has returned.
  func finish() throws(CacheError) {
    let state = state.withLock { $0 }
    if let refusal = state.refusal { throw refusal }
    // A success without a head is no answer at all.
    guard let place = state.place else { throw .notKept(track: download.track) }
    if let end = place.end {
      guard state.offset == end else {
        throw .wrongLength(
          track: download.track, promised: end - place.start, received: state.offset - place.start)
      }
    } else if let known = download.progress.ranges.ranges.last?.upperBound, known > state.offset {
      throw .wrongLength(track: download.track, promised: known, received: state.offset)
    }
    if place.length == nil, request.end == nil, !place.isPart || place.end == nil {
      download.setLength(state.offset)
    }
  }
}
