import RoomProtocol
import Storage

/// What a download goes through: fetched, begun again once where that may help, held against its id.
struct DownloadJob: Sendable {
  /// What came out of it.
  struct Outcome: Sendable {
    var digest: ContentDigest
    /// Whether the beginning matches the id; false as well where the id has no form to check.
    var isVerified: Bool
  }

  var download: Download
  var fetcher: any TrackFetcher

  /// Fetches to the end; afterwards the download is complete, or has failed.
  ///
  /// - Throws: the failure that the download has too.
  @concurrent
  func run() async throws(CacheError) -> Outcome {
    do throws(CacheError) {
      let writer = DownloadWriter(into: download)
      do throws(CacheError) {
        try await fetch(into: writer)
      } catch {
        guard writer.hasResponse, isWorthAnotherTry(error) else { throw error }
        writer.restart()
        try await fetch(into: writer)
      }
      download.complete()
      let isVerified = try await check(writer)
      return Outcome(digest: writer.digest, isVerified: isVerified)
    } catch {
      download.fail(error)
      throw error
    }
  }

  private func fetch(into writer: DownloadWriter) async throws(CacheError) {
    do {
      try await fetcher.fetch(TrackRequest(download.track), into: writer)
    } catch {
      throw writer.refusal ?? described(error)
    }
    if let refusal = writer.refusal { throw refusal }
    try writer.checkLength()
  }

  private func isWorthAnotherTry(_ error: CacheError) -> Bool {
    switch error {
    case .fetch, .wrongLength: true
    case .cancelled, .changed, .brokenLine, .badAnswer, .file, .notKept, .notHere, .noRoom: false
    }
  }

  private func check(_ writer: DownloadWriter) async throws(CacheError) -> Bool {
    guard let promised = HeadCheck.promisedDigest(of: download.track) else { return false }
    if writer.headDigest.hex == promised { return true }
    let second = HeadCheck(against: download.storage.file, length: download.progress.received)
    do {
      try await fetcher.fetch(TrackRequest(download.track), into: second)
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
