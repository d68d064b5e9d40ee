import RoomProtocol
import Testing

@testable import CommandLineFront

@Suite struct TimeTextTests {
  @Test(
    arguments: [
      ("90", .absolute(.seconds(90))), ("1:30", .absolute(.seconds(90))),
      ("1:02:03", .absolute(.seconds(3723))), ("0", .absolute(.zero)),
      ("90.5", .absolute(.milliseconds(90500))), ("1:05.25", .absolute(.milliseconds(65250))),
      ("100:00", .absolute(.seconds(6000))), ("+15", .relative(.seconds(15))),
      ("-15", .relative(.seconds(-15))), ("-1:30", .relative(.seconds(-90))),
      ("50%", .fraction(0.5)), ("0%", .fraction(0)), ("100%", .fraction(1)),
    ] as [(String, TimeText.Position)])
  func `positions are read`(text: String, position: TimeText.Position) {
    #expect(TimeText.position(text) == position)
  }

  @Test(arguments: [
    "", "x", "1:", ":30", "1:60", "1:2:3:4", "1:-5", "--5", "+-5", "101%", "-5%", "%", "1e3", "nan",
    "inf", "0x10", "1.2.3", " 5", "٣", "99999999999",
  ])
  func `other texts are no positions`(text: String) {
    #expect(TimeText.position(text) == nil)
  }

  @Test(arguments: [
    (0, "0:00"), (59.9, "0:59"), (60, "1:00"), (3599, "59:59"), (6001, "100:01"), (-3, "0:00"),
  ])
  func `minutes are unbounded and part seconds cut`(seconds: Double, text: String) {
    #expect(TimeText.text(.seconds(seconds)) == text)
  }

  @Test func `an unknown time is shown as unknown`() {
    #expect(TimeText.text(nil) == "--:--")
  }

  @Test(
    arguments: [
      (.absolute(.seconds(5)), 10, 60, 5), (.absolute(.seconds(90)), 10, 60, 60),
      (.absolute(.seconds(90)), 10, nil, 90), (.relative(.seconds(-15)), 10, 60, 0),
      (.relative(.seconds(15)), 50, 60, 60), (.fraction(0.5), 10, 60, 30),
      (.fraction(0.5), 10, nil, nil),
    ] as [(TimeText.Position, Int, Int?, Int?)])
  func `a position is kept within the track`(
    position: TimeText.Position, current: Int, length: Int?, place: Int?
  ) {
    let resolved = position.resolved(
      current: .seconds(current), length: length.map { .seconds($0) })
    #expect(resolved == place.map { .seconds($0) })
  }
}

@Suite struct PrintableTests {
  @Test(arguments: [
    ("plain text, naïve 🎵", "plain text, naïve 🎵"),
    ("a\u{1B}[2Jb", "a\\x1b[2Jb"), ("a\nb\tc\rd", "a\\nb\\tc\\rd"), ("a\r\nb", "a\\r\\nb"),
    ("\u{7}\u{7F}\u{9B}31m", "\\x07\\x7f\\x9b31m"), ("a\u{202E}b\u{2066}", "a\\u{202e}b\\u{2066}"),
    ("a\u{2028}b", "a\\u{2028}b"), ("", ""),
  ])
  func `what could act is shown`(text: String, escaped: String) {
    #expect(Printable.escaped(text) == escaped)
  }

  @Test(arguments: [
    ("abc", 3), ("", 0), ("e\u{301}", 1), ("日本", 4), ("ﾊﾟ", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("☺\u{FE0F}", 2),
    ("한", 2), ("\u{200B}", 0), ("é", 1), ("Ω", 1),
  ])
  func `columns on a terminal`(text: String, width: Int) {
    #expect(Printable.width(text) == width)
  }

  @Test(arguments: [
    ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"),
    ("abc", 0, ""), ("abc", 1, "…"),
  ])
  func `what is too long ends in an ellipsis`(text: String, columns: Int, cut: String) {
    #expect(Printable.truncated(text, to: columns) == cut)
  }

  @Test(arguments: [("", 10, 1), ("1234567890", 10, 1), ("12345678901", 10, 2), ("日本語", 4, 2)])
  func `rows that a text takes on a narrower terminal`(text: String, columns: Int, rows: Int) {
    #expect(Printable.rows(text, columns: columns) == rows)
  }

  @Test func `columns are filled to the same width, wide letters or not`() {
    for text in ["", "abc", "日本語", "日本語日本語", "👩‍👩‍👧 x"] {
      #expect(Printable.width(Printable.padded(text, to: 7)) == 7)
    }
    #expect(Printable.padded("1:05", to: 6, alignment: .right) == "  1:05")
  }
}

@Suite struct JSONValueTests {
  @Test func `keys keep their order and text is escaped`() {
    let value: JSONValue = [
      "b": 1, "a": "q\"\\\n\u{1B}\u{9B}\u{202E}é", "list": [true, .null, .number(0.5)],
      "whole": .number(3), "nan": .number(.nan), "empty": .object([]),
    ]
    #expect(
      value.description
        == #"{"b": 1, "a": "q\"\\\n\u001b\u009b\u202eé", "list": [true, null, 0.5], "#
        + #""whole": 3, "nan": null, "empty": {}}"#)
  }

  @Test func `missing values are null and numbers have milli-units`() {
    #expect(JSONValue(nil as String?) == .null)
    #expect(JSONValue(1.23456).description == "1.235")
  }
}
