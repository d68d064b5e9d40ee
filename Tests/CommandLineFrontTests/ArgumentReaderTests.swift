import Testing

@testable import CommandLineFront

/// One command line and what becomes of it.
struct CommandLineRow: Sendable, CustomTestStringConvertible {
  var line: String
  var environment: [String: String] = [:]
  var command: CommandName = .listen
  var operands: [String] = []
  var values: [String: String] = [:]

  var testDescription: String { line }
  var words: [String] { line.split(separator: " ").map(String.init) }
}

@Suite struct ArgumentReaderTests {
  @Test(arguments: [
    CommandLineRow(line: "pause", command: .pause),
    CommandLineRow(line: "channel list", command: .channelList),
    CommandLineRow(line: "room list", command: .channelList),
    CommandLineRow(
      line: "--server http://a pause --json", command: .pause,
      values: ["server": "http://a", "json": "1"]),
    CommandLineRow(
      line: "pause --server=http://a=b", command: .pause, values: ["server": "http://a=b"]),
    CommandLineRow(line: "pause --room Lobby", command: .pause, values: ["channel": "Lobby"]),
    CommandLineRow(line: "seek -15", command: .seek, operands: ["-15"]),
    CommandLineRow(line: "seek -.5", command: .seek, operands: ["-.5"]),
    CommandLineRow(
      line: "seek +1:30 -q", command: .seek, operands: ["+1:30"], values: ["quiet": "1"]),
    CommandLineRow(line: "jump -- --odd -x", command: .jump, operands: ["--odd", "-x"]),
    CommandLineRow(line: "queue add -", command: .queueAdd, operands: ["-"]),
    CommandLineRow(line: "fetch ls", command: .fetchList),
    CommandLineRow(line: "fetch cancel list", command: .fetchCancel, operands: ["list"]),
    CommandLineRow(line: "fetch dQw4w9WgXcQ", command: .fetch, operands: ["dQw4w9WgXcQ"]),
    CommandLineRow(line: "-vv pause -v", command: .pause, values: ["verbose": "3"]),
    CommandLineRow(line: "-qv pause", command: .pause, values: ["quiet": "1", "verbose": "1"]),
    CommandLineRow(
      line: "listen Lobby --latency -20 --output wav:x --no-wait", operands: ["Lobby"],
      values: ["latency": "-20", "output": "wav:x", "no-wait": "1"]),
    CommandLineRow(
      line: "play around the world", command: .play, operands: ["around", "the", "world"]),
    CommandLineRow(line: "queue --json list", command: .queueList, values: ["json": "1"]),
    CommandLineRow(line: "pause --server a --server b", command: .pause, values: ["server": "b"]),
    CommandLineRow(
      line: "pause", environment: ["BLASTOISE_SERVER": "x", "BLASTOISE_CHANNEL": ""],
      command: .pause, values: ["server": "x"]),
    // What a script leaves empty is as good as not given.
    CommandLineRow(
      line: "pause --server= --timeout=", environment: ["BLASTOISE_SERVER": "x"],
      command: .pause, values: ["server": "x"]),
    CommandLineRow(line: "pause --server a --server=", command: .pause),
    CommandLineRow(
      line: "pause", environment: ["BLASTOISE_SERVER": " ", "BLASTOISE_TIMEOUT": "\t"],
      command: .pause),
    CommandLineRow(
      line: "channel edit 1 --description=", command: .channelEdit, operands: ["1"],
      values: ["description": ""]),
    CommandLineRow(
      line: "pause --server y", environment: ["BLASTOISE_SERVER": "x"], command: .pause,
      values: ["server": "y"]),
    CommandLineRow(
      line: "listen", environment: ["BLASTOISE_OUTPUT": "null", "BLASTOISE_FOR": "3"],
      values: ["output": "null"]),
    CommandLineRow(
      line: "pause", environment: ["BLASTOISE_JSON": "yes", "BLASTOISE_INSECURE": "0"],
      command: .pause, values: ["json": "1"]),
    CommandLineRow(
      line: "pause", environment: ["BLASTOISE_VERBOSE": "2"], command: .pause,
      values: ["verbose": "2"]),
  ])
  func `a command line is understood`(row: CommandLineRow) throws {
    let request = try ArgumentReader.read(row.words, environment: row.environment)
    guard case .run(let invocation) = request else {
      Issue.record("\(request)")
      return
    }
    #expect(invocation.command == row.command)
    #expect(invocation.operands == row.operands)
    #expect(invocation.values == row.values)
  }

