import TestSupport
import Testing

@testable import CommandLineFront

@Suite struct ConfigurationTextTests {
  @Test(
    arguments: [
      ("", []),
      ("# nothing\n\n   \n", []),
      ("server = home", ["1 server=home"]),
      ("server=home\n", ["1 server=home"]),
      ("  timeout  =  5  ", ["1 timeout=5"]),
      ("[listen]\nvolume = 40\n[sync]\nmode = tight", ["2 listen.volume=40", "4 sync.mode=tight"]),
      ("[server home]\nurl = http://box:3001", ["2 server.home.url=http://box:3001"]),
      ("[server \"home\"] # mine\nurl = a", ["2 server.home.url=a"]),
      ("channel = Lobby # the big one", ["1 channel=Lobby"]),
      ("channel = Room#2", ["1 channel=Room#2"]),
      ("channel = \"Room #2\" # two", ["1 channel=Room #2"]),
      ("channel = \"say \\\"hi\\\" \\\\\"", ["1 channel=say \"hi\" \\"]),
      ("channel = \" a \"", ["1 channel= a "]),
      ("channel =", ["1 channel="]),
      ("channel = # none", ["1 channel="]),
      ("url = http://x/?a=b", ["1 url=http://x/?a=b"]),
      ("volume = 1\nvolume = 2", ["1 volume=1", "2 volume=2"]),
      (
        "\u{FEFF}timeout = 5\r\n[listen]\r\nvolume = 40\r\n", ["1 timeout=5", "3 listen.volume=40"]
      ),
      ("channel = Café — Ünïcode", ["1 channel=Café — Ünïcode"]),
      ("odd.key = 1", ["1 odd.key=1"]),
      ("hello", ["1 ! it is neither a [section] nor key = value"]),
      ("[listen\nvolume = 1", ["1 ! the section has no ]", "2 volume=1"]),
      ("[]", ["1 ! a section is [WORD] or [WORD NAME], in letters, digits, - and _"]),
      ("[a b c]", ["1 ! a section is [WORD] or [WORD NAME], in letters, digits, - and _"]),
      ("[server my.box]", ["1 ! a section is [WORD] or [WORD NAME], in letters, digits, - and _"]),
      (
        "[listen] volume = 1",
        ["1 ! a section is [WORD] or [WORD NAME], in letters, digits, - and _"]
      ),
      ("= 5", ["1 ! \"\" is no key"]),
      ("my key = 5", ["1 ! \"my key\" is no key"]),
      ("\u{1B}[2J x = 5", ["1 ! \"\\x1b[2J x\" is no key"]),
      ("channel = \"open", ["1 ! the quotes do not end"]),
      ("channel = \"a\" b", ["1 ! text follows the quotes"]),
    ] as [(String, [String])])
  func `a file says what its lines say`(text: String, said: [String]) {
    let file = ConfigurationText(text)
    let entries = file.entries.map { ($0.line, "\($0.line) \($0.key)=\($0.value)") }
    let flaws = file.flaws.map { ($0.line, "\($0.line) ! \($0.reason)") }
    #expect((entries + flaws).sorted { $0.0 < $1.0 }.map(\.1) == said)
  }

  @Test(
    arguments: [
      ("", "timeout", "5", "timeout = 5\n"),
      ("timeout = 9 # long\n", "timeout", "5", "timeout = 5  # long\n"),
      ("timeout = 1\ntimeout = 2\n", "timeout", "5", "timeout = 1\ntimeout = 5\n"),
      ("[listen]\nvolume = 1\n", "timeout", "5", "timeout = 5\n[listen]\nvolume = 1\n"),
      (
        "# a\n#timeout = 60\n\n[listen]\n", "timeout", "5",
        "# a\n#timeout = 60\ntimeout = 5\n\n[listen]\n"
      ),
      (
        "[listen]\n#volume = 100\n# x\n", "listen.volume", "5",
        "[listen]\n#volume = 100\nvolume = 5\n# x\n"
      ),
      (
        "[listen]\nrate = 48000\n\n# sync\n[sync]\n", "listen.volume", "5",
        "[listen]\nrate = 48000\nvolume = 5\n\n# sync\n[sync]\n"
      ),
      (
        "odd\nx = y", "server.home.url", "http://a", "odd\nx = y\n\n[server home]\nurl = http://a\n"
      ),
      (
        "[server home]\nurl = a\n", "server.home.channel", "R #2",
        "[server home]\nurl = a\nchannel = \"R #2\"\n"
      ),
      ("[listen]\nvolume = 1\n", "listen.volume", "", "[listen]\n"),
      ("timeout = 1\ntimeout = 2\n", "timeout", "", ""),
      ("a = 1\n[server home]\nurl = a\n\n[sync]\n", "server.home.url", "", "a = 1\n[sync]\n"),
      ("[server home]\n# mine\nurl = a\n", "server.home.url", "", "[server home]\n# mine\n"),
      ("[listen]\n", "listen.volume", "", "[listen]\n"),
    ] as [(String, String, String, String)])
  func `a change leaves the other lines`(
    before: String, key: String, value: String, after: String
  ) throws {
    var file = ConfigurationText(before)
    let key = try #require(SettingKey(inFile: key))
    if value.isEmpty { file.remove(key) } else { file.set(key, to: value) }
    #expect(file.text == after)
    #expect(file == ConfigurationText(after))
  }

