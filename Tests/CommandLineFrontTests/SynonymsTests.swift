import Testing

@testable import CommandLineFront

@Suite struct SynonymsTests {
  @Test func `no word of another program takes the place of one of ours`() {
    for word in Synonyms.commands.keys {
      #expect(CommandName(rawValue: word) == nil, "\(word)")
      #expect(!CommandTable.nouns.contains(word), "\(word)")
    }
  }

  @Test(arguments: Synonyms.lines)
  func `a hint is a command line that is understood`(line: String) throws {
    switch try ArgumentReader.read(line.split(separator: " ").map(String.init)) {
    case .version, .help: break
    case .run(let invocation): #expect(line.contains(invocation.command.rawValue))
    }
  }

  @Test(arguments: [
    ("queue ls", CommandName.queueList), ("queue rm 1", .queueRemove), ("add x", .queueAdd),
    ("queue mv 1 --to 2", .queueMove), ("room ls", .channelList), ("rooms", .channelList),
    ("del 1", .queueRemove), ("skip", .next), ("vol +5", .volume), ("playlists", .playlistList),
    ("resume", .play),
  ])
  func `words that work are the command itself`(line: String, name: CommandName) throws {
    let words = line.split(separator: " ").map(String.init)
    guard case .run(let invocation) = try ArgumentReader.read(words) else {
      Issue.record("\(line) is no command")
      return
    }
    #expect(invocation.command == name)
  }

  @Test(arguments: [
    ("move 5 1", "here it is blastoise queue move 5 --to 1"),
    ("playlist", "blastoise playlist --help lists them; the queue is blastoise queue list"),
    ("config unset channel", "here it is blastoise config set KEY \"\""),
    ("config edit", "here it is blastoise config path"),
    ("--host here status", "here it is blastoise --server URL status"),
    // An option that a command has is the command's.
    ("serve --host", "--host needs a value: --host ADDRESS"),
  ])
  func `others are told`(line: String, told: String) {
    let words = line.split(separator: " ").map(String.init)
    let error = #expect(throws: Diagnostic.self) { try ArgumentReader.read(words) }
    #expect(error?.hint == told || error?.what == told, "\(String(describing: error))")
  }
}
