import Storage
import TestSupport
import Testing

@testable import CommandLineFront

/// That every command stands in a transcript, for people and for programs.
@Suite struct TranscriptCoverageTests {
  /// What runs until it is stopped or depends on the machine is shown by tests of its own.
  private static let elsewhere: Set<CommandName> = [.demo, .serve, .listen, .devices]

  private static let lines: [String] = {
    let names = (try? Folder.names(in: Fixture.path("transcripts"))) ?? []
    return names.flatMap { name in
      let bytes = (try? Fixture.bytes("transcripts/\(name)")) ?? []
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }()

  @Test(arguments: CommandName.allCases.filter { !elsewhere.contains($0) })
  func `a transcript shows the command and its JSON`(name: CommandName) {
    let shown = Self.lines.filter {
      $0.hasPrefix("$ ") && $0.contains("blastoise \(name.rawValue)")
    }
    #expect(!shown.isEmpty)
    #expect(shown.contains { $0.contains("--json") })
  }

  @Test func `every key that a transcript shows is documented`() throws {
    let page = String(
      decoding: try Fixture.bytes(at: "\(Fixture.root)/docs/json.md"), as: UTF8.self)
    let keys = Self.lines.filter { $0.hasPrefix("{") || $0.hasPrefix("! {") }
      .flatMap { $0.matches(of: #/"(\w+)": /#).map { String($0.1) } }
    #expect(!keys.isEmpty)
    for key in Set(keys).subtracting(["error", "code", "message", "hint", "exit"]) {
      #expect(page.contains("`\(key)`"), "\(key)")
    }
  }
}
