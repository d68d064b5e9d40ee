import Control
import RoomProtocol
import Testing

@testable import CommandLineFront

@Suite struct StatusTextTests {
  private let status: JSONValue = [
    "listening": true, "instance": "default", "source": "room", "connection": "connected",
    "server": "http://127.0.0.1:3001", "user": ["username": "ada"],
    "room": ["id": "lobby", "name": "Lobby\u{1B}[31m"], "listeners": 2, "state": "playing",
    "mode": "once",
    "track": [
      "id": "sha256:1", "title": "Harbour", "artist": "The Anchors", "album": .null,
      "duration": .number(200),
    ],
    "next": ["title": "Ferry"], "row": 3, "queue_length": 7, "position": .number(61.25),
    "expected": .number(61.3), "drift": .number(-0.00042), "volume": 80, "muted": true,
    "device": ["name": "alsa:default"], "latency_ms": 120,
  ]

  @Test(arguments: [
    ("{artist} - {title} {elapsed}/{duration}", "The Anchors - Harbour 1:01/3:20"),
    ("{{{row}}} of {length}", "{3} of 7"), ("{album}|{percent}%", "|30%"),
    ("{state} {mode} {next} {user} {listeners}", "playing once Ferry ada 2"),
    ("{drift} ms, {volume}, {device}", "-0.4 ms, 80, alsa:default"),
    ("{listening} {connection} {instance} {id}", "yes connected default sha256:1"),
    ("{room}", "Lobby\\x1b[31m"), ("", ""), ("plain", "plain"), ("}}{{", "}{"),
  ])
  func `fields are filled in`(format: String, text: String) throws {
    #expect(try StatusFormat(format).text(status) == text)
  }

  @Test(arguments: ["{titel}", "{", "{artist", "}", "a}b", "{}", "{ artist }"])
  func `what is no format is a usage error`(format: String) {
    let failure = #expect(throws: Diagnostic.self) { try StatusFormat(format) }
    #expect(failure?.code == .usage)
    #expect(failure?.hint?.isEmpty == false)
  }

  @Test func `every field can be asked for, also where nothing is known`() throws {
    for name in StatusText.fields {
      #expect(!StatusText.field(name, status).isEmpty || name == "album", "\(name)")
      _ = try StatusFormat("{\(name)}").text(["listening": false])
    }
    #expect(StatusText.lines(["listening": false]).hasSuffix("listening: no"))
    #expect(StatusText.line(["listening": true]) == "no room: not connected yet")
  }

  @Test func `a track that has ended is at its end, however long its room's clock ran on`() {
    let status: JSONValue = [
      "track": ["title": "Harbour", "duration": 60], "position": .null, "expected": 75,
    ]
    #expect(StatusText.field("elapsed", status) == "1:00")
    #expect(StatusText.field("percent", status) == "100")
    let endless: JSONValue = ["track": ["title": "Radio", "duration": .null], "expected": 75]
    #expect(StatusText.field("elapsed", endless) == "1:15")
  }

  @Test func `the library is said to be in sync with nobody`() {
    let status: JSONValue = [
      "listening": true, "source": "library", "server": "http://a", "state": "paused",
      "track": ["title": "Harbour", "duration": 60], "position": 3, "volume": 80,
    ]
    let lines = StatusText.lines(status)
    #expect(lines.contains("library of http://a, not in sync with anyone; join leads back"))
    #expect(StatusText.line(status) == "library, unsynced: [paused] Harbour 0:03/1:00")
  }

  @Test func `people read lines, and one line`() {
    #expect(
      StatusText.lines(status) == """
        [playing] The Anchors - Harbour
        row 3 of 7
        1:01/3:20  once  drift -0.42 ms
        next: Ferry
        Lobby\\x1b[31m at http://127.0.0.1:3001 as ada, 2 listeners
        volume 80 (muted)  latency 120 ms  device alsa:default
        listening: yes
        """)
    #expect(
      StatusText.line(status)
        == "Lobby\\x1b[31m: [playing] The Anchors - Harbour 1:01/3:20")
  }

  @Test func `the parts that are here stand in a bar, in whatever order they came`() {
    #expect(BufferBar.text([1, 0.999, 0, 1]) == "[#-.#]")
    #expect(BufferBar.text([]) == "[....................]")
    #expect(
      StatusText.lines([
        "track": ["title": "Ferry"], "cache": ["segments": [1, .number(0.5), 0]],
      ]).contains("  [#-.]"))
  }

  @Test func `what a listener without its server can do is told`() {
    let text = StatusText.lines([
      "listening": true, "server": "http://a",
      "outage": ["reason": "cannot reach http://a", "retry_s": .number(2.1), "cached": 1],
    ])
    #expect(
      text.contains(
        """
        cannot reach http://a; trying again in 3 s
        meanwhile: 1 track is cached, blastoise library play plays it
        """))
  }

  @Test func `a value of the socket is printed as one of ours`() {
    let text = #"{"a": [1, 2.5, null, true, "x"], "b": {"c": "\u001b"}}"#
    #expect(JSONValue(json: text.utf8)?.description == text)
  }
}
