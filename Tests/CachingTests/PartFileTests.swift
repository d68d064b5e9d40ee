import Glibc
import RoomProtocol
import Storage
import TestSupport
import Testing

@testable import Caching

struct PartFileTests {
  private let folder: TemporaryFolder
  private let key = TrackKey(server: "http://a", track: "../\u{0}\u{1B}\"x")

  init() throws {
    folder = try TemporaryFolder()
  }

  private func open(_ key: TrackKey) throws -> (PartFile, PartRecord)? {
    switch try PartFile.open(key, in: folder.path) {
    case .ours(let part, let record): (part, record)
    case .busy: nil
    }
  }

  private func record(_ ranges: String) throws -> PartRecord {
    var record = PartRecord()
    record.ranges = try #require(ByteRanges(text: ranges))
    record.expected = 1000
    record.validator = "\"tag\\\""
    record.contentType = "audio/x"
    return record
  }

  private func write(_ count: Int, to part: PartFile) throws {
    try [UInt8](repeating: 7, count: count).withUnsafeBytes { try part.file.write($0, at: 0) }
  }

  @Test func `what was recorded is there for the next, as far as the bytes are`() throws {
    let record = try record("0-100,200-300")
    do {
      let (part, fresh) = try #require(try open(key))
      #expect(fresh == PartRecord())
      try write(250, to: part)
      try part.record(self.record("0-10"))
      try part.record(record)
      #expect(try open(key) == nil)
      part.release()
    }
    let (_, again) = try #require(try open(key))
    #expect(again.ranges.text == "0-100,200-250")
    #expect(again.expected == 1000)
    #expect(again.validator == record.validator)
    #expect(again.contentType == "audio/x")
    let name = try #require(try Folder.names(in: folder.path).first)
    #expect(Hex.bytes(String(name.dropLast(4)))?.count == 32)
  }

  @Test func `a line that a kill cut short is passed over, and spoils no later one`() throws {
    let path = PartFile.path(of: key, in: folder.path)
    do {
      let (part, _) = try #require(try open(key))
      try write(300, to: part)
      try part.record(record("0-100"))
      try part.record(record("0-200"))
    }
    let map = try OpenFile(PartFile.mapPath(of: path), flags: O_RDWR)
    try map.truncate(to: map.length() - 3)
    do {
      let (part, record) = try #require(try open(key))
      #expect(record.ranges.text == "0-100")
      try part.record(self.record("0-300"))
    }
    #expect(try #require(try open(key)).1.ranges.text == "0-300")
  }

  @Test func `after a reboot only what was flushed counts`() throws {
    var lines = PartRecord.heading(key)
    var record = try record("0-500")
    record.flushed = ByteRanges(0..<100)
    lines += record.line(boot: "one")
    #expect(PartRecord.read(Array(lines.utf8), boot: "one")?.record.ranges.text == "0-500")
    let later = try #require(PartRecord.read(Array(lines.utf8), boot: "two"))
    #expect(later.record.ranges.text == "0-100")
    #expect(later.key == key)
    #expect(bootID.utf8.count == 36)
  }

  @Test func `a flush makes all bytes count that are there, but none of a changed file`() throws {
    let (part, _) = try #require(try open(key))
    let download = Download(track: key.track, storage: DownloadStorage(part))
    func afterReboot() throws -> String? {
      let text = try Fixture.bytes(at: PartFile.mapPath(of: part.path))
      return PartRecord.read(text, boot: "another")?.record.ranges.text
    }
    func put(_ bytes: [UInt8], at offset: Int64) throws {
      try bytes.withUnsafeBytes { try download.take($0, at: offset, from: offset) }
    }
    try put([1, 2, 3], at: 0)
    download.flush()
    try put([4, 5], at: 3)
    download.keepRecord()
    #expect(try afterReboot() == "0-3")
    try put([6, 7], at: 3)
    #expect(try afterReboot() == "")
  }

  @Test(arguments: ["", "x", "{}\n", "{\"server\": \"http://a\", \"id\": \"other\"}\n"])
  func `a part without a record of its own begins anew`(map: String) throws {
    let path = PartFile.path(of: key, in: folder.path)
    try AtomicFile.write([1, 2, 3], to: path)
    try AtomicFile.write(Array(map.utf8), to: PartFile.mapPath(of: path))
    let (part, record) = try #require(try open(key))
    #expect(record == PartRecord())
    #expect(try part.file.length() == 0)
  }

  @Test func `a planted link, folder or pipe is no way out`() throws {
    let path = PartFile.path(of: key, in: folder.path)
    try AtomicFile.write([1, 2, 3], to: folder.file("precious"))
    symlink(folder.file("precious"), path)
    symlink(folder.file("precious"), PartFile.mapPath(of: path))
    do {
      let (part, _) = try #require(try open(key))
      try write(10, to: part)
    }
    #expect(try Fixture.bytes(at: folder.file("precious")) == [1, 2, 3])
    unlink(path)
    link(folder.file("precious"), path)
    do {
      let (part, record) = try #require(try open(key))
      #expect(record.ranges.isEmpty)
      try write(10, to: part)
    }
    #expect(try Fixture.bytes(at: folder.file("precious")) == [1, 2, 3])
    unlink(path)
    mkfifo(path, 0o600)
    #expect(try open(key) != nil)
    unlink(path)
    mkdir(path, 0o700)
    #expect(throws: FileError.self) { try open(key) }
  }

  @Test func `parts are listed with what is there and whether somebody has them`() throws {
    let other = TrackKey(server: "http://b", track: "b")
    let (part, _) = try #require(try open(key))
    try write(300, to: part)
    try part.record(record("0-100,200-300"))
    do { _ = try open(other) }
    let list = try PartFile.list(in: folder.path)
    let mine = try #require(list.first { $0.key == key })
    #expect(mine.bytes == 200)
    #expect(mine.expected == 1000)
    #expect(mine.isBusy)
    #expect(list.first { $0.key == other }?.isBusy == false)
    #expect(list.count == 2)
    #expect(!PartFile.remove(part.path))
    part.release()
    #expect(PartFile.remove(part.path))
    #expect(try PartFile.list(in: folder.path).map(\.key) == [other])
  }

  @Test func `a sweep leaves parts that tell what they are, and those that are held`() throws {
    do { _ = try open(key) }
    let stray = TrackKey(server: "s", track: "stray")
    let (held, _) = try #require(try open(stray))
    unlink(PartFile.mapPath(of: held.path))
    let (one, other) = (String(repeating: "1", count: 64), String(repeating: "2", count: 64))
    for name in ["\(one).part", "\(other).map", "notes"] {
      try AtomicFile.write([1], to: folder.file(name))
    }
    try PartFile.sweep(folder.path)
    // What has no name of ours is not ours to remove.
    #expect(try Folder.names(in: folder.path).count == 4)
    held.release()
    try PartFile.sweep(folder.path)
    #expect(try PartFile.list(in: folder.path).map(\.key) == [key])
    #expect(try Folder.names(in: folder.path).count == 3)
  }
}
