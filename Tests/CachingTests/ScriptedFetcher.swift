import Caching
import RoomProtocol
import Synchronization
import TestSupport

/// A fetcher that plays a script: one line a fetch, the last one again and again.
final class ScriptedFetcher: TrackFetcher {
  struct Lost: Error, Equatable {}

  struct Line: Sendable {
    var bytes: [UInt8] = []
    /// What is promised; nil promises nothing.
    var promised: Int64?
    /// Fails before the server has agreed.
    var isRefused = false
    /// Fails after the last byte.
    var isLost = false
    /// Fails after so many bytes.
    var breaksAfter: Int?
    /// Waits for the gate after so many bytes.
    var pausesAfter: Int?
    /// Whether it gives parts, with the tag of the file, where there is one.
    var knowsRanges = false
    var tag: String?

    static func whole(_ bytes: [UInt8]) -> Line {
      Line(bytes: bytes, promised: Int64(bytes.count))
    }

    /// What a server with ranges has.
    static func parts(
      of bytes: [UInt8], tag: String? = nil, breaksAfter: Int? = nil, pausesAfter: Int? = nil
    ) -> Line {
      Line(
        bytes: bytes, promised: Int64(bytes.count), breaksAfter: breaksAfter,
        pausesAfter: pausesAfter, knowsRanges: true, tag: tag)
    }
  }

  private let lines: [Line]
  private let asked = Mutex<[TrackRequest]>([])
  private let gate = AsyncStream.makeStream(of: Void.self)
  private let reached = AsyncStream.makeStream(of: Void.self)

  init(_ lines: Line...) { self.lines = lines }

  init(_ lines: [Line]) { self.lines = lines }

  init(lines: [Line]) {
    self.lines = lines
  }

  /// How many fetches there were.
  var fetches: Int { requests.count }

  /// What was asked for.
  var requests: [TrackRequest] { asked.withLock { $0 } }

  /// Lets a paused fetch go on.
  func open() { gate.continuation.yield() }

  /// Waits until a fetch pauses.
  func pause() async {
    for await _ in reached.stream { return }
  }

  func fetch(_ request: TrackRequest, into sink: any DownloadSink) async throws {
    let number = asked.withLock { asked in
      asked.append(request)
      return asked.count - 1
    }
    let line = lines[min(number, lines.count - 1)]
    if line.isRefused { throw Lost() }
    let (answer, body) = line.answer(to: request)
    sink.response(answer)
    if answer.status == 416 { throw Lost() }
    var sent = 0
    while sent < body.count {
      while sink.isFull { try await Task.sleep(for: .milliseconds(1)) }
      var end = min(sent + 10_000, body.count)
      for stop in [line.pausesAfter, line.breaksAfter].compactMap({ $0 }) where sent < stop {
        end = min(end, stop)
      }
      try Task.checkCancellation()
      let goesOn = body[(body.startIndex + sent)..<(body.startIndex + end)].withUnsafeBytes {
        sink.receive($0)
      }
      guard goesOn else { throw CancellationError() }
      sent = end
      if sent == line.breaksAfter { throw Lost() }
      if sent == line.pausesAfter {
        reached.continuation.yield()
        for await _ in gate.stream { break }
        try Task.checkCancellation()
      }
    }
    if line.isLost { throw Lost() }
  }
}

extension ScriptedFetcher.Line {
  /// The head and the body for a request.
  fileprivate func answer(to request: TrackRequest) -> (TrackAnswer, ArraySlice<UInt8>) {
    var answer = TrackAnswer(status: 200)
    answer.contentType = "../evil\u{1B}[2J"
    answer.entityTag = tag
    let isOther = request.validator != nil && request.validator != tag
    guard knowsRanges, let start = request.start.map(Int.init), !isOther else {
      answer.contentLength = promised.map(String.init)
      return (answer, bytes[...])
    }
    guard start < bytes.count else { return (TrackAnswer(status: 416), []) }
    let end = min(request.end.map(Int.init) ?? bytes.count, bytes.count)
    answer.status = 206
    answer.contentRange = "bytes \(start)-\(end - 1)/\(promised.map(String.init) ?? "*")"
    return (answer, bytes[start..<end])
  }
}

/// Bytes that differ everywhere, the same for the same seed.
func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var random = SeededGenerator(seed: seed)
  return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
}
