import RoomProtocol
import TestSupport
import Testing

@testable import CommandLineFront

@Suite struct QueueRowsTests {
  private static let tracks = [
    Track(id: "a", title: "Around the World", artist: "Daft Punk", duration: 429),
    Track(id: "b", title: "Da Funk", artist: "Daft Punk", album: "Homework"),
    Track(id: "a", title: "Around the World", artist: "Daft Punk", duration: 429),
    Track(id: "c", filename: "world\u{1B}[2J.mp3", available: false),
  ]

  private func rows(at index: Int = 1) -> QueueRows {
    QueueRows(tracks: Self.tracks, currentIndex: index)
  }

  @Test(arguments: [
    ("1", 0), ("4", 3), ("@current", 1), ("@last", 3), ("@2", 1), ("da FUNK", 1), ("punk funk", 1),
    ("homework", 1), ("mp3", 3),
    // The same track twice: the one that comes next.
    ("around", 2),
  ])
  func `a row by number, reference or words`(text: String, index: Int) throws {
    #expect(try rows().index(of: text) == index)
  }

  @Test(arguments: [
    ("0", FailureCode.outOfRange, "there is no row 0: the queue has 4"),
    ("5", .outOfRange, "there is no row 5: the queue has 4"),
    ("99999999999999999999", .outOfRange, "there is no row 99999999999999999999: the queue has 4"),
    ("nothing", .notFound, "no row fits \"nothing\""), ("", .notFound, "no row fits \"\""),
    ("world", .ambiguous, "\"world\" fits 3 rows"),
  ])
  func `no row or several are told`(text: String, code: FailureCode, message: String) {
    let error = #expect(throws: Diagnostic.self) { try rows().index(of: text) }
    #expect(error?.code == code)
    #expect(error?.message == message)
  }

  @Test func `candidates are listed, fit for a terminal`() {
    let error = #expect(throws: Diagnostic.self) { try rows().index(of: "world") }
    #expect(error?.hint?.contains("\n      4 world\\x1b[2J") == true)
  }

  @Test(arguments: [
    (["3"], [2]), (["3-4", "1"], [0, 2, 3]), (["1-1", "1"], [0]), (["@current", "@last"], [1, 3]),
    (["1-@last"], [0, 1, 2, 3]),
  ])
  func `rows and ranges, each once`(texts: [String], indices: [Int]) throws {
    #expect(try rows().indices(of: texts) == indices)
  }

  @Test func `a playlist has no row that plays`() {
    var rows = rows(at: -1)
    rows.list = "the playlist"
    let none = #expect(throws: Diagnostic.self) { try rows.indices(of: ["@current"]) }
    #expect(none?.lines.last == "hint: rows are 3, 3-5 and @last")
    let place = #expect(throws: Diagnostic.self) { try rows.place("@current") }
    #expect(place?.lines.last == "hint: rows are 3 and @last")
    let queue = #expect(throws: Diagnostic.self) { try self.rows().indices(of: ["x"]) }
    #expect(queue?.hint == "rows are 3, 3-5, @current and @last")
  }

  @Test(arguments: [
    ("x", FailureCode.usage), ("4-3", .usage), ("1-2-3", .usage), ("-2", .usage), ("2-", .usage),
    ("3-9", .outOfRange),
  ])
  func `other texts are no rows`(text: String, code: FailureCode) {
    let error = #expect(throws: Diagnostic.self) { try rows().indices(of: [text]) }
    #expect(error?.code == code)
  }

  @Test(arguments: [(0, 1, 1), (3, 1, 0), (0, -1, 3), (2, -1, 1)])
  func `the neighbour goes round`(current: Int, step: Int, index: Int) throws {
    let neighbour = try rows(at: current).neighbour(step, mode: .repeatAll) { _ in 0 }
    #expect(neighbour == index)
  }

