import Glibc
import RoomClient
import Storage
import TestSupport
import Testing
import Transport

@Suite struct SessionStoreTests {
  /// A folder for one test, removed after it.
  private func withFolder(_ body: (String) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    try await body(folder.file("sessions"))
    withExtendedLifetime(folder) {}
  }

  private func cookie(_ name: String, _ value: String, expires: Int = 0) throws -> Cookie {
    try #require(
      Cookie(netscapeLine: "#HttpOnly_example.org\tFALSE\t/\tTRUE\t\(expires)\t\(name)\t\(value)"))
  }

  private let server = try? ServerAddress("example.org")

  @Test func `a session comes back, for its owner alone`() async throws {
    let server = try #require(server)
    try await withFolder { folder in
      let old = umask(0o000)
      defer { umask(old) }
      let store = SessionStore(folder: folder)
      #expect(try await store.load(server).isEmpty)
      let session = try cookie("blastoise_session", "s3cret")
      try await store.save([session], of: server)
      #expect(permissions(of: folder) == 0o700)
      #expect(permissions(of: store.path(of: server)) == 0o600)
      #expect(permissions(of: store.path(of: server) + ".lock") == 0o600)
      #expect(try await SessionStore(folder: folder).load(server) == [session])
    }
  }

  @Test func `two processes keep each other's changes`() async throws {
    let server = try #require(server)
    try await withFolder { folder in
      let first = SessionStore(folder: folder)
      let second = SessionStore(folder: folder)
      try await first.save([cookie("a", "1"), cookie("b", "1")], of: server)
      _ = try await second.load(server)
      try await first.save([cookie("a", "2"), cookie("b", "1")], of: server)
      // The second has not seen a=2, changes b and adds c.
      let merged = try await second.save(
        [cookie("a", "1"), cookie("b", "3"), cookie("c", "1")], of: server)
      #expect(merged.map { "\($0.name)=\($0.value)" } == ["a=2", "b=3", "c=1"])
      // A logout removes what this one knows, also where the other has a newer value of it.
      #expect(try await second.save([], of: server, isWanted: true).isEmpty)
      #expect(try await SessionStore(folder: folder).load(server).isEmpty)
    }
  }

  /// What stood there, what we have, what another process wrote, and what stands there then.
  @Test(
    arguments: [
      ("", "guest", "", false, "guest"), ("", "guest", "ada", false, "ada"),
      ("", "ada", "guest", true, "ada"), ("old", "", "old", false, ""),
      ("old", "", "ada", false, "ada"), ("old", "", "ada", true, ""),
      ("old", "new", "other", false, "other"),
      ("old", "new", "", false, ""),
    ])
  func `what was wanted goes before what came by itself`(
    base: String, ours: String, theirs: String, isWanted: Bool, expected: String
  ) async throws {
    let server = try #require(server)
    let cookies = { (value: String) in
      value.isEmpty ? [] : [try cookie("blastoise_session", value)]
    }
    try await withFolder { folder in
      let (first, second) = (SessionStore(folder: folder), SessionStore(folder: folder))
      try await first.save(try cookies(base), of: server, isWanted: true)
      _ = try await second.load(server)
      try await first.save(try cookies(theirs), of: server, isWanted: true)
      let merged = try await second.save(try cookies(ours), of: server, isWanted: isWanted)
      #expect(merged.map(\.value) == (expected.isEmpty ? [] : [expected]))
      #expect(try await first.load(server) == merged)
    }
  }

  @Test func `an ended cookie is not loaded`() async throws {
    let server = try #require(server)
    try await withFolder { folder in
      let store = SessionStore(folder: folder)
      try await store.save([cookie("old", "1", expires: 1000), cookie("new", "1")], of: server)
      #expect(try await store.load(server).map(\.name) == ["new"])
    }
  }

  @Test func `a file that is no session is an error that keeps secrets`() async throws {
    let server = try #require(server)
    try await withFolder { folder in
      let store = SessionStore(folder: folder)
      try Folder.create(folder)
      let path = store.path(of: server)
      try AtomicFile.write(Array("# fine\n\nblastoise_session=s3cret\n".utf8), to: path)
      let error = await #expect(throws: SessionError.self) { try await store.load(server) }
      #expect(error == .malformed(path: path, line: 3))
      #expect(!String(describing: error).contains("s3cret"))
    }
  }

  @Test func `who signs in or out replaces a file that is no session`() async throws {
    let server = try #require(server)
    try await withFolder { folder in
      try Folder.create(folder)
      let session = try cookie("blastoise_session", "s3cret")
      for wanted in [[session], []] {
        let store = SessionStore(folder: folder)
        try AtomicFile.write(Array("broken\n".utf8), to: store.path(of: server))
        await #expect(throws: SessionError.self) { try await store.load(server) }
        await #expect(throws: SessionError.self) {
          try await store.save([session], of: server)
        }
        #expect(try await store.save(wanted, of: server, isWanted: true) == wanted)
        #expect(try await SessionStore(folder: folder).load(server) == wanted)
      }
    }
  }

  @Test func `a session that can't be opened is an error`() async throws {
    let server = try #require(server)
    try await withFolder { folder in
      let store = SessionStore(folder: folder)
      let path = store.path(of: server)
      try Folder.create(path)
      defer { rmdir(path) }
      let error = await #expect(throws: SessionError.self) { try await store.load(server) }
      #expect(error == .file(FileError(operation: "read", path: path, code: EISDIR)))
    }
  }

  @Test(arguments: [
    (["XDG_STATE_HOME": "/x", "HOME": "/h"], "/x/blastoise/sessions"),
    (["XDG_STATE_HOME": "", "HOME": "/h"], "/h/.local/state/blastoise/sessions"),
    (["XDG_STATE_HOME": "rel", "HOME": "/h"], "/h/.local/state/blastoise/sessions"),
  ])
  func `the folder follows the XDG rules`(environment: [String: String], folder: String) {
    #expect(SessionStore.standardFolder(environment) == folder)
  }
}
