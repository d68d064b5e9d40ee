import TestSupport
import Testing

@testable import CommandLineFront

@Suite struct PromptHistoryTests {
  @Test func `lines are kept in order, none twice in a row, for their owner alone`() throws {
    let folder = try TemporaryFolder()
    let history = PromptHistory(folder: folder.file("state"))
    #expect(history.lines.isEmpty)
    for line in ["pause", "pause", "play", "  ", "pause", "two\nlines"] { try history.append(line) }
    #expect(history.lines == ["pause", "play", "pause", "twolines"])
    #expect(permissions(of: folder.file("state/history")) == 0o600)
    #expect(permissions(of: folder.file("state")) == 0o700)
  }

  @Test func `a thousand lines are kept, the newest`() throws {
    let folder = try TemporaryFolder()
    let old = (0..<1500).map { "seek \($0)\n" }.joined()
    try folder.write("history", old.utf8)
    let history = PromptHistory(folder: folder.path)
    #expect(history.lines.count == 1000)
    try history.append("pause")
    #expect(history.lines.first == "seek 501")
    #expect(history.lines.last == "pause")
    #expect(KeptLines.read(folder.file("history")).count == 1000)
  }
}

@Suite struct UTF8CollectorTests {
  @Test func `bytes that come one by one become scalars, and what is none a mark`() {
    var collector = UTF8Collector()
    var seen = ""
    for byte in Array("aé日😀".utf8) + [0xFF, 0xE6, 0x41, 0x80] {
      collector.add([byte])
      while let scalar = collector.next() { seen.unicodeScalars.append(scalar) }
    }
    #expect(seen == "aé日😀\u{FFFD}\u{FFFD}A\u{FFFD}")
  }
}

#if LineEditing
  @Suite struct EditorRowsTests {
    static let texts: [(text: String, row: Int)] = [
      ("", 0), ("123456789", 0), ("1234567890", 1), ("12345678901", 1),
      ("日本語日本", 1), ("1日本語日", 0), ("1日本語日本", 1), ("\u{1}2345678", 0), ("\u{1}23456789", 1),
      ("\u{1}234567890", 1), ("1234567890123456789012", 2),
    ]

    @Test(arguments: texts)
    func `rows are counted as the editor draws them`(text: (text: String, row: Int)) {
      var rows = EditorRows(columns: 10) { $0.value > 0x2E80 ? 2 : 1 }
      rows.add(text.text)
      #expect(rows.row == text.row)
    }

    @Test func `before a letter too wide for the row the cursor is on the next`() {
      var rows = EditorRows(columns: 10) { $0.value > 0x2E80 ? 2 : 1 }
      rows.add("123456789")
      rows.stand(before: "a")
      #expect(rows.row == 0)
      rows.stand(before: "日")
      #expect(rows.row == 1)
    }
  }
#endif
