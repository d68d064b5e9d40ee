import Foundation
import Glibc
import TestSupport
import Testing

@testable import CommandLineFront

@Suite struct UsersFileTests {
  private func text(_ path: String) throws -> String {
    String(decoding: try Fixture.bytes(at: path), as: UTF8.self)
  }

  private func status(_ path: String) -> stat {
    var status = stat()
    lstat(path, &status)
    return status
  }

  @Test func `a file that is there keeps its permissions, and a link stays one`() async throws {
    let folder = try TemporaryFolder()
    let (file, link) = (folder.file("list.m3u8"), folder.file("link"))
    try await UsersFile.write("one", to: file)
    chmod(file, 0o640)
    symlink("list.m3u8", link)
    try await UsersFile.write("two", to: link)
    #expect(try text(file) == "two")
    #expect(status(file).st_mode & 0o777 == 0o640)
    #expect(status(link).st_mode & S_IFMT == S_IFLNK)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
  }

  @Test func `a named pipe is written to, however late it is read`() async throws {
    let folder = try TemporaryFolder()
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    // More than a pipe holds.
    let long = String(repeating: "0123456789abcdef", count: 1 << 14)
    async let reading = Task.detached { try self.text(pipe) }.value
    try await UsersFile.write(long, to: pipe)
    #expect(try await reading == long)
    #expect(status(pipe).st_mode & S_IFMT == S_IFIFO)
  }

  @Test func `what can't be written is named`() async throws {
    let folder = try TemporaryFolder()
    for (path, code, why) in [
      (folder.path, FailureCode.badFile, "it is a folder"),
      (folder.file("no/list.m3u8"), .noFile, "no such file or directory"),
      ("", .noFile, "no such file or directory"),
    ] {
      let error = await #expect(throws: Diagnostic.self) {
        try await UsersFile.write("x", to: path)
      }
      #expect(error?.code == code)
      #expect(error?.why == why)
    }
  }
}
