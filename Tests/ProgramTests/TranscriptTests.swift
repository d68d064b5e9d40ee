import Glibc
import Storage
import TestSupport
import Testing

/// Every command's text, JSON, errors and exit codes, as Fixtures/transcripts holds them, replayed
/// by the built program against a room server.
@Suite(.timeLimit(.minutes(2))) struct TranscriptTests {
  static let names: [String] = {
    let names = (try? Folder.names(in: Fixture.path("transcripts"))) ?? []
    return names.filter { $0.hasSuffix(".txt") }
  }()

  @Test(arguments: names)
  func `what a transcript shows is what happens`(name: String) async throws {
    try await replay(try Transcript.fixture(name), path: Fixture.path("transcripts/\(name)"))
  }

  @Test(arguments: ["docs/tour.md", "docs/json.md"])
  func `what a page shows is what happens`(page: String) async throws {
    try await replay(try Transcript.page(page), path: "\(Fixture.root)/\(page)")
  }

  private func replay(_ transcript: Transcript, path: String) async throws {
    let stage = try await Stage(transcript.directives)
    var bindings = Bindings()
    var seen: [Int: [String]] = [:]
    for step in transcript.steps {
      let lines = try await stage.lines(of: bindings.filled(step.command))
      var isExpected = lines.count == step.expected.count
      for (expected, line) in zip(step.expected, lines) where isExpected {
        isExpected = bindings.match(expected, line)
      }
      if !isExpected { seen[step.line] = lines.map { bindings.hidden($0) } }
      let shown = lines.joined(separator: "\n")
      let wanted = step.expected.joined(separator: "\n")
      #expect(
        isExpected,
        "\(transcript.name):\(step.line): $ \(step.command)\n\(shown)\n--- expected\n\(wanted)")
    }
    await stage.end()
    if !seen.isEmpty, getenv("BLASTOISE_RECORD") != nil { try record(seen, in: path) }
  }

  /// Writes down what was seen where it was not as expected.
  private func record(_ seen: [Int: [String]], in path: String) throws {
    let text = String(decoding: try Fixture.bytes(at: path), as: UTF8.self)
    var lines: [String] = []
    var isReplaced = false
    let old = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    for (index, line) in old.enumerated() {
      let isStep = line.hasPrefix("$ ")
      // A blank line ends what a step printed.
      let isFence = line.hasPrefix("```")
      if isStep || line.hasPrefix("# ") || line.isEmpty || isFence { isReplaced = false }
      if !isReplaced { lines.append(line) }
      if isStep, let new = seen[index + 1] {
        lines += new
        isReplaced = true
      }
    }
    try Music.write(Array(lines.joined(separator: "\n").utf8), to: path)
  }
}