  @Test func `in shuffle any other row and never the same`() throws {
    for current in 0..<4 {
      let others = try (0..<3).map { pick in
        try rows(at: current).neighbour(1, mode: .shuffle) { range in
          #expect(range == 0..<3)
          return pick
        }
      }
      #expect(others == (0..<4).filter { $0 != current })
    }
    let single = QueueRows(tracks: [Self.tracks[0]], currentIndex: 0)
    #expect(try single.neighbour(1, mode: .shuffle) { _ in 0 } == 0)
    #expect(throws: Diagnostic.self) {
      try QueueRows(tracks: [], currentIndex: 0).neighbour(1, mode: .once) { _ in 0 }
    }
  }

  @Test func `the revision is of the ids and their order`() {
    let rows = rows()
    #expect(rows.revision.count == 4)
    #expect(self.rows(at: 3).revision == rows.revision)
    var other = rows
    other.tracks.swapAt(0, 1)
    #expect(other.revision != rows.revision)
    #expect(throws: Never.self) { try rows.checkRevision(nil) }
    #expect(throws: Never.self) { try rows.checkRevision(rows.revision) }
    let error = #expect(throws: Diagnostic.self) { try rows.checkRevision("0000") }
    #expect(error?.code == .conflict)
  }

  @Test func `only what is still to come is shuffled`() {
    let tracks = (0..<50).map { Track(id: TrackID("\($0)")) }
    for (current, kept) in [(0, 1), (20, 21), (49, 50)] {
      var generator = SeededGenerator(seed: 7)
      let rows = QueueRows(tracks: tracks, currentIndex: current)
      let shuffled = rows.shuffled(using: &generator)
      #expect(shuffled.prefix(kept) == tracks.prefix(kept))
      #expect(Set(shuffled) == Set(tracks))
      #expect((shuffled == tracks) == (kept == 50))
    }
    var generator = SeededGenerator(seed: 7)
    #expect(QueueRows(tracks: [], currentIndex: 0).shuffled(using: &generator).isEmpty)
  }

  @Test(arguments: [
    (["@current"], false), (["@last", "@current-@last"], false), ([], false), (["3"], true),
    (["@3"], true), (["1-@last"], true), (["@current", "2"], true),
  ])
  func `numbers bind an edit to what was listed`(references: [String], binds: Bool) {
    #expect(QueueEditing.nameNumbers(references) == binds)
  }

  @Test func `titles are listed as long as they are few`() {
    let tracks = (1...8).map { Track(id: TrackID("\($0)"), title: "T\($0)") }
    #expect(titles(Array(tracks.prefix(1))) == "\"T1\"")
    #expect(titles(Array(tracks.prefix(6))).hasSuffix("\"T5\", \"T6\""))
    #expect(titles(tracks).hasSuffix("\"T4\", \"T5\" and 3 more"))
  }

  @Test func `a listing for a file has every row whole, and the revision`() {
    let lines = QueueListing(rows: rows(), terminal: nil).lines
    #expect(lines.count == 5)
    #expect(lines[0] == "  1    7:09  Daft Punk - Around the World")
    #expect(lines[1] == "> 2   --:--  Daft Punk - Da Funk")
    #expect(lines[3] == "  4   --:--  world\\x1b[2J (not available)")
    #expect(lines[4] == "rev \(rows().revision)")
  }

  @Test(arguments: [0, 3, 50, 97, 99])
  func `a listing for a terminal is a window around the current row`(current: Int) {
    let tracks = (1...100).map {
      Track(id: TrackID("\($0)"), title: String(repeating: "long ", count: 50))
    }
    let rows = QueueRows(tracks: tracks, currentIndex: current)
    let terminal = Console.Terminal(columns: 40, rows: 14)
    let listing = QueueListing(rows: rows, terminal: terminal)
    #expect(listing.window.count == 10)
    #expect(listing.window.contains(current))
    #expect(listing.lines.allSatisfy { Printable.width($0) <= 40 })
    #expect(listing.lines.count <= 14)
  }

  @Test(arguments: [16, 20, 28, 40, 80])
  func `no line is wider than its terminal, whatever the script`(columns: Int) {
    let titles = [
      "雪が降る町に一人でいる", "مقطوعة طويلة جدا من الموسيقى", "שיר ארוך מאוד בעברית", "👨‍👩‍👧‍👦 family 🎵🎵🎵🎵🎵🎵🎵🎵",
      "e\u{301}te\u{301} a\u{308}rger", "half ｶﾞｷﾞｸﾞｹﾞｺﾞ width", "\u{202E}turned\u{7}",
    ]
    let tracks = titles.enumerated().map { index, title in
      Track(id: TrackID("\(index)"), title: title, artist: "Artist", duration: 6000)
    }
    let terminal = Console.Terminal(columns: columns, rows: 50)
    let rows = QueueRows(tracks: tracks, currentIndex: 2)
    let lines = QueueListing(rows: rows, terminal: terminal).lines
    #expect(lines.count == titles.count + 1)
    #expect(lines.allSatisfy { Printable.width($0) <= columns }, "\(lines)")
    #expect(lines.contains { $0.contains("100:00") } == (columns >= 28))
  }

  @Test func `an empty queue is said to be empty`() {
    let listing = QueueListing(rows: QueueRows(tracks: [], currentIndex: 0), terminal: nil)
    #expect(listing.lines.first == "the queue is empty")
  }
}
