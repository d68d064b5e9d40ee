package import Caching
import Codecs
package import RoomClient
import RoomProtocol
import Synchronization
import Transport

/// Gets a track's bytes for the player: from the cache, or from a download that still grows.
struct TrackLoader: Sendable {
  let cache: TrackCache
  /// The server in the cache's index: its address.
  let server: String

  /// The bytes of a track, at once, and the file where they are all on the disk; a download goes on
  /// behind.
  ///
  /// - Throws: when the track can be neither opened nor asked for.
  func source(for id: TrackID) async throws -> (any ByteSource, CachedFile?) {
    switch try await cache.entry(for: id, server: server) {
    case .file(let file): (try FileByteSource(path: file.path), file)
    case .download(let download): (DownloadByteSource(download.reader()), nil)
    }
  }
}

/// A track that is still being downloaded, as the decoder reads it: reads wait for the bytes.
final class DownloadByteSource: ByteSource {
  private let reader: DownloadReader

  init(_ reader: DownloadReader) { self.reader = reader }

  var length: Int64? { reader.length }

  var isComplete: Bool { reader.isComplete }

  var canJump: Bool { reader.canJump }

  /// Why the download failed, once it has.
  var failure: CacheError? { reader.download.failure }

  /// The share of the bytes that is here, nil where the length is not known.
  var progress: Double? {
    let progress = reader.download.progress
    if progress.isComplete { return 1 }
    return progress.expected.map { $0 > 0 ? Double(progress.received) / Double($0) : 0 }
  }

  /// How many parts a buffer bar has.
  static let segmentCount = 20

  /// How much of each of equal parts of the file is here, from 0 to 1.
  var segments: [Double] { reader.download.progress.segments(Self.segmentCount) }

  /// Whether bytes are on their way.
  var isRunning: Bool { !isComplete && failure == nil }

  func read(
    at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ByteSourceError) -> Int {
    do {
      return try reader.read(at: offset, into: buffer)
    } catch .cancelled {
      throw .cancelled
    } catch {
      throw .lost("\(reader.download.track)")
    }
  }

  func cancel() { reader.cancel() }
}

/// Fetches tracks for the cache by the room's API.
package final class APITrackFetcher: TrackFetcher {
  private let current: Mutex<RoomAPI>

  /// Fetches from the server of an API.
  package init(api: RoomAPI) { current = Mutex(api) }

  /// Takes the address where the server turned out to live.
  package func move(to api: RoomAPI) { current.withLock { $0 = api } }

  /// Sends one request, with `Range` and `If-Range` where a part is wanted.
  ///
  /// - Parameters:
  ///   - request: what to ask for.
  ///   - sink: receives the bytes, on the HTTP client's thread.
  /// - Throws: `RoomError`.
  package func fetch(_ request: TrackRequest, into sink: any DownloadSink) async throws {
    let api = current.withLock { $0 }
    var headers = HTTPHeaders()
    if let range = request.range {
      headers.add("Range", range)
      if let validator = request.validator { headers.add("If-Range", validator) }
    }
    let receiver = SinkReceiver(sink)
    do throws(RoomError) {
      _ = try await api.download(request.track, headers: headers, to: receiver)
    } catch {
      throw receiver.pageRefusal(Route.track(request.track)) ?? error
    }
    receiver.end()
  }
}

/// Hands a response's bytes on to the cache, on the HTTP client's thread.
///
/// A web page that stands in for a track is none of its bytes: the cache never hears of it.
private final class SinkReceiver: BodyReceiver {
  private enum Body {
    /// Declared as a page; what it is its beginning will show.
    case suspicious(TrackAnswer)
    case page
    case track
  }

  private let sink: any DownloadSink
  private let body = Mutex(Body.track)

  init(_ sink: any DownloadSink) { self.sink = sink }

  /// What to say of a download that was stopped because it was a page.
  func pageRefusal(_ route: Route) -> RoomError? {
    guard case .page = body.withLock({ $0 }) else { return nil }
    return .unexpected(operation: "\(route.method) \(route.path)", what: "a web page")
  }

  /// Hands on the head of an answer whose body was empty.
  func end() {
    if case .suspicious(let answer) = body.withLock({ $0 }) { sink.response(answer) }
  }

  func response(status: Int, headers: HTTPHeaders, contentLength: Int64?) {
    guard (200..<300).contains(status) || status == 416 else { return }
    var answer = TrackAnswer(status: status)
    let isPlain = headers["Transfer-Encoding"] == nil && headers["Content-Encoding"] == nil
    answer.contentLength = isPlain ? headers["Content-Length"] : nil
    answer.contentRange = headers["Content-Range"]
    answer.entityTag = headers["ETag"]
    answer.lastModified = headers["Last-Modified"]
    answer.date = headers["Date"]
    answer.contentType = headers["Content-Type"]
    if WebPage.isDeclared(answer.contentType) {
      body.withLock { $0 = .suspicious(answer) }
    } else {
      sink.response(answer)
    }
  }

  var isFull: Bool { sink.isFull }

  func data(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let (before, now) = body.withLock { body in
      let before = body
      if case .suspicious = body { body = WebPage.begins(bytes) ? .page : .track }
      return (before, body)
    }
    if case .page = now { return false }
    if case .suspicious(let answer) = before { sink.response(answer) }
    return sink.receive(bytes)
  }
}
