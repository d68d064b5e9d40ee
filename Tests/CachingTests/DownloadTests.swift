import Dispatch
import Glibc
import RoomProtocol
import Storage
import TestSupport
import Testing

@testable import Caching

@Suite(.timeLimit(.minutes(1))) struct DownloadTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func download() throws -> Download {
    Download(track: "a", storage: try .kept(in: folder.path))
  }

  private func append(_ bytes: [UInt8], to download: Download) throws {
    try bytes.withUnsafeBytes { try download.append($0) }
  }

  /// Reads on a thread that may block.
  private func read(_ reader: DownloadReader, at offset: Int64) async throws -> [UInt8] {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        var buffer = [UInt8](repeating: 0, count: 100)
        do {
          let count = try buffer.withUnsafeMutableBytes { try reader.read(at: offset, into: $0) }
          continuation.resume(returning: Array(buffer[..<count]))
        } catch {
          continuation.resume(throwing: error)
        }
      }
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
    download.setResponse(expected: 10, contentType: nil)
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
    let path = folder.file("track.part")
    try AtomicFile.write([1, 2, 3], to: path)
    // Opened for reading only, the file refuses to be written like a full disk does.
    let storage = DownloadStorage(file: try OpenFile(path), part: path)
    let download = Download(track: "a", storage: storage)
    #expect(download.progress.isKept)
    try append([1, 2, 3], to: download)
    #expect(!download.progress.isKept)
    #expect(download.keepingFailure is FileError)
    #expect(try await read(download.reader(), at: 0) == [1, 2, 3])
    #expect(try Folder.names(in: folder.path) == [])
  }
}
