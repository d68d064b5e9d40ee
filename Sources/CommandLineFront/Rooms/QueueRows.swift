import RoomProtocol
import Storage

/// What people say of rows, held against a queue.
///
/// Pure. Rows count from 1, indices from 0.
struct QueueRows {
  var tracks: [Track]
  /// The row that plays; -1 where none does, as in a playlist.
  var currentIndex: Int
  /// What the rows are of, for messages.
  var list = "the queue"

  /// A short hash of the ids in their order: `4f2a`.
  var revision: String {
    let hash = ContentHash.digest(of: tracks.flatMap { Array($0.id.rawValue.utf8) + [0] })
    return String(hash.hex.prefix(4))
  }

  /// The index of one row: its number, `@current`, `@last`, `@3`, or words that fit only it.
  ///
  /// - Throws: `Diagnostic`: `out_of_range`, `not_found`, `ambiguous`.
  func index(of text: String) throws(Diagnostic) -> Int {
    if let row = try row(text) { return row }
    let words = Words(text)
    let hits = tracks.indices.filter { words.match(tracks[$0]) }
    guard let first = hits.first else {
      // Numbers that are no row, such as -1, 1-2 and 1 2, are no misspelt title.
      let isNumeric = text.allSatisfy { "0123456789- ".contains($0) }
      throw Diagnostic(
        .notFound, "no row fits \"\(Printable.escaped(text))\"",
        hint: isNumeric ? "a row is 3, @3, @current or @last" : suggestion(for: text))
    }
    // The same track in several rows is one answer: the next of them.
    let ids = Set(hits.map { tracks[$0].id })
    if ids.count == 1 { return hits.first { $0 > currentIndex } ?? first }
    throw Diagnostic(
      .ambiguous, "\"\(Printable.escaped(text))\" fits \(hits.count) rows",
      hint: candidates(hits.map { "\($0 + 1) \(tracks[$0].printableName)" }))
  }

  /// A title, or a word of titles and artists, that is nearly the text.
  private func suggestion(for text: String) -> String? {
    let wanted = text.lowercased()
    // Words of quite another length are not near: comparing ten thousand titles takes its time.
    let reach = max(1, wanted.count / 3)
    var names: Set<String> = []
    for track in tracks {
      let title = track.displayTitle.lowercased()
      let words = "\(title) \((track.artist ?? "").lowercased())".split(separator: " ")
      for name in [title[...]] + words where abs(name.count - wanted.count) <= reach {
        names.insert(String(name))
      }
    }
    return Spelling.nearest(to: wanted, among: Array(names))
      .map { "did you mean \(Printable.escaped($0))?" }
  }

  /// How rows are named here; without a row that plays there is no `@current`.
  private var hint: String {
    isPlayed ? "rows are 3, 3-5, @current and @last" : "rows are 3, 3-5 and @last"
  }

  private var isPlayed: Bool { currentIndex >= 0 }

  /// The indices of rows such as `3`, `3-5`, `@current`, `@last`, each once, in order.
  ///
  /// - Throws: `Diagnostic`: `usage`, `out_of_range`.
  func indices(of texts: [String]) throws(Diagnostic) -> [Int] {
    var found: Set<Int> = []
    for text in texts {
      let ends = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
      guard (1...2).contains(ends.count), let first = try row(ends[0]),
        let last = try row(ends[ends.count - 1])
      else {
        throw .usage("\"\(Printable.escaped(text))\" is no row", hint: hint)
      }
      guard first <= last else {
        throw .usage("\"\(Printable.escaped(text))\" runs backwards")
      }
      found.formUnion(first...last)
    }
    return found.sorted()
  }

  /// The index that `next` or `prev` leads to.
  ///
  /// - Parameters:
  ///   - step: 1 or -1; past an end it goes on at the other.
  ///   - mode: in shuffle any other row is as good.
  ///   - random: picks one of so many.
  /// - Returns: the index.
  /// - Throws: `Diagnostic` of an empty queue.
  func neighbour(
    _ step: Int, mode: PlaybackMode, random: (Range<Int>) -> Int
  ) throws(Diagnostic) -> Int {
    guard !tracks.isEmpty else { throw Diagnostic(.outOfRange, "the queue is empty") }
    let count = tracks.count
    guard mode == .shuffle, count > 1 else {
      return ((currentIndex + step) % count + count) % count
    }
    let other = random(0..<(count - 1))
    return other >= currentIndex ? other + 1 : other
  }

