import Caching
import Glibc
import RoomClient
import Storage
import TestSupport
import Testing
import Transport

@testable import CommandLineFront

@Suite struct SettingsTests {
  /// A configuration file in a folder of its own.
  private struct Home {
    let folder: TemporaryFolder
    var path: String { folder.file("config/blastoise/blastoise.conf") }

    init(_ text: String?) throws {
      folder = try TemporaryFolder()
      guard let text else { return }
      try Folder.create(Folder.parent(of: path))
      try AtomicFile.write(Array(text.utf8), to: path)
    }

    var environment: [String: String] {
      ["XDG_CONFIG_HOME": folder.file("config"), "XDG_STATE_HOME": folder.file("state")]
    }

    func invocation(
      _ line: String, _ more: [String: String] = [:]
    ) throws -> (Invocation, Settings) {
      let environment = environment.merging(more) { $1 }
      let words = line.split(separator: " ").map(String.init)
      guard case .run(let invocation) = try ArgumentReader.read(words, environment: environment)
      else { throw Diagnostic(.bug, "no command: \(line)") }
      let settings = Settings(invocation, environment: environment)
      if let problem = settings.problem { throw problem }
      return (try settings.completing(invocation), settings)
    }

    var text: String { get throws { String(decoding: try Fixture.bytes(at: path), as: UTF8.self) } }
  }

  private static let saved = """
    server = home
    output = kitchen
    timeout = 5
    [listen]
    volume = 40
    latency = 7
    output = kitchen
    [server home]
    url = http://10.0.0.3:3001/
    channel = Lobby
    cacert = ca.pem
    [server away]
    url = rooms.example.org
    cacert = ~/away.pem
    [output kitchen]
    sink = alsa:hw:1
    latency = 120
    """

  @Test(
    arguments: [
      (
        "listen", [:],
        [
          "server": "http://10.0.0.3:3001/", "channel": "Lobby", "output": "alsa:hw:1",
          "latency": "120", "volume": "40", "timeout": "5", "buffer": nil,
        ]
      ),
      ("listen --server away", [:], ["server": "rooms.example.org", "channel": nil]),
      ("listen --server https://rooms.example.org", [:], ["cacert": "/h/away.pem"]),
      ("listen --server http://10.0.0.3:3001", [:], ["channel": "Lobby"]),
      ("listen --server other", [:], ["server": "other", "channel": nil, "cacert": nil]),
      ("listen --channel Attic", [:], ["channel": "Attic"]),
      ("listen", ["BLASTOISE_SERVER": "away"], ["server": "rooms.example.org"]),
      ("listen", ["BLASTOISE_CHANNEL": "Attic"], ["channel": "Attic"]),
      ("listen", ["BLASTOISE_CHANNEL": ""], ["channel": "Lobby"]),
      ("listen --output null", [:], ["output": "null", "latency": "7"]),
      ("listen --output kitchen --latency 3", [:], ["output": "alsa:hw:1", "latency": "3"]),
      ("listen", ["BLASTOISE_LATENCY": "4"], ["latency": "4"]),
      ("pause", [:], ["channel": "Lobby", "volume": nil, "output": nil]),
      // Another command's option of the same name.
      ("playlist export P --output kitchen", [:], ["output": "kitchen"]),
    ] as [(String, [String: String], [String: String?])])
  func `the file completes a command line`(
    line: String, environment: [String: String], values: [String: String?]
  ) throws {
    let home = try Home(Self.saved)
    let (invocation, _) = try home.invocation(line, environment.merging(["HOME": "/h"]) { $1 })
    for (name, value) in values {
      #expect(invocation.values[name] == value, "\(name)")
    }
  }

  @Test func `a certificate lies beside the file`() throws {
    let home = try Home(Self.saved)
    let (invocation, _) = try home.invocation("pause")
    #expect(invocation[.cacert] == home.folder.file("config/blastoise/ca.pem"))
  }

