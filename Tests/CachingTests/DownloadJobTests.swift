import Glibc
import RoomProtocol
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Caching

@Suite(.timeLimit(.minutes(3))) struct DownloadJobTests {
  private let folder: TemporaryFolder
  private let key = TrackKey(server: "s", track: "a")
  private static let long = noise(2_000_000)
  private let bytes = Array(Self.long[..<500_000])

  init() throws {
    folder = try TemporaryFolder()
  }

  private func job(
    _ fetcher: ScriptedFetcher, room: (any DiskRoom)? = nil,
    for purpose: Download.Purpose = .playing
  ) throws -> DownloadJob {
    guard case .ours(let part, let record) = try PartFile.open(key, in: folder.path) else {
      throw CacheError.busy(track: "a")
    }
    let download = Download(
      track: "a", storage: DownloadStorage(part), from: record, for: purpose)
    return DownloadJob(download: download, fetcher: fetcher, room: room)
  }

  /// A part with some bytes of a file, as a killed process leaves it.
  private func leavePart(
    _ ranges: String, of bytes: [UInt8], expected: Int64? = 500_000, validator: String? = nil
  ) throws {
    guard case .ours(let part, _) = try PartFile.open(key, in: folder.path) else { return }
    var record = PartRecord()
    record.ranges = try #require(ByteRanges(text: ranges))
    record.expected = expected
    record.validator = validator
    for range in record.ranges.ranges {
      try bytes[Int(range.lowerBound)..<Int(range.upperBound)].withUnsafeBytes {
        try part.file.write($0, at: range.lowerBound)
      }
    }
    try part.record(record)
  }

  private func whole(_ job: DownloadJob) throws -> [UInt8] {
    try job.download.storage.file.readAll(limit: 2_000_000)
  }

  /// Reads one byte on a thread that may block.
  private func read(_ offset: Int64, of download: Download) async throws -> UInt8? {
    let reader = download.reader()
    return try await onThread {
      var byte: [UInt8] = [0]
      let count = try byte.withUnsafeMutableBytes { try reader.read(at: offset, into: $0) }
      return count == 1 ? byte[0] : nil
    }
  }

  // MARK: - Going on

  @Test func `a killed download goes on at its gap, by the validator`() async throws {
    try leavePart("0-100000,200000-300000", of: bytes, validator: "\"1\"")
    let fetcher = ScriptedFetcher(.parts(of: bytes, tag: "\"1\""))
    let job = try job(fetcher)
    let outcome = try await job.run()
    #expect(outcome.digest == ContentHash.digest(of: bytes))
    #expect(
      fetcher.requests == [
        TrackRequest("a", from: 100_000, to: 200_000, validator: "\"1\""),
        TrackRequest("a", from: 300_000, validator: "\"1\""),
      ])
  }

  @Test func `without a validator what joins two pieces is read twice`() async throws {
    try leavePart("0-100000,200000-300000", of: bytes)
    let fetcher = ScriptedFetcher(.parts(of: bytes))
    let job = try job(fetcher)
    #expect(try await job.run().digest == ContentHash.digest(of: bytes))
    #expect(
      fetcher.requests == [
        TrackRequest("a", from: 100_000 - 65_536, to: 265_536),
        TrackRequest("a", from: 300_000 - 65_536),
      ])
  }

  @Test(arguments: [true, false]) func `a file that changed meanwhile costs a restart`(
    hasTag: Bool
  ) async throws {
    let old = noise(500_000, seed: 2)
    try leavePart("0-100000,200000-300000", of: old, validator: hasTag ? "\"1\"" : nil)
    let fetcher = ScriptedFetcher(.parts(of: bytes, tag: hasTag ? "\"2\"" : nil))
    let job = try job(fetcher)
    #expect(try await job.run().digest == ContentHash.digest(of: bytes))
    #expect(try whole(job) == bytes)
  }

  @Test func `a file of another length costs a restart`() async throws {
    try leavePart("0-100000,200000-300000", of: bytes)
    let shorter = Array(bytes[..<250_000])
    let job = try job(ScriptedFetcher(.parts(of: shorter)))
    #expect(try await job.run().digest == ContentHash.digest(of: shorter))
  }

  @Test func `a file that has become shorter than the gap is asked for whole`() async throws {
    try leavePart("0-400000", of: bytes)
    let shorter = Array(bytes[..<50_000])
    let fetcher = ScriptedFetcher(.parts(of: shorter))
    let job = try job(fetcher)
    #expect(try await job.run().digest == ContentHash.digest(of: shorter))
    #expect(fetcher.requests.last?.range == nil)
  }

  @Test func `two versions that come by turns are no file`() async throws {
    let (one, two) = (noise(400_000, seed: 3), noise(400_000, seed: 4))
    let lines = (0..<6).map { number in
      ScriptedFetcher.Line.parts(
        of: number % 2 == 0 ? one : two, tag: "\"\(number % 2)\"", breaksAfter: 100_000)
    }
    let fetcher = ScriptedFetcher(lines[0], lines[1], lines[2], lines[3], lines[4], lines[5])
    let job = try job(fetcher)
    await #expect(throws: CacheError.self) { try await job.run() }
    // What is left is of one of them.
    let left = try #require(PartFile.listing(of: key, in: folder.path))
    let file = try OpenFile(left.path).readAll(limit: 200_000)
    #expect(left.bytes == 100_000)
    #expect(one.starts(with: file) || two.starts(with: file))
  }

  @Test func `a line that breaks again and again goes on where it was`() async throws {
    let fetcher = ScriptedFetcher(.parts(of: bytes, tag: "\"1\"", breaksAfter: 70_000))
    let job = try job(fetcher)
    #expect(try await job.run().digest == ContentHash.digest(of: bytes))
    #expect(fetcher.requests.map(\.start) == (0..<8).map { $0 * 70_000 })
  }

  @Test func `a line that brings next to nothing is tried once more and no oftener`() async throws {
    let fetcher = ScriptedFetcher(.parts(of: bytes, tag: "\"1\"", breaksAfter: 1000))
    let job = try job(fetcher)
    await #expect(throws: CacheError.self) { try await job.run() }
    #expect(fetcher.fetches == 2)
    #expect(PartFile.listing(of: key, in: folder.path)?.bytes == 2000)
    #expect(PartFile.listing(of: key, in: folder.path)?.isBusy == false)
  }

  @Test func `a server that ignores ranges is read from the start`() async throws {
    try leavePart("0-100000,200000-300000", of: bytes)
    let fetcher = ScriptedFetcher(.whole(bytes))
    let job = try job(fetcher)
    #expect(try await job.run().digest == ContentHash.digest(of: bytes))
    #expect(fetcher.fetches == 1)
    #expect(!job.download.progress.canJump)
  }

  @Test func `an answer that does not fit its range is asked for whole`() async throws {
    try leavePart("0-100000", of: bytes, expected: 1_000_000)
    var liar = ScriptedFetcher.Line.parts(of: bytes)
    // The part's length says a million, so does the head, but there are only half as many.
    liar.promised = 400_000
    let fetcher = ScriptedFetcher(liar, .whole(bytes))
    let job = try job(fetcher)
    #expect(try await job.run().digest == ContentHash.digest(of: bytes))
  }

  @Test func `a length of 2 to the 63rd is refused`() async throws {
    let fetcher = ScriptedFetcher(.init(bytes: bytes, promised: Int64.max))
    let job = try job(fetcher)
    await #expect {
      try await job.run()
    } throws: {
      if case CacheError.badAnswer(_, "Content-Length", _) = $0 { true } else { false }
    }
  }

  @Test(arguments: [nil, "\"1\""])
  func `parts of a file of unknown length are asked for to its end`(
    tag: String?
  ) async throws {
    try leavePart("0-100000", of: bytes, expected: nil, validator: tag)
    var line = ScriptedFetcher.Line.parts(of: bytes, tag: tag)
    line.promised = nil
    let fetcher = ScriptedFetcher(line)
    let job = try job(fetcher)
    #expect(try await job.run().digest == ContentHash.digest(of: bytes))
    #expect(fetcher.requests.count == 2)
  }

  @Test func `a part that is whole is asked nothing more`() async throws {
    try leavePart("0-500000", of: bytes)
    let fetcher = ScriptedFetcher(.parts(of: bytes))
    #expect(try await job(fetcher).run().digest == ContentHash.digest(of: bytes))
    #expect(fetcher.fetches == 0)
  }

  // MARK: - Where readers are

  @Test func `what a reader waits for is fetched first, then to the end, then from the start`()
    async throws
  {
    let long = Self.long
    let fetcher = ScriptedFetcher(
      .parts(of: long, tag: "\"1\"", pausesAfter: 20_000), .parts(of: long, tag: "\"1\""))
    let job = try job(fetcher)
    async let outcome = job.run()
    await fetcher.pause()
    #expect(try await read(1_500_000, of: job.download) == long[1_500_000])
    #expect(try await outcome.digest == ContentHash.digest(of: long))
    #expect(fetcher.requests.dropFirst().map(\.start) == [1_500_000, 20_000])
    #expect(fetcher.requests.last?.end == 1_500_000)
  }

  @Test func `nothing jumps where the server has no ranges`() async throws {
    let long = Self.long
    let fetcher = ScriptedFetcher(
      .init(bytes: long, promised: 2_000_000, pausesAfter: 20_000))
    let job = try job(fetcher)
    async let outcome = job.run()
    await fetcher.pause()
    async let far = read(1_500_000, of: job.download)
    try await eventually("it waits") { job.download.state.withLock { !$0.waiters.isEmpty } }
    fetcher.open()
    #expect(try await far == long[1_500_000])
    _ = try await outcome
    #expect(fetcher.fetches == 1)
  }

  @Test func `a wait past the end ends when the length is known`() async throws {
    let fetcher = ScriptedFetcher(.parts(of: bytes))
    let job = try job(fetcher)
    async let past = read(600_000, of: job.download)
    try await eventually("it waits") { job.download.state.withLock { !$0.waiters.isEmpty } }
    _ = try await job.run()
    #expect(try await past == nil)
    #expect(fetcher.fetches == 1)
  }

  @Test(arguments: UInt64(1)...25) func `whatever breaks, the file is right or there is none`(
    seed: UInt64
  ) async throws {
    var random = SeededGenerator(seed: seed)
    let bytes = noise(Int.random(in: 1...400_000, using: &random), seed: seed)
    let tag = Bool.random(using: &random) ? "\"1\"" : nil
    var lines = (0..<8).map { _ in
      var line = ScriptedFetcher.Line.parts(of: bytes, tag: tag)
      line.knowsRanges = Int.random(in: 0..<4, using: &random) > 0
      line.breaksAfter = Int.random(in: 1...200_000, using: &random)
      if Int.random(in: 0..<5, using: &random) == 0 { line.promised = nil }
      return line
    }
    lines.append(.parts(of: bytes, tag: tag))
    let fetcher = ScriptedFetcher(lines)
    let places = (0..<6).map { _ in Int64.random(in: 0..<Int64(bytes.count), using: &random) }
    for _ in 0..<20 {
      let job = try job(fetcher)
      let readers = Task {
        for place in places {
          let byte = try await read(place, of: job.download)
          #expect(byte == bytes[Int(place)], "seed \(seed)")
        }
      }
      let outcome = try? await job.run()
      _ = await readers.result
      guard let outcome else { continue }
      #expect(outcome.digest == ContentHash.digest(of: bytes), "seed \(seed)")
      #expect(try whole(job) == bytes, "seed \(seed)")
      return
    }
    Issue.record("never whole, seed \(seed)")
  }

  // MARK: - Room

  /// Room up to a limit.
  private final class Limit: DiskRoom {
    let hasPlenty = true
    let limit: Int64
    let asked = Mutex<[Int64]>([])

    init(_ limit: Int64) { self.limit = limit }

    func reserve(_ bytes: Int64, for track: TrackKey) async throws {
      asked.withLock { $0.append(bytes) }
      guard bytes <= limit else {
        throw FileError(operation: "reserve", path: "", code: ENOSPC)
      }
    }
  }

  @Test func `room is asked for the promised length`() async throws {
    let room = Limit(500_000)
    let job = try job(ScriptedFetcher(.parts(of: bytes)), room: room)
    _ = try await job.run()
    #expect(job.download.progress.isKept)
    #expect(room.asked.withLock { $0 } == [500_000])
  }

  @Test func `without room a track that plays goes on unkept`() async throws {
    let long = [UInt8](repeating: 7, count: 3_000_000)
    let job = try job(ScriptedFetcher(.parts(of: long)), room: Limit(1))
    #expect(try await job.run().digest == ContentHash.digest(of: long))
    #expect(!job.download.progress.isKept)
    #expect(try Folder.names(in: folder.path) == [])
  }

  @Test func `without room a track that is of use only if kept fails`() async throws {
    let job = try job(
      ScriptedFetcher(.parts(of: [UInt8](repeating: 7, count: 3_000_000))), room: Limit(1),
      for: .keeping)
    await #expect(throws: CacheError.self) { try await job.run() }
  }

  @Test func `an endless body takes no more than there is room for`() async throws {
    let room = Limit(20_000_000)
    let job = try job(
      ScriptedFetcher(.init(bytes: [UInt8](repeating: 7, count: 40_000_000))), room: room,
      for: .keeping)
    await #expect(throws: CacheError.self) { try await job.run() }
    #expect(job.download.progress.received < 20_000_000)
    #expect(room.asked.withLock { $0.count } >= 3)
  }

  // MARK: - Going first

  @Test func `what is for later waits while a playing track comes`() async throws {
    let (mine, other) = (PlayingLock(folder: folder.path), PlayingLock(folder: folder.path))
    #expect(!mine.isHeld)
    let fetcher = ScriptedFetcher(.parts(of: bytes, pausesAfter: 10_000))
    var job = try job(fetcher, for: .later)
    job.playing = mine
    let running = Task { [job] in try await job.run() }
    await fetcher.pause()
    other.hold(true)
    try await eventually("seen") { mine.isHeld }
    fetcher.open()
    try await Task.sleep(for: .milliseconds(20))
    #expect(job.download.progress.received == 10_000)
    // Wanted after all, it waits for nobody.
    job.download.purpose = .playing
    #expect(try await running.value.digest == ContentHash.digest(of: bytes))
    other.hold(false)
    try await eventually("seen") { !mine.isHeld }
  }
}
