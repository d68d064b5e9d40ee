import Glibc
import TestSupport
import Testing

/// What the program says to a command line, without a server.
@Suite(.timeLimit(.minutes(3))) struct CommandLineTests {
  @Test func `a file never takes the place of what was closed from the start`() async throws {
    let room = try await Room.ruler()
    for (closing, status, errors) in [
      (">&-", 71, "blastoise: cannot write to standard output: bad file descriptor\n"),
      ("2>&-", 0, ""), ("<&-", 0, ""), ("<&- 2>&-", 0, ""),
    ] {
      let program = try Program(
        ["-c", #""$1" channel list --server "$2" "# + closing, "sh", Program.path, room.url],
        program: "/bin/sh")
      let outcome = try await program.end()
      #expect(outcome.status == Int32(status), "\(closing)")
      #expect(outcome.errors == errors, "\(closing)")
      #expect(outcome.output.contains("Lobby") == (status == 0), "\(closing)")
    }
    await room.stop()
  }

  @Test func `events that can't be kept are said once, and it plays on`() async throws {
    let room = try await Room.ruler()
    let outcome = try await Program.run(room.listen("--events", "/dev/full", "--for", "2"))
    #expect(outcome.status == 0)
    #expect(outcome.errors == "warning: cannot write to /dev/full: no space left on device\n")
    #expect(outcome.output.contains("joined Lobby"))
    await room.stop()
  }

  @Test func `the version is one line`() async throws {
    let outcome = try await Program.run(["--version"])
    #expect(outcome.status == 0)
    #expect(outcome.output.wholeMatch(of: /blastoise \d+\.\d+\.\d+\n/) != nil)
    #expect(outcome.errors.isEmpty)
  }

  @Test(arguments: [["--help"], ["listen", "--help"], ["queue", "--help"]])
  func `help goes to standard output`(words: [String]) async throws {
    let outcome = try await Program.run(words)
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("usage: ") || outcome.output.contains("\nusage: "))
    #expect(outcome.errors.isEmpty)
  }

  /// A command line that makes no sense, and what must be said of it.
  static let mistakes: [(words: [String], said: [String])] = [
    (["lisen"], ["lisen", "listen"]),
    (["listen", "--outptu", "null"], ["--outptu", "--output"]),
    (["listen", "--output", "nowhere"], ["nowhere", "null", "wav:PATH"]),
    (["listen", "--output", "wav:"], ["wav:"]),
    (["listen", "--for", "soon"], ["--for", "soon"]),
    (["listen", "--volume", "101"], ["--volume", "100"]),
    (["listen", "--server", "ftp://x"], ["ftp"]),
    (["listen", "--server", "http://"], ["http://"]),
    (["listen", "--server", "http://u:geheim@x"], ["blastoise login"]),
    (["serve", "--cert", "x.pem"], ["--key"]),
    (["serve", "--port", "70000"], ["--port", "65535"]),
  ]

  @Test(arguments: mistakes)
  func `a command line that makes no sense is named, with a hint`(
    mistake: (words: [String], said: [String])
  ) async throws {
    let outcome = try await Program.run(mistake.words)
    #expect(outcome.status == 64)
    #expect(outcome.output.isEmpty)
    #expect((1...2).contains(outcome.complaints.count), "\(outcome.errors)")
    #expect(outcome.errors.hasPrefix("blastoise: "))
    for word in mistake.said { #expect(outcome.errors.contains(word)) }
    #expect(!outcome.errors.contains("geheim"))
  }

  @Test func `a failure under --json is one object on standard error`() async throws {
    let outcome = try await Program.run(["listen", "--json", "--output", "stdout"])
    #expect(outcome.status == 64)
    #expect(outcome.output.isEmpty)
    let lines = try JSONLine.lines(of: outcome.errors)
    #expect(lines.count == 1)
    let error = try #require(lines.first?["error"])
    #expect(error.keys == ["code", "message", "hint", "exit"])
    #expect(error["code"]?.text == "usage")
    #expect(error["hint"]?.text?.contains("--events") == true)
    #expect(error["exit"]?.number == 64)
  }

  @Test func `a music folder that is missing is named`() async throws {
    let outcome = try await Program.run(["serve", "/nowhere/music", "--port", "0"])
    #expect(outcome.status == 66)
    #expect(outcome.complaints.count == 1)
    #expect(outcome.errors.contains("/nowhere/music"))
  }

  @Test func `a port that is taken is named`() async throws {
    let room = try await Room([])
    let home = try TemporaryFolder()
    let outcome = try await Program.run(["serve", home.path, "--port", "\(room.port)"], home: home)
    #expect(outcome.status == 71)
    #expect(outcome.errors.contains("\(room.port)"))
    #expect(outcome.errors.contains("in use"))
    await room.stop()
  }

  /// What a shell does with the three descriptors, the status, and what is said.
  @Test(
    arguments: [
      (">&-", 71, "blastoise: cannot write to standard output: bad file descriptor\n"),
      ("2>&-", 0, ""), ("<&-", 0, ""), ("<&- >&- 2>&-", 71, ""),
      ("> /dev/full", 73, "blastoise: cannot write to standard output: no space left on device\n"),
    ] as [(String, Int32, String)])
  func `descriptors that are closed or full`(
    redirections: String, status: Int32, said: String
  ) async throws {
    let room = try await Room.ruler()
    let words = "exec \(Program.path) whoami --server \(room.url) \(redirections)"
    let outcome = try await Program(["-c", words], program: "/bin/sh").end()
    #expect(outcome.status == status)
    #expect(outcome.errors == said)
    await room.stop()
  }

  @Test func `without HOME the user's own home is meant`() async throws {
    let folder = String(cString: try #require(getpwuid(geteuid())?.pointee.pw_dir))
    let outcome = try await Program.run(
      ["config", "path"], variables: ["HOME": "", "XDG_CONFIG_HOME": ""])
    #expect(outcome.output == "\(folder)/.config/blastoise/blastoise.conf\n")
  }

  @Test func `verbose is which server, and twice each request`() async throws {
    let room = try await Room.ruler()
    let home = try TemporaryFolder()
    let once = try await Program.run(["whoami", "-v", "--server", room.url], home: home)
    #expect(once.errors == "server \(room.url) (--server)\n")
    let twice = try await Program.run(["whoami", "-vv", "--server", room.url], home: home)
    #expect(twice.output == once.output)
    let said = twice.errors.replacing(#/\d+ ms/#, with: "N ms").replacing(room.url, with: "URL")
    #expect(
      said == """
        server URL (--server)
        GET URL/api/status: 200, N ms
        GET URL/api/auth/me: 200, N ms

        """)
    await room.stop()
  }

  @Test func `the devices are listed, the outputs that are none among them`() async throws {
    let outcome = try await Program.run(["devices"])
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("wav:PATH"))
    let list = try await Program.run(["devices", "--json"])
    #expect(list.status == 0)
    #expect(try JSONLine.lines(of: list.output).first?["devices"] != nil)
  }
}