  /// The command line, the environment, the chosen output's section, the general one, the standard.
  @Test(arguments: 0..<16)
  func `the nearest word counts`(bits: Int) throws {
    let places = ["flag", "variable", "own", "general"].enumerated().filter {
      bits >> $0.0 & 1 == 1
    }
    .map(\.1)
    let number = { (place: String) in places.contains(place) ? place.count : 0 }
    var file = "[listen]\noutput = k\n"
    if number("general") > 0 { file += "latency = \(number("general"))\n" }
    file += "[output k]\nsink = null\n"
    if number("own") > 0 { file += "latency = \(number("own"))\n" }
    let home = try Home(file)
    let environment = number("variable") > 0 ? ["BLASTOISE_LATENCY": "\(number("variable"))"] : [:]
    let flag = number("flag") > 0 ? " --latency \(number("flag"))" : ""
    let (invocation, settings) = try home.invocation("listen" + flag, environment)
    let expected = places.first.map(number) ?? 0
    #expect(try invocation.number(.latency) == expected)
    #expect(settings[.latency] == "\(expected)")
    let origin = try #require(settings.value(of: .latency)?.origin)
    switch places.first {
    case "flag": #expect(origin == .option("--latency"))
    case "variable": #expect(origin == .variable("BLASTOISE_LATENCY"))
    case "own":
      #expect(origin == .file(line: number("general") > 0 ? 6 : 5, key: "output.k.latency"))
    case "general": #expect(origin == .file(line: 3, key: "listen.latency"))
    default: #expect(origin == .standard)
    }
  }

  @Test(
    arguments: [
      (
        "[listen]\nvolume = loud",
        "line 2: listen.volume takes a whole number from 0 to 100, not \"loud\""
      ),
      (
        "[listen]\nvolume = 101",
        "line 2: listen.volume takes a whole number from 0 to 100, not \"101\""
      ),
      ("timeout = 0", "line 1: timeout takes a whole number from 1 to 86400, not \"0\""),
      ("[sync]\nmode = loose", "line 2: sync.mode takes tight or reference, not \"loose\""),
      (
        "[listen]\noutput = pulse",
        "line 2: listen.output takes alsa[:DEVICE], null, wav:PATH, stdout, pipe:PATH, not \"pulse\""
      ),
      (
        "[server home]\nurl = ftp://x",
        "line 2: server.home.url takes a server's address, not \"ftp://x\""
      ),
      (
        "server = \"a b\"",
        "line 1: server takes a server's address or the name of a saved one, not \"a b\""
      ),
      ("channel = \"a\u{1B}b\"", "line 1: channel takes one line of text, not \"a\\x1bb\""),
      ("# fine\nwhat", "line 2: it is neither a [section] nor key = value"),
      ("what\n[listen]\nvolume = x", "line 1: it is neither a [section] nor key = value"),
    ] as [(String, String)])
  func `a file that is wrong is told, with its line`(text: String, why: String) throws {
    let home = try Home(text)
    let error = #expect(throws: Diagnostic.self) { try home.invocation("pause") }
    #expect(error?.code == .config)
    #expect(error?.what == "cannot use the configuration in \(home.path)")
    #expect(error?.why == why)
  }

  @Test(
    arguments: [
      ([:], "", 4_000_000_000, nil), ([:], "max-size = 1.5G\nreserve = 10k", 1_500_000_000, 10_000),
      (["BLASTOISE_CACHE_MAX_SIZE": "0"], "max-size = 1G", 0, nil),
    ] as [([String: String], String, Int64, Int64?)])
  func `what the cache may take`(
    environment: [String: String], section: String, size: Int64, reserve: Int64?
  ) throws {
    let (_, settings) = try Home("[cache]\n\(section)\n").invocation("listen", environment)
    #expect(try settings.cacheLimits() == CacheLimits(maxSize: size, reserve: reserve))
  }

