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
    /// Waits for the gate after so many bytes.
    var pausesAfter: Int?

    static func whole(_ bytes: [UInt8]) -> Line {
      Line(bytes: bytes, promised: Int64(bytes.count))
    }
  }

  private let lines: [Line]
  private let count = Mutex(0)
  private let gate = AsyncStream.makeStream(of: Void.self)
  private let reached = AsyncStream.makeStream(of: Void.self)

  init(_ lines: Line...) {
    self.lines = lines
  }

  init(lines: [Line]) {
    self.lines = lines
  }

  /// How many fetches there were.
  var fetches: Int { count.withLock { $0 } }

  /// Lets a paused fetch go on.
  func open() { gate.continuation.yield() }

  /// Waits until a fetch pauses.
  func pause() async {
    for await _ in reached.stream { return }
  }

  func fetch(_ request: TrackRequest, into sink: any DownloadSink) async throws {
    let number = count.withLock { count in
      defer { count += 1 }
      return count
    }
    let line = lines[min(number, lines.count - 1)]
    if line.isRefused { throw Lost() }
    var answer = TrackAnswer(status: 200)
    answer.contentLength = line.promised.map(String.init)
    answer.contentType = "../evil\u{1B}[2J"
    sink.response(answer)
    var sent = 0
    while sent < line.bytes.count {
      var end = min(sent + 10_000, line.bytes.count)
      if let pause = line.pausesAfter, sent < pause { end = min(end, pause) }
      let goesOn = line.bytes[sent..<end].withUnsafeBytes { sink.receive($0) }
      guard goesOn else { throw CancellationError() }
      sent = end
      if sent == line.pausesAfter {
        reached.continuation.yield()
        for await _ in gate.stream { break }
        try Task.checkCancellation()
      }
    }
    if line.isLost { throw Lost() }
  }
}

/// Bytes that differ everywhere, the same for the same seed.
func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var random = SeededGenerator(seed: seed)
  return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
}
