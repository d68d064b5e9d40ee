import Testing

@testable import CommandLineFront

/// The help and the man page, against the table they are made from.
@Suite struct HelpTests {
  @Test(arguments: CommandTable.commands.map(\.name))
  func `each command has help with an example that works as it stands`(name: CommandName) throws {
    let spec = CommandTable.spec(name)
    for words in [["help"] + name.words, name.words + ["--help"], name.words + ["-h"]] {
      #expect(try ArgumentReader.read(words) == .help(.command(name)))
    }
    let help = Usage.text(.command(name))
    #expect(help.hasPrefix("usage: blastoise \(name.rawValue)"))
    #expect(help.contains("example:\n  \(spec.example)\n"))
    #expect(!spec.summary.hasSuffix("."))
    expectFit(help)
    // A pipe joins two of ours; what comes before the name of the program sets its environment.
    let commands = try spec.example.split(separator: "|").compactMap { part -> CommandName? in
      let words = try ShellWords.split(part).drop { $0 != "blastoise" }.dropFirst()
      guard case .run(let invocation) = try ArgumentReader.read(Array(words)) else { return nil }
      return invocation.command
    }
    #expect(commands.contains(name), "\(spec.example)")
  }

  @Test func `each noun has help that names its verbs`() throws {
    for noun in CommandTable.nouns where CommandName(rawValue: noun) == nil {
      for words in [["help", noun], [noun, "--help"]] {
        #expect(try ArgumentReader.read(words) == .help(.noun(noun)))
      }
      let help = Usage.text(.noun(noun))
      for verb in CommandTable.verbs(of: noun) { #expect(help.contains("\(noun) \(verb)")) }
      #expect(!CommandTable.summary(ofNoun: noun).isEmpty, "\(noun)")
      expectFit(help)
    }
    expectFit(Usage.text(.options))
  }

  private func expectFit(_ help: String, location: SourceLocation = #_sourceLocation) {
    for line in help.split(separator: "\n") {
      #expect(line.count <= 80, "\(line)", sourceLocation: location)
    }
  }

  @Test func `the overview names every command within 60 lines of 80 columns`() throws {
    let help = Usage.text(.program)
    let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 60)
    for line in lines { #expect(line.count <= 80, "\(line)") }
    for spec in CommandTable.commands {
      let words = spec.name.words
      let row = lines.firstIndex { $0.hasPrefix("  \(words[0]) ") }
      let place = try #require(row, "\(words[0])")
      // Verbs may go on in the lines below.
      let text = lines[place..<min(place + 4, lines.count)].joined(separator: " ")
      #expect(words.count == 1 || text.contains(words[1]), "\(spec.name.rawValue)")
    }
  }

  @Test func `the man page has every command, option, variable and status`() {
    let page = ManualPage.text.replacing("\\-", with: "-")
    for spec in CommandTable.commands {
      #expect(page.contains("\\fB\(spec.name.rawValue)\\fR"))
      for option in spec.options { #expect(page.contains("--\(option.name)"), "\(option.name)") }
    }
    for option in OptionSpec.global {
      #expect(page.contains("--\(option.name)"))
      if let variable = option.variable { #expect(page.contains(variable)) }
    }
    for status in CommandLineFront.ExitStatus.allCases {
      #expect(page.contains(".B \(status.rawValue)\n"))
    }
    // No text of the tables is taken for a request.
    let requests = [
      "\\\"", "ad", "nh", "TH", "SH", "SS", "TP", "PP", "B", "BR", "I", "RI", "RS", "RE",
    ]
    for line in page.split(separator: "\n") where line.hasPrefix(".") {
      #expect(requests.contains(String(line.dropFirst().prefix { $0 != " " })), "\(line)")
    }
  }
}