  /// The index of the row that an option names.
  ///
  /// - Throws: `Diagnostic`: `usage`, `out_of_range`.
  func row(_ text: String, of option: String) throws(Diagnostic) -> Int {
    guard let index = try row(text) else {
      throw .usage(
        "\(option) takes a row, not \"\(Printable.escaped(text))\"",
        hint: isPlayed ? "rows are 3, @current and @last" : "rows are 3 and @last")
    }
    return index
  }

  /// The place before the row that `--at` names; nil for the row behind the last, the end.
  ///
  /// - Throws: `Diagnostic`: `usage`, `out_of_range`.
  func place(_ text: String) throws(Diagnostic) -> Int? {
    Int(text) == tracks.count + 1 ? nil : try row(text, of: "--at")
  }

  /// Where `--to` lets the first of so many rows stand afterwards.
  ///
  /// - Throws: `Diagnostic`: `usage`, `out_of_range`.
  func target(_ text: String, for count: Int) throws(Diagnostic) -> Int {
    let last = tracks.count - count
    let target = try row(text, of: "--to")
    // At the end means that the last of them is the last.
    if text == "@last" { return last }
    guard target <= last else {
      throw Diagnostic(
        .outOfRange, "\(counted(count, "row")) can't begin at row \(target + 1)",
        why: "\(list) has \(tracks.count)", hint: "--to @last is the end")
    }
    return target
  }

  /// The tracks with what comes after the current row in another order.
  func shuffled(using generator: inout some RandomNumberGenerator) -> [Track] {
    let start = tracks.isEmpty ? 0 : min(currentIndex + 1, tracks.count)
    return tracks[..<start] + tracks[start...].shuffled(using: &generator)
  }

  /// Checks that the queue is still the one an edit was meant for.
  ///
  /// - Parameters:
  ///   - wanted: the revision it was; nil for any.
  ///   - moment: since when it should be, in words.
  /// - Throws: `Diagnostic` of the code `conflict`.
  func checkRevision(_ wanted: String?, since moment: String = "") throws(Diagnostic) {
    guard let wanted, wanted != revision else { return }
    throw conflict(since: moment)
  }

  /// That the queue is not the one an edit was meant for.
  func conflict(since moment: String) -> Diagnostic {
    Diagnostic(
      .conflict, "the queue has changed\(moment)", why: "it is revision \(revision) now",
      hint: "blastoise queue list shows it")
  }

  /// Checks that a text may be a revision at all: a mistyped one is no reason to try again.
  ///
  /// - Throws: `Diagnostic` of the code `usage`.
  static func checkIsRevision(_ text: String) throws(Diagnostic) {
    guard text.utf8.count == 4, text.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
      throw .usage(
        "--rev takes a revision, not \"\(Printable.escaped(text))\"",
        hint: "blastoise queue list ends with it: rev 4f2a")
    }
  }

  /// A row by number or by `@` reference; nil for other words.
  func row(_ text: String) throws(Diagnostic) -> Int? {
    let isReference = text.hasPrefix("@")
    let name = isReference ? String(text.dropFirst()) : text
    switch name {
    case "current" where isReference && isPlayed: return try checked(currentIndex, text)
    case "last" where isReference: return try checked(tracks.count - 1, text)
    default:
      guard name.utf8.allSatisfy({ (48...57).contains($0) }), !name.isEmpty else { return nil }
      return try checked((Int(name) ?? .max) - 1, text)
    }
  }

  private func checked(_ index: Int, _ text: String) throws(Diagnostic) -> Int {
    guard tracks.indices.contains(index) else {
      throw Diagnostic(
        .outOfRange, "there is no row \(Printable.escaped(text))",
        why: tracks.isEmpty ? "\(list) is empty" : "\(list) has \(tracks.count)")
    }
    return index
  }
}

/// Words that a track must all have, in whatever order and case.
struct Words {
  private let words: [String]

  init(_ text: String) {
    words = text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// Whether a track has them all, in title, artist, album or file name.
  func match(_ track: Track) -> Bool {
    let parts = [track.displayTitle, track.artist ?? "", track.album ?? "", track.filename]
    let text = parts.joined(separator: "\n").lowercased()
    return !words.isEmpty && words.allSatisfy { text.contains($0) }
  }
}

/// The first few of what was meant, for a hint.
func candidates(_ names: [String]) -> String {
  let shown = names.prefix(10).joined(separator: "\n      ")
  let more = names.count > 10 ? "\n      and \(names.count - 10) more" : ""
  return "it could be\n      \(shown)\(more)"
}

extension Track {
  /// Artist and title, fit for a terminal.
  var printableName: String {
    let artist = artist.map { "\(Printable.escaped($0)) - " } ?? ""
    return artist + Printable.escaped(displayTitle)
  }

  /// Artist and title in quotes, fit for a terminal.
  var quotedName: String { "\"\(printableName)\"" }
}