  @Test(arguments: 0..<50)
  func `whatever stood there, a value set is the value read`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "", "# c", "odd", "[listen]", "[sync]", "[server home]", "[output k]", "volume = 1",
      "#volume = 100", "url = \"a b\" # c", "x =", "mode = tight", "  channel = q",
    ]
    let keys = ["timeout", "listen.volume", "sync.mode", "server.home.url", "output.k.sink"]
    let values = ["1", "a b", " edge ", "a # b", "\"q\"", "back\\slash", "日本", "=", "#"]
    let count = Int.random(in: 0..<20, using: &random)
    let lines = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }
    var file = ConfigurationText(lines.joined(separator: "\n"))
    let before = file
    var expected = Dictionary(file.entries.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
    for _ in 0..<5 {
      let key = try #require(SettingKey(inFile: keys.randomElement(using: &random) ?? ""))
      let value = values.randomElement(using: &random) ?? ""
      file.set(key, to: value)
      expected[key.description] = value
      let now = Dictionary(file.entries.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
      #expect(now == expected)
      #expect(file.flaws.map(\.reason) == before.flaws.map(\.reason))
    }
    for name in keys {
      let key = try #require(SettingKey(inFile: name))
      file.remove(key)
      #expect(!file.entries.contains { $0.key == name })
    }
  }

  @Test func `a new file documents every key and sets none`() throws {
    let template = ConfigurationText(ConfigurationTemplate.text)
    #expect(template.entries.isEmpty)
    #expect(template.flaws.isEmpty)
    for option in OptionSpec.settings {
      let key = SettingKey(option)
      var file = template
      file.set(key, to: "x")
      // The line stands directly behind the one that documents it.
      let lines = file.text.split(separator: "\n").map(String.init)
      let place = try #require(lines.firstIndex(of: "\(key.word) = x"))
      #expect(lines[place - 1].hasPrefix("#\(key.word) = "), "\(key)")
      #expect(lines[place - 2].hasPrefix("# ") && lines[place - 2].contains("--\(option.name)"))
      #expect(file.entries.map(\.key) == [key.description])
    }
    for scope in SettingKey.Scope.allCases {
      for option in scope.options {
        #expect(
          ConfigurationTemplate.text.contains("#\(option.name) = "), "\(scope) \(option.name)")
      }
    }
  }

  @Test(
    arguments: [
      ("volume", "listen.volume"), ("listen.volume", "listen.volume"), ("sync", "sync.mode"),
      ("server", "server"), ("server.home.url", "server.home.url"),
      ("output.k.latency", "output.k.latency"), ("server.home.volume", nil),
      ("output.k.url", nil), ("server.a.b.url", nil), ("server..url", nil), ("json", nil),
      ("listen", nil), ("", nil), ("insecure", nil),
    ] as [(String, String?)])
  func `a key is known by its name`(text: String, key: String?) {
    #expect(SettingKey(text)?.description == key)
  }

  @Test(
    arguments: [
      ("listen.volme", "listen.volume"), ("sync.volume", "listen.volume"), ("tiemout", "timeout"),
      ("sever", "server"), ("server.home.ulr", "server.home.url"), ("volum", "listen.volume"),
      ("listen.xyzzy", nil), ("frobnicate.x", nil),
    ] as [(String, String?)])
  func `a misspelt key has a nearest one`(text: String, key: String?) {
    #expect(SettingKey.nearest(to: text) == key)
  }
}
