import RoomClient
import Storage
import TestSupport
import Testing

@testable import CommandLineFront

/// What `blastoise __complete` answers from what is kept on disk.
@Suite struct CompletionReplyTests {
  let folder: TemporaryFolder
  let reply: CompletionReply

  init() throws {
    folder = try TemporaryFolder()
    reply = CompletionReply(environment: [
      "XDG_STATE_HOME": folder.file("state"), "XDG_CACHE_HOME": folder.file("cache"),
      "XDG_CONFIG_HOME": folder.file("config"), "XDG_RUNTIME_DIR": folder.path,
    ])
  }

  private func words(_ arguments: String...) async -> [String] {
    await reply.lines(arguments).map { String($0.prefix { $0 != "\t" }) }
  }

  @Test func `names are those of the server that is meant`() async throws {
    let configuration = """
      server = home
      [server home]
      url = http://box:3001
      [server away]
      url = http://other

      """
    try folder.write("config/blastoise/blastoise.conf", configuration.utf8)
    let state = folder.file("state/blastoise")
    let box = try KnownNames(folder: state, server: ServerAddress("http://box:3001"))
    box.keep(.channels, ["Kitchen"])
    box.keep(.playlists, ["Evening", "two\nlines"])
    box.keep(.channels, ["Kitchen", "Den"])
    try KnownNames(folder: state, server: ServerAddress("http://other")).keep(.channels, ["Attic"])
    #expect(await words("--channel", "") == ["Den", "Kitchen"])
    #expect(await words("--server", "away", "--channel", "") == ["Attic"])
    #expect(await words("--server", "") == ["home", "away"])
    #expect(box.names(.playlists) == ["Evening", "twolines"])
    #expect(permissions(of: "\(state)/names/box%3A3001") == 0o600)
  }

  @Test func `to ask leaves nothing behind`() async throws {
    for words in [
      ["queue", "add", "har"], ["--channel", ""], ["--instance", ""], ["upload", ""],
    ] {
      _ = await reply.lines(words)
    }
    #expect(try Folder.names(in: folder.path).isEmpty)
  }

  @Test func `a word of bash is what follows its last break`() async throws {
    #expect(await words("--line", "blastoise listen --sync=t", "\"'=:") == ["tight"])
    #expect(await words("--line", "blastoise listen --sync=\"t", "\"'=:") == ["tight"])
    #expect(await words("--line", "blastoise ") == CommandTable.nouns + ["help"])
    #expect(await words("--line", "blasto").isEmpty)
    #expect(await words("--line", "").isEmpty)
    #expect(await words().first == "demo")
  }

  /// Words, and how bash has them typed: nothing in them acts.
  static let quoted: [(word: String, plain: String, double: String)] = [
    ("a-b_c.1/2:3=4@5%6+7,8", "a-b_c.1/2:3=4@5%6+7,8", "a-b_c.1/2:3=4@5%6+7,8"),
    ("$(id) `id`", #"\$\(id\)\ \`id\`"#, #"\$(id) \`id\`"#),
    ("a;b&c|d>e<f", #"a\;b\&c\|d\>e\<f"#, "a;b&c|d>e<f"),
    ("*?[x]{a,b}~#!", ##"\*\?\[x\]\{a,b\}\~\#\!"##, ##"*?[x]{a,b}~#"'!'""##),
    (#"it's "so" \"#, #"it\'s\ \"so\"\ \\"#, #"it's \"so\" \\"#),
    ("雪 é", #"雪\ é"#, "雪 é"),
  ]

  @Test(arguments: quoted)
  func `a word in bash means itself`(row: (word: String, plain: String, double: String)) {
    #expect(BashWord.typed(row.word, in: .none) == row.plain)
    #expect(BashWord.typed(row.word, in: .double) == row.double)
  }

  @Test func `each script asks the hidden command`() throws {
    for shell in CompletionScripts.shells {
      let script = try #require(CompletionScripts.script(for: shell))
      #expect(script.contains(CompletionReply.command))
    }
  }
}
