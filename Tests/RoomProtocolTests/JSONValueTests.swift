import RoomProtocol
import TestSupport
import Testing

@Suite struct JSONValueTests {
  @Test(arguments: 0..<200) func `what is written is read back`(seed: UInt64) {
    var luck = SeededGenerator(seed: seed)
    let value = random(depth: 0, &luck)
    #expect(JSONValue(json: value.json.utf8) == value, "seed \(seed): \(value.json)")
    #expect(!value.json.contains("\n"))
  }

  @Test(arguments: 0..<200) func `any bytes are read or refused`(seed: UInt64) {
    var luck = SeededGenerator(seed: seed)
    var bytes = Array(random(depth: 0, &luck).json.utf8)
    for _ in 0..<Int.random(in: 1...5, using: &luck) {
      let place = Int.random(in: 0..<bytes.count, using: &luck)
      bytes[place] = UInt8.random(in: 0...255, using: &luck)
    }
    // It is enough that it ends; what is read must be writable.
    if let value = JSONValue(json: bytes) {
      #expect(JSONValue(json: value.json.utf8) == value, "seed \(seed)")
    }
  }

  @Test(arguments: [
    "", " ", "{", "[1,", "[1 2]", "{\"a\"}", "{\"a\":}", "{a: 1}", "{\"a\": 1,}", "nul", "tru",
    "+1",
    "--1", "\"abc", "\"\\q\"", "\"\\u12\"", "{} {}", "\"a\nb\"", "0x10", ".", "-", "NaN",
  ])
  func `what is no JSON is refused`(text: String) {
    #expect(JSONValue(json: text.utf8) == nil)
  }

  @Test func `a number too large for a fraction is null, and what stands beside it is read`() {
    let value = JSONValue(json: #"{"duration": 1e999, "id": "a"}"#.utf8)
    #expect(value == .object([.init("duration", .null), .init("id", .text("a"))]))
  }

  @Test func `deep nesting is refused before the stack ends`() {
    let deep = String(repeating: "[", count: 100_000)
    #expect(JSONValue(json: deep.utf8) == nil)
    let fine = String(repeating: "[", count: 60) + String(repeating: "]", count: 60)
    #expect(JSONValue(json: fine.utf8) != nil)
  }

  @Test(arguments: [
    (#""\u00e9\ud83d\ude00""#, "é😀"), (#""\ud83dx""#, "\u{FFFD}x"), (#""\udc00""#, "\u{FFFD}"),
    (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
  ])
  func `escapes are read`(json: String, text: String) {
    #expect(JSONValue(json: json.utf8)?.text == text)
  }

  @Test func `numbers keep what they are`() {
    #expect(JSONValue(json: "12".utf8) == .integer(12))
    #expect(JSONValue(json: "-0.5e2".utf8) == .number(-50))
    #expect(JSONValue(json: "9223372036854775808".utf8)?.number == 9_223_372_036_854_775_808)
    #expect(JSONValue(json: "3.0".utf8)?.integer == 3)
    #expect(JSONValue(json: "3.5".utf8)?.integer == nil)
    #expect(JSONValue.number(.nan).json == "null")
  }

  @Test func `control characters never reach a line as they are`() {
    let value = JSONValue.text("a\u{1B}[31m\n\u{9B}\u{2028}")
    #expect(value.json == #""a\u001b[31m\u000a\u009b\u2028""#)
  }

  private func random(depth: Int, _ luck: inout SeededGenerator) -> JSONValue {
    switch Int.random(in: 0..<(depth < 4 ? 7 : 5), using: &luck) {
    case 0: return .null
    case 1: return .bool(.random(using: &luck))
    case 2: return .integer(.random(in: .min ... .max, using: &luck))
    case 3: return .number(Double(Int64.random(in: -9999...9999, using: &luck)) + 0.5)
    case 4: return .text(text(&luck))
    case 5:
      return .list(
        (0..<Int.random(in: 0...4, using: &luck)).map { _ in random(depth: depth + 1, &luck) })
    default:
      return .object(
        (0..<Int.random(in: 0...4, using: &luck)).map { _ in
          .init(text(&luck), random(depth: depth + 1, &luck))
        })
    }
  }

  private func text(_ luck: inout SeededGenerator) -> String {
    let letters: [Character] = ["a", "\"", "\\", "\n", "\u{1B}", "é", "語", "😀", "\u{202E}", " "]
    return String(
      (0..<Int.random(in: 0...8, using: &luck)).compactMap { _ in
        letters.randomElement(using: &luck)
      })
  }
}
