import Glibc
import Storage
import TestSupport
import Testing

@Suite struct AtomicFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func `a file is replaced whole, with its mode, and no part is left`() throws {
    let path = folder.file("state")
    try AtomicFile.write([1, 2, 3], to: path, mode: 0o644)
    #expect(permissions(of: path) == 0o644)
    try AtomicFile.write([4], to: path, mode: 0o600)
    #expect(try Fixture.bytes(at: path) == [4])
    #expect(permissions(of: path) == 0o600)
    #expect(try Folder.names(in: folder.path) == ["state"])
  }

  @Test func `a destination that can't be taken leaves no part and names the file`() throws {
    let path = folder.file("taken")
    try Folder.create(path + "/inside")
    let error = #expect(throws: FileError.self) { try AtomicFile.write([1], to: path) }
    #expect(error?.operation == "rename")
    #expect(error?.path == path)
    #expect(try Folder.names(in: folder.path) == ["taken"])
  }

  @Test func `a missing folder is an error with its errno`() {
    #expect(throws: FileError.self) { try AtomicFile.write([], to: folder.file("no/file")) }
  }

  @Test func `a kill before the rename leaves the old file`() async throws {
    let path = folder.file("state")
    try AtomicFile.write([1], to: path)
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let part = AtomicFile.partPath(for: path)
      let file = try OpenFile(part, flags: O_RDWR | O_CREAT)
      try [UInt8]([9, 9]).withUnsafeBytes { try file.write($0, at: 0) }
      kill(getpid(), SIGKILL)
      try AtomicFile.rename(part, to: path)
    }
    #expect(try Fixture.bytes(at: path) == [1])
    #expect(try Folder.names(in: folder.path).count == 2)
  }
}

@Suite struct OpenFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func `bytes are read and written at offsets, short at the end`() throws {
    let file = try OpenFile(folder.file("data"), flags: O_RDWR | O_CREAT)
    try [UInt8](0..<100).withUnsafeBytes { try file.write($0, at: 50) }
    #expect(try file.length() == 150)
    var buffer = [UInt8](repeating: 7, count: 20)
    #expect(try buffer.withUnsafeMutableBytes { try file.read(into: $0, at: 140) } == 10)
    #expect(buffer == Array(90..<100) + [UInt8](repeating: 7, count: 10))
    #expect(try buffer.withUnsafeMutableBytes { try file.read(into: $0, at: 150) } == 0)
    try file.truncate(to: 3)
    #expect(try file.length() == 3)
  }

  @Test func `a missing file is told with its path and errno`() {
    let path = folder.file("none")
    #expect(throws: FileError(operation: "open", path: path, code: ENOENT)) { try OpenFile(path) }
  }
}

@Suite struct FileLockTests {
  @Test func `one holds the lock until it lets go`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("lock")
    do {
      let held = try FileLock(waitingFor: path)
      #expect(try FileLock(ifFree: path) == nil)
      withExtendedLifetime(held) {}
    }
    #expect(try FileLock(ifFree: path) != nil)
  }
}

@Suite struct SecretFileTests {
  @Test func `a file is made or kept, for its owner alone`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("secret")
    let old = umask(0)
    defer { umask(old) }
    try SecretFile.prepare(path)
    #expect(permissions(of: path) == 0o600)
    try Music.write([1, 2], to: path)
    chmod(path, 0o664)
    try SecretFile.prepare(path)
    #expect(permissions(of: path) == 0o600)
    #expect(try Fixture.bytes(at: path) == [1, 2])
  }

  @Test func `a folder that is missing is said`() throws {
    let path = try TemporaryFolder().file("no/secret")
    #expect(throws: FileError(operation: "open", path: path, code: ENOENT)) {
      try SecretFile.prepare(path)
    }
  }
}

@Suite struct FolderTests {
  @Test func `folders are made down to the last, private, and again without harm`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a/b/c")
    try Folder.create(path)
    try Folder.create(path)
    #expect(permissions(of: folder.file("a")) == 0o700)
    #expect(try Folder.names(in: folder.file("a/b")) == ["c"])
  }

  @Test func `a file in the way is named as no folder`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("file")
    try AtomicFile.write([], to: path)
    #expect(throws: FileError(operation: "mkdir", path: path, code: ENOTDIR)) {
      try Folder.create(path)
    }
  }

  @Test(arguments: [
    ("/a/b", "/a"), ("/a", "/"), ("/", "/"), ("a/b/", "a"), ("a", "."), ("/a/b/c", "/a/b"),
  ])
  func `the folder above`(path: String, above: String) {
    #expect(Folder.parent(of: path) == above)
  }
}