  @Test(
    arguments: [
      ("pasue", "unknown command \"pasue\"", "did you mean pause?"),
      ("lsiten", "unknown command \"lsiten\"", "did you mean listen?"),
      ("frobnicate", "unknown command \"frobnicate\"", "blastoise --help lists all"),
      ("queue lst", "unknown command \"queue lst\"", "did you mean list?"),
      (
        "queue frobnicate", "unknown command \"queue frobnicate\"",
        "queue knows list, add, remove, move, set, crop, clear, shuffle, save"
      ),
      ("fetch lst", "unknown command \"fetch lst\"", "did you mean list?"),
      ("fetch cancle 1", "unknown command \"fetch cancle\"", "did you mean cancel?"),
      ("queue", "queue needs a command", "blastoise queue --help lists them"),
      ("--json", "no command", "blastoise --help lists all"),
      ("pause --sever x", "unknown option --sever", "did you mean --server?"),
      ("pause --output null", "unknown option --output", "it belongs to blastoise demo"),
      ("--for 5 demo", "unknown option --for", "options of a command stand after it"),
      ("pause -x", "unknown option -x", "blastoise pause --help shows how"),
      ("pause --server", "--server needs a value: --server URL", nil),
      ("pause --server --json", "--server needs a value: --server URL", nil),
      ("pause --json=1", "--json takes no value", nil),
      ("listen --sync loose", "--sync takes tight or reference, not \"loose\"", nil),
      ("seek", "seek needs POS", "usage: blastoise seek POS"),
      ("seek 1 2", "seek does not take \"2\"", "usage: blastoise seek POS"),
      (
        "login a hunter2", "login does not take \"hunter2\"",
        "usage: blastoise login [options] [USER]"
      ),
      (
        "login a --password hunter2", "a password is never an argument",
        "it is asked for; or --password-stdin, or BLASTOISE_PASSWORD"
      ),
      (
        "signup a -p", "a password is never an argument",
        "it is asked for; or --password-stdin, or BLASTOISE_PASSWORD"
      ),
      ("pau\u{1B}se", "unknown command \"pau\\x1bse\"", "did you mean pause?"),
    ] as [(String, String, String?)])
  func `a command line that makes no sense is told`(line: String, what: String, hint: String?) {
    let words = line.split(separator: " ").map(String.init)
    let error = #expect(throws: Diagnostic.self) { try ArgumentReader.read(words) }
    #expect(error == Diagnostic(.usage, what, hint: hint))
  }

  @Test(
    arguments: [
      ("--help", .help(.program)), ("help", .help(.program)), ("-h", .help(.program)),
      ("queue --help", .help(.noun("queue"))), ("help queue", .help(.noun("queue"))),
      ("seek --help", .help(.command(.seek))), ("help seek", .help(.command(.seek))),
      ("room list -h", .help(.command(.channelList))), ("--version", .version),
      ("pause --version", .version),
    ] as [(String, Request)])
  func `help and version need nothing else`(line: String, request: Request) throws {
    let words = line.split(separator: " ").map(String.init)
    #expect(try ArgumentReader.read(words) == request)
  }

  @Test func `a value that the environment gives wrongly is told by its name`() {
    let error = #expect(throws: Diagnostic.self) {
      try ArgumentReader.read(["listen"], environment: ["BLASTOISE_SYNC": "loose"])
    }
    #expect(error?.what == "BLASTOISE_SYNC takes tight or reference, not \"loose\"")
  }

  @Test func `numbers and times are checked against what they mean`() throws {
    var invocation = Invocation(
      command: .listen, values: ["volume": "50", "for": "1:30", "rate": "x", "buffer": "9"])
    #expect(try invocation.integer(.volume, in: 0...100) == 50)
    #expect(try invocation.integer(.latency, in: 0...100) == nil)
    #expect(try invocation.duration(.duration) == .seconds(90))
    #expect(throws: Diagnostic.usage("--rate takes a whole number from 1 to 2, not \"x\"")) {
      try invocation.integer(.rate, in: 1...2)
    }
    #expect(throws: Diagnostic.self) { try invocation.integer(.buffer, in: 10...20) }
    invocation.values["for"] = "soon"
    #expect(throws: Diagnostic.usage("--for takes a time such as 90 or 1:30, not \"soon\"")) {
      try invocation.duration(.duration)
    }
  }
}

@Suite struct CommandTableTests {
  @Test func `every command is in the table once`() {
    #expect(
      CommandTable.commands.map(\.name.rawValue).sorted()
        == CommandName.allCases.map(\.rawValue).sorted())
  }

  @Test func `no command's option hides a global one`() {
    let global = Set(OptionSpec.global.flatMap { [$0.name, $0.alias].compactMap(\.self) })
    for spec in CommandTable.commands {
      #expect(global.isDisjoint(with: spec.options.map(\.name)))
    }
  }
}

@Suite struct SpellingTests {
  @Test(arguments: [
    ("", "", 0), ("abc", "abc", 0), ("abc", "acb", 1), ("kitten", "sitting", 3), ("", "ab", 2),
  ])
  func `distance counts insertions, drops, changes and swaps`(a: String, b: String, distance: Int) {
    #expect(Spelling.distance(a, b) == distance)
    #expect(Spelling.distance(b, a) == distance)
  }
}
