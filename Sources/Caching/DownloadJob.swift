import RoomProtocol
import Storage

/// What a download goes through: fetched piece by piece, begun again where that may help, held
/// against its id.
struct DownloadJob: Sendable {
  /// What came out of it.
  struct Outcome: Sendable {
    var digest: ContentDigest
    /// Whether the beginning matches the id; false as well where the id has no form to check.
    var isVerified: Bool
  }

  var download: Download
  var fetcher: any TrackFetcher
  /// Asked before anything is kept; nil where there is always room.
  var room: (any DiskRoom)?
  /// What tells that a playing track is being downloaded; nil where nothing is held back for it.
  var playing: PlayingLock?

  /// Whether it lets a playing track go first just now.
  var isHeldBack: Bool { download.purpose != .playing && playing?.isHeld == true }

  /// How many bytes make a try that broke off worth another.
  private static let progress: Int64 = 64 * 1024

  /// Fetches to the end; afterwards the download is complete, or has failed and let its part go.
  ///
  /// - Throws: the failure that the download has too.
  @concurrent
  func run() async throws(CacheError) -> Outcome {
    do throws(CacheError) {
      let keeper = DownloadKeeper(for: download)
      try await fetchAll(keeper)
      download.complete()
      let digest = try await keeper.digest()
      return Outcome(digest: digest, isVerified: try await check())
    } catch {
      download.fail(error)
      switch error {
      // What is wrong is no beginning for the next try.
      case .changed, .brokenLine, .noRoom: download.discard()
      case _ where download.progress.received == 0: download.discard()
      default: download.release()
      }
      throw error
    }
  }

  private func fetchAll(_ keeper: DownloadKeeper) async throws(CacheError) {
    let allowance = room.flatMap { room in
      download.storage.part.map { DownloadAllowance(room, for: $0.key) }
    }
    var hasAgreed = false
    var asksWhole = false
    var triesLeft = 1
    while let plan = download.plan(), let gap = plan.next {
      try await waitForTurn()
      let request =
        asksWhole
        ? TrackRequest(download.track)
        : TrackRequest(
          download.track, from: gap.start, to: gap.end == plan.length ? nil : gap.end,
          validator: download.record.validator)
      let writer = DownloadWriter(request, for: self, keeper: keeper, allowance: allowance)
      let before = download.progress.received
      do throws(CacheError) {
        guard try await fetch(writer), download.progress.received == before else { continue }
        guard !download.endsHere(request) else { continue }
        throw .wrongLength(
          track: download.track, promised: plan.length ?? before + 1, received: before)
      } catch {
        if download.failure != nil { throw error }
        if writer.isOutside, download.endsHere(request) { continue }
        // Whoever is held back for long is cut off, which is no sign of a bad line.
        if isHeldBack, writer.hasResponse { continue }
        hasAgreed = hasAgreed || writer.hasResponse
        if download.progress.received - before >= Self.progress { triesLeft = 1 }
        let isAboutRange = writer.isOutside || error.isBadAnswer
        if isAboutRange, !asksWhole {
          asksWhole = true
        } else {
          guard hasAgreed, triesLeft > 0, error.isWorthAnotherTry else { throw error }
          triesLeft -= 1
        }
      }
    }
    if let refusal = await allowance?.settled(), download.purpose == .keeping {
      throw refusal as? CacheError ?? .notKept(track: download.track)
    }
  }

  private func waitForTurn() async throws(CacheError) {
    while isHeldBack {
      guard (try? await Task.sleep(for: .milliseconds(250))) != nil else { throw .cancelled }
    }
  }

  /// Sends one request.
  ///
  /// - Returns: false where it was given up for another place.
  private func fetch(_ writer: DownloadWriter) async throws(CacheError) -> Bool {
    let (fetcher, request) = (fetcher, writer.request)
    let task = Task { try await fetcher.fetch(request, into: writer) }
    download.begin(at: request.start ?? 0, to: request.end) { task.cancel() }
    let result = await withTaskCancellationHandler {
      await task.result
    } onCancel: {
      task.cancel()
    }
    let wasGivenUp = download.endRun()
    if let failure = download.failure { throw failure }
    if wasGivenUp, writer.refusal == nil { return false }
    if case .failure(let error) = result { throw writer.refusal ?? described(error) }
    try writer.finish()
    return true
  }

  /// Holds the beginning against the id; where it does not match, against a second fetch of it.
  private func check() async throws(CacheError) -> Bool {
    guard let promised = HeadCheck.promisedDigest(of: download.track) else { return false }
    let file = download.storage.file
    do throws(FileError) {
      let head = try ContentHash.digest(of: file, limit: HeadCheck.length)
      if head.hex == promised { return true }
    } catch { throw .file(error) }
    let length = min(download.progress.received, HeadCheck.length)
    let second = HeadCheck(against: file, length: length)
    do {
      let isPart = download.progress.canJump && length > 0
      let request =
        isPart ? TrackRequest(download.track, from: 0, to: length) : TrackRequest(download.track)
      try await fetcher.fetch(request, into: second)
    } catch {
      // It stops by an error of the fetcher's when we have seen enough.
      guard second.isDone else { throw described(error) }
    }
    guard second.agrees else { throw .brokenLine(track: download.track) }
    return false
  }

  private func described(_ error: any Error) -> CacheError {
    if let failure = download.failure { return failure }
    return Task.isCancelled ? .cancelled : .fetch(track: download.track, error)
  }
}

extension CacheError {
  fileprivate var isWorthAnotherTry: Bool {
    switch self {
    case .fetch, .wrongLength: true
    default: false
    }
  }

  fileprivate var isBadAnswer: Bool { if case .badAnswer = self { true } else { false } }
}