  @Test func `a file that can't be read is told`() throws {
    let home = try Home(nil)
    // None is as good as an empty one, unless somebody named it.
    #expect(try home.invocation("pause").0[.server] == nil)
    let missing = #expect(throws: Diagnostic.self) {
      try home.invocation("pause --config /nowhere/x.conf")
    }
    #expect(
      missing?.message
        == "cannot read the configuration in /nowhere/x.conf: no such file or directory")
    try Folder.create(home.path)
    let folder = #expect(throws: Diagnostic.self) { try home.invocation("pause") }
    #expect(folder?.message == "cannot read the configuration in \(home.path): is a directory")
    rmdir(home.path)
    try AtomicFile.write(
      Array("timeout = 5\nchannel = \u{E9}".unicodeScalars.map { UInt8($0.value) }), to: home.path)
    let text = #expect(throws: Diagnostic.self) { try home.invocation("pause") }
    #expect(text?.why == "line 2 is no UTF-8")
    #expect([missing, folder, text].allSatisfy { $0?.code == .config })
  }

  @Test func `a saved server without an address is told`() throws {
    let home = try Home("[server home]\nchannel = Lobby")
    let error = #expect(throws: Diagnostic.self) { try home.invocation("pause --server home") }
    #expect(error?.message == "server home has no url in \(home.path)")
    #expect(error?.hint == "blastoise config set server.home.url URL")
  }

  @Test func `an unknown key is a warning`() throws {
    let home = try Home(
      "volume = 3\n[listen]\nvolme = 4\nxyzzy = 5\n[server home]\nurl = a.b\nurll = b")
    let (invocation, settings) = try home.invocation("listen")
    #expect(invocation[.volume] == nil)
    #expect(
      settings.warnings == [
        "\(home.path), line 1: unknown key volume; did you mean listen.volume?",
        "\(home.path), line 3: unknown key listen.volme; did you mean listen.volume?",
        "\(home.path), line 4: unknown key listen.xyzzy",
        "\(home.path), line 7: unknown key server.home.urll; did you mean server.home.url?",
      ])
  }

  @Test func `the page lists every key with its option, variable and default`() throws {
    let page = String(
      decoding: try Fixture.bytes(at: "\(Fixture.root)/docs/configuration.md"), as: UTF8.self)
    for option in OptionSpec.settings {
      let start = "| `\(SettingKey(option))` | `--\(option.name)`, `\(option.variable ?? "")` |"
      let row = try #require(page.split(separator: "\n").first { $0.hasPrefix(start) }, "\(start)")
      if let standard = option.standard { #expect(row.hasSuffix("| `\(standard)` |")) }
      for word in option.choices ?? [] { #expect(row.contains("`\(word)`")) }
      if let range = option.range {
        #expect(row.contains("\(range.lowerBound) to \(range.upperBound) "))
      }
    }
    for scope in SettingKey.Scope.allCases {
      for option in scope.options { #expect(page.contains("`\(option.name)`")) }
    }
  }

  @Test(
    arguments: [
      ("hoem", "did you mean the saved server home?"), ("hoem.example", "as it was"),
      (
        "frobnicate",
        "no server is saved as frobnicate; blastoise config set server.frobnicate.url URL saves one"
      ),
    ])
  func `a host nobody knows may be a saved server`(text: String, hint: String) throws {
    let home = try Home(Self.saved)
    let context = try CommandContext(
      invocation: Invocation(command: .pause, values: ["server": text]), console: Console(),
      environment: home.environment)
    let unknown = Diagnostic(.noHost, "cannot reach it", hint: "as it was")
    #expect(context.explained(unknown).hint == hint)
    let other = Diagnostic(.unreachable, "cannot reach it", hint: "as it was")
    #expect(context.explained(other) == other)
  }

  @Test(arguments: [
    ("volum", "listen.volume"), ("server.home.ulr", "server.home.url"),
    ("server.home", "server.home.url"), ("output.k", "output.k.sink"),
    ("home.url", "server.home.url"), ("server.url", "server"), ("k.sink", "output.k.sink"),
    ("server.my home.url", nil), ("my home.url", nil), ("frobnicate", nil),
  ])
  func `a key that is none is nearest to`(text: String, key: String?) {
    #expect(SettingKey.nearest(to: text) == key)
  }

  @Test func `a timeout holds for what may take for ever, too`() throws {
    func transport(_ values: [String: String]) throws -> TransportConfiguration {
      try CommandContext(
        invocation: Invocation(command: .libraryRefresh, values: values), console: Console(),
        environment: try Home("").environment
      ).transport
    }
    for seconds in [2, 300] {
      let configuration = try transport(["timeout": "\(seconds)"])
      #expect(configuration.totalTimeout == .seconds(seconds))
      #expect(configuration.idleTimeout == .seconds(seconds))
      #expect(configuration.connectTimeout == .seconds(min(seconds, 10)))
    }
    #expect(try transport([:]).idleTimeout == .seconds(30))
  }

  @Test func `where a saved server has moved to is stored`() throws {
    let home = try Home("[server home]\nurl = http://rooms.example.org # mine\n")
    let (_, settings) = try home.invocation("pause --server home")
    settings.adopt(try ServerAddress("https://rooms.example.org"))
    #expect(try home.text == "[server home]\nurl = https://rooms.example.org  # mine\n")
    let (_, stranger) = try home.invocation("pause --server other")
    stranger.adopt(try ServerAddress("https://other"))
    #expect(try home.text == "[server home]\nurl = https://rooms.example.org  # mine\n")
  }

  @Test func `a value is saved where it is read`() throws {
    let home = try Home(Self.saved)
    let (_, settings) = try home.invocation("pause")
    #expect(try settings.save(.volume, "55").description == "listen.volume")
    #expect(try settings.save(.latency, "-30").description == "output.kitchen.latency")
    let (invocation, _) = try home.invocation("listen")
    #expect(invocation[.volume] == "55")
    #expect(invocation[.latency] == "-30")
    let error = #expect(throws: Diagnostic.self) { try settings.save(.volume, "200") }
    #expect(error == .usage("listen.volume takes a whole number from 0 to 100, not \"200\""))
    #expect(try home.invocation("listen").0[.volume] == "55")
  }

  @Test func `the first save makes the file, for everybody to read`() throws {
    let home = try Home(nil)
    let (_, settings) = try home.invocation("pause")
    try settings.save(.volume, "55")
    #expect(permissions(of: home.path) == 0o644)
    #expect(try home.text.contains("#volume = 100\nvolume = 55\n"))
    #expect(try home.invocation("listen").0[.volume] == "55")
  }

  @Test func `a link and the rights stay`() throws {
    let home = try Home(nil)
    let real = home.folder.file("dotfiles.conf")
    try Folder.create(Folder.parent(of: home.path))
    try AtomicFile.write(Array("# mine\n".utf8), to: real, mode: 0o640)
    #expect(symlink(real, home.path) == 0)
    let (_, settings) = try home.invocation("pause")
    try settings.save(.timeout, "9")
    #expect(String(decoding: try Fixture.bytes(at: real), as: UTF8.self) == "timeout = 9\n# mine\n")
    #expect(permissions(of: real) == 0o640)
    var status = stat()
    #expect(lstat(home.path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
  }

  @Test func `changes at once all stay`() async throws {
    let home = try Home(nil)
    let (_, settings) = try home.invocation("pause")
    await withTaskGroup { group in
      for number in 0..<8 {
        group.addTask {
          let key = SettingKey(.savedURL, of: "s\(number)", .server)
          try? settings.save(key, "http://10.0.0.\(number)")
        }
      }
    }
    let (_, now) = try home.invocation("pause")
    #expect(now.names(.server).sorted() == (0..<8).map { "s\($0)" })
  }
}
