import Glibc
import RoomProtocol
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Caching

@Suite(.timeLimit(.minutes(3))) struct DownloadTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func download() throws -> Download {
    Download(track: "a", storage: try .temporary())
  }

  private func append(_ bytes: [UInt8], to download: Download) throws {
    try put(bytes, at: download.progress.ranges.prefix, in: download)
  }

  private func put(_ bytes: [UInt8], at offset: Int64, in download: Download) throws {
    try bytes.withUnsafeBytes { try download.take($0, at: offset, from: offset) }
  }

  private func respond(_ download: Download, length: Int64, start: Int64 = 0) throws {
    var answer = TrackAnswer(status: 206)
    answer.contentRange = "bytes \(start)-\(length - 1)/\(length)"
    let place = try AnswerPlace(answer, to: TrackRequest("a", from: start))
    try download.respond(place, contentType: nil)
  }

  /// Reads on a thread that may block.
  private func read(_ reader: DownloadReader, at offset: Int64) async throws -> [UInt8] {
    try await onThread {
      var buffer = [UInt8](repeating: 0, count: 100)
      let count = try buffer.withUnsafeMutableBytes { try reader.read(at: offset, into: $0) }
      return Array(buffer[..<count])
    }
  }

  @Test func `a read waits for its first byte and takes what is there`() async throws {
    let download = try download()
    try append([1, 2, 3], to: download)
    let reader = download.reader()
    #expect(try await read(reader, at: 1) == [2, 3])
    async let later = read(reader, at: 5)
    try append([4, 5], to: download)
    try append([6, 7], to: download)
    // Whichever piece came before the read began, the sixth byte is the first of it.
    #expect(try await later.first == 6)
  }

  @Test func `the end is told to those who wait for more`() async throws {
    let download = try download()
    try append([1], to: download)
    let reader = download.reader()
    #expect(reader.length == nil)
    async let past = read(reader, at: 1)
    download.complete()
    #expect(try await past == [])
    #expect(try await read(reader, at: 100) == [])
    #expect(reader.length == 1)
    #expect(reader.isComplete)
  }

  @Test func `a failure is told to those who wait, after what is there`() async throws {
    let download = try download()
    try respond(download, length: 10)
    try append([1], to: download)
    let reader = download.reader()
    #expect(reader.length == 10)
    let past = Task { try await read(reader, at: 1) }
    download.fail(.changed(track: "a"))
    await #expect(throws: CacheError.self) { try await past.value }
    #expect(try await read(reader, at: 0) == [1])
  }

  @Test func `cancelling one reader leaves the other waiting`() async throws {
    let download = try download()
    let (one, other) = (download.reader(), download.reader())
    let cancelled = Task { try await read(one, at: 0) }
    async let waiting = read(other, at: 0)
    one.cancel()
    await #expect(throws: CacheError.self) { try await cancelled.value }
    await #expect(throws: CacheError.self) { try await read(one, at: 0) }
    try append([9], to: download)
    #expect(try await waiting == [9])
  }

  @Test func `a disk that refuses in the middle moves the track to a temporary file`()
    async throws
  {
    let key = TrackKey(server: "s", track: "a")
    let path = PartFile.path(of: key, in: folder.path)
    try AtomicFile.write([1, 2, 3, 0, 0, 0, 0, 8, 9], to: path)
    // Opened for reading only, the file refuses to be written like a full disk does.
    let part = PartFile(
      key, try OpenFile(path), map: try OpenFile(folder.file("map"), flags: O_RDWR | O_CREAT),
      end: 0)
    var record = PartRecord()
    record.ranges = ByteRanges(0..<3)
    record.ranges.insert(7..<9)
    let download = Download(track: "a", storage: DownloadStorage(part), from: record)
    #expect(download.progress.isKept)
    try put([4, 5, 6, 7], at: 3, in: download)
    #expect(!download.progress.isKept)
    #expect(download.keepingFailure is FileError)
    #expect(try await read(download.reader(), at: 0) == [1, 2, 3, 4, 5, 6, 7, 8, 9])
    #expect(try Folder.names(in: folder.path) == ["map"])
  }

  @Test func `bytes are read where they are, and what lies between is waited for`() async throws {
    let download = try download()
    try respond(download, length: 10)
    try put([8, 9], at: 8, in: download)
    try put([0, 1], at: 0, in: download)
    let reader = download.reader()
    #expect(try await read(reader, at: 8) == [8, 9])
    #expect(try await read(reader, at: 10) == [])
    #expect(download.progress.segments(5) == [1, 0, 0, 0, 1])
    async let middle = read(reader, at: 4)
    try put([2, 3, 4, 5], at: 2, in: download)
    #expect(try await middle == [4, 5])
    #expect(download.progress.received == 8)
  }

  @Test func `a reader elsewhere ends the running request, one just ahead does not`() async throws {
    let download = try download()
    try respond(download, length: 10_000_000)
    let givenUp = Atomic(false)
    download.begin(at: 0, to: nil) { givenUp.store(true, ordering: .relaxed) }
    try put([0], at: 0, in: download)
    let (near, far) = (download.reader(), download.reader())
    async let soon = read(near, at: 100_000)
    try await eventually("one waits") { download.state.withLock { $0.waiters.count == 1 } }
    async let later = read(far, at: 5_000_000)
    try await eventually("two wait") { download.state.withLock { $0.waiters.count == 2 } }
    // Somebody still waits for what it brings.
    let isGivenUp = givenUp.load(ordering: .relaxed)
    #expect(!isGivenUp)
    try put([1], at: 100_000, in: download)
    #expect(try await soon == [1])
    try await eventually("given up") { givenUp.load(ordering: .relaxed) }
    #expect(download.endRun())
    #expect(download.plan()?.next?.start == 5_000_000)
    try put([2], at: 5_000_000, in: download)
    #expect(try await later == [2])
  }

  @Test func `who was given bytes of another version gets an error, who was not the new ones`()
    async throws
  {
    let download = try download()
    try put([1, 2, 3, 4], at: 0, in: download)
    try put([5, 6], at: 10, in: download)
    // Nobody has read them: the new version takes their place, the other range is asked for anew.
    try put([9, 9, 9], at: 0, in: download)
    #expect(download.progress.ranges.text == "0-3")
    let reader = download.reader()
    #expect(try await read(reader, at: 0) == [9, 9, 9])
    #expect(throws: CacheError.self) { try put([9, 9, 8], at: 0, in: download) }
  }

  @Test func `of an older version only what readers have is compared`() async throws {
    let download = try download()
    try respond(download, length: 10)
    try put([1, 2, 3, 4], at: 0, in: download)
    _ = try await read(download.reader(), at: 2)
    try respond(download, length: 9)
    #expect(download.progress.ranges.isEmpty)
    try put([7, 7, 3, 4, 5], at: 0, in: download)
    #expect(try await read(download.reader(), at: 0) == [7, 7, 3, 4, 5])
    try respond(download, length: 8)
    #expect(throws: CacheError.self) { try put([7, 7, 3, 0], at: 0, in: download) }
  }
}
