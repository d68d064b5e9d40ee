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
      lines((try? Fixture.bytes("transcripts/\(name)")) ?? [])
    }
  }()

  @Test(arguments: CommandName.allCases.filter { !elsewhere.contains($0) })
  func `a transcript shows the command`(name: CommandName) {
    #expect(Self.lines.contains { $0.hasPrefix("$ ") && $0.contains("blastoise \(name.rawValue)") })
  }

  private static let page = lines(
    (try? Fixture.bytes(at: "\(Fixture.root)/docs/json.md")) ?? [])

  private static func lines(_ bytes: [UInt8]) -> [String] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test(arguments: CommandName.allCases)
  func `docs/json.md has an example of the command, which is replayed`(name: CommandName) throws {
    let place = Self.page.firstIndex {
      $0.hasPrefix("$ ") && $0.contains("blastoise \(name.rawValue) ") && $0.contains("--json")
    }
    let shown = Self.page[try #require(place) + 1]
    #expect(shown.hasPrefix("{"), "\(shown)")
  }

  @Test func `every key that a transcript or the page shows is documented`() throws {
    let keys = (Self.lines + Self.page).filter { $0.hasPrefix("{") || $0.hasPrefix("! {") }
      .flatMap { $0.matches(of: #/"(\w+)": /#).map { String($0.1) } }
    #expect(!keys.isEmpty)
    let text = Self.page.filter { !$0.hasPrefix("{") }.joined(separator: "\n")
    for key in Set(keys).subtracting(["error", "code", "message", "hint", "exit"]) {
      #expect(text.contains("`\(key)`"), "\(key)")
    }
  }
}
