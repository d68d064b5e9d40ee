import RoomProtocol
import Testing
import TestSupport

@Suite struct JSONElementsTests {
  /// The elements of a text that arrives in pieces of these lengths; the rest comes in one.
  private func elements(_ text: String, pieces: [Int] = []) throws -> [String] {
    var splitter = JSONElements()
    var found: [String] = []
    var rest = bytes(text)[...]
    for count in pieces + [Int.max] {
      try Array(rest.prefix(count)).withUnsafeBytes { piece in
        try splitter.take(piece) { found.append(String(decoding: $0, as: UTF8.self)) }
      }
      rest = rest.dropFirst(count)
    }
    try splitter.finish()
    return found
  }

  private static let text = #"""
     [ {"a": "]}\"\\", "b": [1, {"c": 2}]} , 12,"x,]\"" ,null,[[ ]],{},-1.5e3 , "\\", tru ]
    """#

  private static let parts = [
    #"{"a": "]}\"\\", "b": [1, {"c": 2}]}"#, "12", #""x,]\"""#, "null", "[[ ]]", "{}", "-1.5e3",
    #""\\""#, "tru",
  ]

  @Test func `a text cut at every place gives the same elements`() throws {
    let count = bytes(Self.text).count
    for place in 0...count {
      let found = try elements(Self.text, pieces: [place]).map(trimmed)
      #expect(found == Self.parts, "cut at \(place)")
    }
    #expect(
      try elements(Self.text, pieces: Array(repeating: 1, count: count)).map(trimmed) == Self.parts)
  }

  @Test(arguments: ["[]", " [ ] ", "\n[\t]\r\n"])
  func `an empty array has no elements`(text: String) throws {
    #expect(try elements(text).isEmpty)
  }

  @Test(arguments: ["", "{}", "x", "<html>", "[1,]", "[,1]", "[]]", "[1] 2", "[{} {}]", "[}"])
  func `what is no array is refused`(text: String) {
    #expect(throws: JSONElements.Failure.notAnArray) { try elements(text) }
  }

  @Test(arguments: ["[", "[1", "[1,", "[{\"a\": [", "[\"a", "[\"a\\", "[{}"])
  func `an array that ends early is not finished`(text: String) {
    #expect(throws: JSONElements.Failure.endsEarly) { try elements(text) }
  }

  @Test func `an element without end does not fill the memory`() {
    let text = "[\"" + String(repeating: "a", count: JSONElements.elementLimit)
    #expect(throws: JSONElements.Failure.elementTooLarge) { try elements(text) }
  }

  private func trimmed(_ text: String) -> String {
    String(text.reversed().drop { $0 == " " }.reversed())
  }
}

@Suite struct TrackScannerTests {
  private func track(_ text: String) -> Track? {
    bytes(text).withUnsafeBytes { Track(element: $0) }
  }

  @Test(
    arguments: [
      #"{"id": "a"}"#, #"{"id": 7}"#, #"{"id": ""}"#, "{}", "[]", "null", "7", "{",
      #"{"id": "a",}"#,
      #"{"id":"a","id":"b"}"#, #"{"id":"a","title":"\u00e9\n\"","artist":"é"}"#,
      #"{"id":"a","duration":"12.5"}"#, #"{"id":"a","duration":01}"#, #"{"id":"a","duration":1.}"#,
      #"{"id":"a","duration":.5}"#, #"{"id":"a","duration":-0.25,"replayGainDb":-6.25}"#,
      #"{"id":"a","duration":1e2}"#, #"{"id":"a","duration":123456789012345678}"#,
      #"{"id":"a","replayPeak":0.98765432109}"#, #"{"id":"a","available":0}"#,
      #"{"id":"a","available":false,"extra":{"b":[1]}}"#, #"{"id":"a","title":null,"album":3}"#,
      #"{"id":"a","extra":"x","more":null,"yes":true} "#, #"{"id":"a"} x"#, #"{"id":"a","title":"#,
      #" { "id" : "a" , "filename" : "b.mp3" } "#, #"{"id":"a","title":tru}"#, #"{"id":"a" "b":1}"#,
    ])
  func `a scanned track is the decoded one`(text: String) {
    #expect(track(text) == (try? read(Track.self, text)))
  }

  @Test func `random tracks are scanned as they are decoded`() throws {
    var random = SeededGenerator(seed: 31)
    let texts = ["", "One", "Zoë", "東京", "a\"b", "c\\d", "e\nf", "\u{7F}\u{1F3B5}", "x/y"]
    for _ in 0..<400 {
      let track = Track(
        id: TrackID("sha256:\(random.next())"), filename: texts.randomElement(using: &random) ?? "",
        title: texts.randomElement(using: &random), artist: texts.randomElement(using: &random),
        duration: Double(Int.random(in: -2...5_000_000, using: &random)) / 1000,
        replayGainDB: Bool.random(using: &random) ? Double.random(in: -9...9, using: &random) : nil,
        available: Bool.random(using: &random))
      #expect(self.track(try json(track)) == track)
    }
  }

  @Test(arguments: [#"{"id":"a","title":""#, #"{"id":"a","extra":""#, #"{"id":"a",""#])
  func `broken UTF-8 is left to the decoder`(beginning: String) {
    let end = beginning.hasSuffix(",\"") ? "\":1}" : "\"}"
    let text = bytes(beginning) + [0xC3, 0x28] + bytes(end)
    let decoded = try? WireJSON.decode(Track.self, from: text)
    #expect(text.withUnsafeBytes { Track(element: $0) } == decoded)
  }
}
