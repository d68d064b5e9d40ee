import RoomProtocol
import Testing

@Suite struct TrackTests {
  @Test(
    arguments: [
      ("Song", "x.mp3", "Song"),
      (nil, "My Song.final.mp3", "My Song.final"),
      ("", "x.mp3", "x"),
      ("  ", "x.mp3", "x"),
      (nil, "", "sha256:aa"),
      (nil, ".mp3", ".mp3"),
      (nil, "no extension", "no extension"),
      (nil, "ends.", "ends."),
      (nil, "  .mp3", "sha256:aa"),
    ] as [(String?, String, String)])
  func `the display title is the title, else the file's name, else the id`(
    title: String?, filename: String, expected: String
  ) {
    #expect(Track(id: "sha256:aa", filename: filename, title: title).displayTitle == expected)
  }

  @Test(arguments: [
    "{}", #"{"duration":null}"#, #"{"duration":0}"#, #"{"duration":-3}"#,
    #"{"duration":1e999}"#, #"{"duration":"NaN"}"#, #"{"duration":"inf"}"#, #"{"duration":[]}"#,
  ])
  func `a duration that is absent, null, 0 or not finite is unknown`(text: String) throws {
    let fields = text.dropFirst().dropLast()
    let track = try read(Track.self, "{\"id\":\"a\"\(fields.isEmpty ? "" : ",")\(fields)}")
    #expect(track.duration == nil)
    #expect(track.length == nil)
  }

  @Test func `an endless duration does not trap`() throws {
    #expect(try read(Track.self, #"{"id":"a","duration":1e300}"#).length == .seconds(1_000_000_000))
  }

  @Test(arguments: ["{}", #"{"id":null}"#, #"{"id":""}"#, #"{"id":[]}"#, "null", "5", "[]"])
  func `a track without an id is none`(text: String) {
    #expect(throws: WireError.self) { try read(Track.self, text) }
  }

  @Test func `a track is written with all that its shape demands`() throws {
    #expect(
      try json(Track(id: "a", filename: "a.ogg"))
        == #"{"available":true,"duration":0,"filename":"a.ogg","id":"a","title":null}"#)
  }
}

@Suite struct WireSecondsTests {
  @Test(
    arguments: [
      (0, Duration.zero), (1.5, .milliseconds(1500)), (-2, .seconds(-2)), (.nan, .zero),
      (.infinity, .seconds(1_000_000_000)), (-1e300, .seconds(-1_000_000_000)),
    ] as [(Double, Duration)])
  func `seconds become a span, and never a trap`(seconds: Double, expected: Duration) {
    #expect(Duration(wireSeconds: seconds) == expected)
  }

  @Test(arguments: [0, 0.001, 12.345, 183.456, 86_400.999, -3.25])
  func `seconds come back within a nanosecond`(seconds: Double) {
    #expect(abs(Duration(wireSeconds: seconds).wireSeconds - seconds) < 1e-9)
  }
}

@Suite struct PlaybackModeTests {
  @Test(arguments: ["once", "repeat-all", "repeat-one", "shuffle", "party", ""])
  func `a mode keeps its name, known or not`(name: String) throws {
    #expect(PlaybackMode(name).name == name)
    #expect(try read(PlaybackMode.self, json(PlaybackMode(name))) == PlaybackMode(name))
  }

  @Test func `stepping goes round`() {
    let round = sequence(first: PlaybackMode.once, next: \.next).prefix(5).map(\.name)
    #expect(round == ["once", "repeat-all", "repeat-one", "shuffle", "once"])
    #expect(PlaybackMode.unknown("party").next == .once)
  }
}
