import Caching
import Codecs
import PCM
import RoomClient
import RoomProtocol
import Storage
import Synchronization
import TestSupport
import Testing
import Transport

@testable import Listening

/// Joining in the middle of a track that has not come yet, over a slow line.
@Suite(.timeLimit(.minutes(3))) struct JoiningTests {
  @Test func `a track is joined far in without what lies before, and comes whole behind`()
    async throws
  {
    let bytes = try Fixture.bytes("audio/ruler.flac")
    // Three seconds for all of it: the jump comes first on a busy machine too.
    let server = try SlowServer(bytes, rate: 100_000)
    defer { server.stop() }
    let folder = try TemporaryFolder()
    let http = HTTPClient(configuration: TransportConfiguration(userAgent: "test"))
    defer { http.shutdown() }
    let api = RoomAPI(server: try ServerAddress("http://127.0.0.1:\(server.port)"), http: http)
    let cache = TrackCache(
      folder: folder.file("cache"), fetcher: APITrackFetcher(api: api))
    let (source, _) = try await TrackLoader(cache: cache, server: "s").source(for: "a")
    let target: FrameCount = 1_900_000
    let heard = try await reading(source, from: target)
    #expect(heard == target)
    try #require(server.starts.count >= 2)
    #expect(server.starts[1] > bytes.count * 8 / 10)
    let file = try await cache.file(for: "a", server: "s")
    #expect(try Fixture.bytes(at: file.path) == bytes)
    #expect(file.path.hasSuffix(ContentHash.digest(of: bytes).hex))
    // The first bytes were not sent again.
    #expect(server.starts.dropFirst().allSatisfy { $0 > 0 })
    await cache.close()
  }

  /// Decodes from a frame on, on a thread that may block; the number that the ruler's samples tell.
  private func reading(_ source: any ByteSource, from frame: FrameCount) async throws -> Int64 {
    try await onThread {
      let decoder = try DecoderRegistry.open(source: source)
      try decoder.seek(to: frame)
      var block: [Float] = [0, 0]
      var span = block.mutableSpan
      _ = try decoder.read(into: &span)
      return Ruler.frame(left: block[0], right: block[1])
    }
  }
}

/// Gives one file's ranges at so many bytes a second.
private final class SlowServer: Sendable {
  private final class Record: Sendable {
    let starts = Mutex<[Int]>([])
    let isOver = Atomic(false)
  }

  private let server: RawServer
  private let record: Record

  var port: Int { server.port }

  /// The first bytes of the ranges that were asked for, in order.
  var starts: [Int] { record.starts.withLock { $0 } }

  init(_ bytes: [UInt8], rate: Int) throws {
    let record = Record()
    self.record = record
    server = try RawServer { connection in
      while let head = connection.readHead() {
        guard let range = Self.range(in: head, of: bytes.count) else { return }
        record.starts.withLock { $0.append(range.lowerBound) }
        connection.write(
          "HTTP/1.1 206 Partial Content\r\nContent-Length: \(range.count)\r\nETag: \"a\"\r\n"
            + "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)\r\n\r\n"
        )
        var at = range.lowerBound
        while at < range.upperBound, !record.isOver.load(ordering: .relaxed) {
          let piece = min(4096, range.upperBound - at)
          connection.write(Array(bytes[at..<at + piece]))
          at += piece
          Pause.nanoseconds(piece * 1_000_000_000 / rate)
        }
      }
    }
  }

  func stop() {
    record.isOver.store(true, ordering: .relaxed)
    server.stop()
  }

  private static func range(in head: String, of size: Int) -> Range<Int>? {
    let prefix = "Range: bytes="
    guard let line = head.split(separator: "\r\n").first(where: { $0.hasPrefix(prefix) }) else {
      return nil
    }
    let bounds = line.dropFirst(prefix.count).split(
      separator: "-", omittingEmptySubsequences: false)
    guard bounds.count == 2, let first = Int(bounds[0]) else { return nil }
    return first..<(Int(bounds[1]).map { $0 + 1 } ?? size)
  }
}
