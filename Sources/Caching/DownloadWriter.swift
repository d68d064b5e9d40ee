import RoomProtocol
import Storage
import Synchronization

/// Puts what a fetcher brings into a download, and keeps its digests.
///
/// A second try begins at the first byte again: as far as the download had come, its bytes are
/// compared, since readers have them already; from there on they are added.
final class DownloadWriter: DownloadSink {
  private struct State {
    /// How far this try has come.
    var offset: Int64 = 0
    var hasResponse = false
    /// Why this try was stopped by us.
    var refusal: CacheError?
  }

  private let download: Download
  private let state = Mutex(State())
  // SAFETY: both are touched only while `state` is locked.
  nonisolated(unsafe) private let whole = ContentHash()
  // SAFETY: as above.
  nonisolated(unsafe) private let head = ContentHash()

  init(into download: Download) {
    self.download = download
  }

  /// Whether the server had begun to answer: what failed afterwards is worth another try.
  var hasResponse: Bool { state.withLock(\.hasResponse) }

  /// Why this try was stopped by us; nil where the fetcher failed by itself.
  var refusal: CacheError? { state.withLock(\.refusal) }

  /// The digest of all bytes.
  var digest: ContentDigest { state.withLock { _ in whole.digest() } }

  /// The digest of the first 64 KB.
  var headDigest: ContentDigest { state.withLock { _ in head.digest() } }

  /// Begins again at the first byte.
  func restart() {
    state.withLock {
      $0.offset = 0
      $0.hasResponse = false
      $0.refusal = nil
    }
  }

  /// Checks the number of bytes after the fetcher has returned.
  func checkLength() throws(CacheError) {
    let received = state.withLock(\.offset)
    let progress = download.progress
    if let promised = progress.expected, promised != received {
      throw .wrongLength(track: download.track, promised: promised, received: received)
    }
    // Without a promise a second try may end early too.
    if received < progress.received { throw .changed(track: download.track) }
  }

  func response(_ answer: TrackAnswer) {
    state.withLock { state in
      state.hasResponse = true
      do throws(AnswerPlace.Nonsense) {
        let place = try AnswerPlace(answer, to: TrackRequest(download.track))
        download.setResponse(expected: place.length, contentType: answer.contentType)
      } catch {
        state.refusal = .badAnswer(track: download.track, header: error.header, value: error.value)
      }
    }
  }

  var isFull: Bool { false }

  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    state.withLock { state in
      guard state.refusal == nil else { return false }
      do throws(CacheError) {
        if let failure = download.failure { throw failure }
        let known = try compare(bytes, at: state.offset)
        try append(UnsafeRawBufferPointer(rebasing: bytes[known...]))
        state.offset += Int64(bytes.count)
        return true
      } catch {
        state.refusal = error
        return false
      }
    }
  }

  /// Compares the bytes that the download has already, and returns how many those are.
  private func compare(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(CacheError) -> Int
  {
    let known = Int(max(0, min(Int64(bytes.count), download.progress.received - offset)))
    guard known > 0 else { return 0 }
    let agrees: Bool
    do throws(FileError) {
      agrees = try download.storage.file.holds(
        UnsafeRawBufferPointer(rebasing: bytes[..<known]), at: offset)
    } catch { throw .file(error) }
    guard agrees else { throw .changed(track: download.track) }
    return known
  }

  private func append(_ bytes: UnsafeRawBufferPointer) throws(CacheError) {
    guard !bytes.isEmpty else { return }
    let start = download.progress.received
    do throws(FileError) { try download.append(bytes) } catch { throw .file(error) }
    whole.update(bytes)
    let left = max(0, min(Int64(bytes.count), HeadCheck.length - start))
    head.update(UnsafeRawBufferPointer(rebasing: bytes[..<Int(left)]))
  }
}

extension OpenFile {
  /// Whether the file has exactly these bytes at `offset`.
  func holds(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) -> Bool {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
    defer { buffer.deallocate() }
    let count = try read(into: buffer, at: offset)
    return count == bytes.count && UnsafeRawBufferPointer(buffer).elementsEqual(bytes)
  }
}
