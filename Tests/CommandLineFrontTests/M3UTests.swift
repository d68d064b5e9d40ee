import RoomProtocol
import TestSupport
import Testing

@testable import CommandLineFront

@Suite struct M3UTests {
  private static let server = "http://localhost:3001/music"

  private static let library = [
    Track(id: "sha256:aa", title: "Around the World", artist: "Daft Punk", duration: 429.25),
    Track(id: "odd/../id %20#?", filename: "odd.mp3"),
    Track(id: "c", title: "Ünïcødé 漢字", duration: 61),
  ]

  private func file(_ ids: [TrackID], name: String = "Evening") -> M3U {
    let playlist = Playlist(id: "p", name: name, description: "for\nlater", trackIDs: ids)
    return M3U(playlist, server: Self.server) { id in Self.library.first { $0.id == id } }
  }

  @Test func `what is written can be read by eye and by any player`() {
    #expect(
      file(["sha256:aa", "c", "unknown"]).text == """
        #EXTM3U
        #PLAYLIST:Evening
        #DESCRIPTION:for later
        #EXTINF:429.25,Daft Punk - Around the World
        http://localhost:3001/music/api/tracks/sha256%3Aaa
        #EXTINF:61,Ünïcødé 漢字
        http://localhost:3001/music/api/tracks/c
        http://localhost:3001/music/api/tracks/unknown

        """)
  }

  @Test func `every id comes back, in order and as often as it stands there`() throws {
    let ids: [TrackID] = ["c", "odd/../id %20#?", "c", "unknown", "sha256:aa", ".."]
    let read = try M3U(Array(file(ids).text.utf8))
    #expect(read.entries.map(\.id) == ids)
    #expect(read.name == "Evening")
    #expect(read.description == "for later")
    #expect(read.entries[0].duration == 61)
    #expect(read.entries[3].title == nil)
  }

  /// What titles are made of that readers stumble over.
  private static let pieces: [Character] = [
    "a", "Z", " ", ",", "-", "#", "\"", "'", "\n", "\r", "\t", "\u{1B}", "\u{FEFF}", "\u{85}", "é",
    "漢",
    "🎵", "\u{0301}", "\u{202E}", "%", "/", "\\", ":", "=", ";", "<", "1",
  ]

  @Test(arguments: 0..<20)
  func `odd titles come back as one line says them`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func odd(_ lengths: ClosedRange<Int>) -> String {
      String(
        (0..<Int.random(in: lengths, using: &random)).map { _ in
          Self.pieces.randomElement(using: &random) ?? "x"
        })
    }
    var tracks: [Track] = []
    for number in 0..<50 {
      // Lengths as a server knows them: milliseconds, or none.
      let length = Double(Int.random(in: 0...10_000_000, using: &random)) / 1000
      tracks.append(
        Track(
          id: TrackID(odd(1...12) + "\(number)"), title: odd(0...12),
          artist: Bool.random(using: &random) ? odd(1...6) : nil, duration: length))
    }
    let playlist = Playlist(id: "p", name: odd(1...9), trackIDs: tracks.map(\.id))
    let written = M3U(playlist, server: Self.server) { id in tracks.first { $0.id == id } }
    let read = try M3U(Array(written.text.utf8))
    #expect(read.entries.map(\.id) == tracks.map(\.id), "seed \(seed)")
    #expect(read.entries.map(\.duration) == tracks.map(\.duration), "seed \(seed)")
    let titles = written.entries.map { M3U.flat($0.title ?? "") }
    #expect(read.entries.map { $0.title ?? "" } == titles, "seed \(seed)")
    #expect(read.name ?? "" == M3U.flat(playlist.name), "seed \(seed)")
    let matcher = M3UMatcher(tracks, of: Self.server)
    #expect(read.entries.map { matcher.answer($0) } == tracks.map { .track($0) }, "seed \(seed)")
  }

  /// Files as other programs write them, and the places and titles in them.
  static let files: [(bytes: [UInt8], places: [String], titles: [String?])] = [
    (Array("a.mp3\nsub/b.mp3\n".utf8), ["a.mp3", "sub/b.mp3"], [nil, nil]),
    (
      [0xEF, 0xBB, 0xBF] + Array("#EXTM3U\r\n#EXTINF:12,X - Y\r\nC:\\Music\\y.mp3\r\n".utf8),
      ["C:\\Music\\y.mp3"], ["X - Y"]
    ),
    (Array("#extm3u\r#extinf:-1,One\rone.ogg\r\u{1A}".utf8), ["one.ogg", "\u{1A}"], ["One", nil]),
    // Latin-1.
    (
      Array("#EXTINF:3,Caf".utf8) + [0xE9] + Array("\ncaf".utf8) + [0xE9] + Array(".mp3\n".utf8),
      ["café.mp3"], ["Café"]
    ),
    // What Windows writes beyond Latin-1.
    (
      Array("#EXTINF:3,Don".utf8) + [0x92] + Array("t \n".utf8) + [0x80, 0x97, 0x9F]
        + Array(".mp3".utf8),
      ["€—Ÿ.mp3"], ["Don’t"]
    ),
    (
      Array("#EXTINF:3 tvg-name=\"a, b\" x=\"1\",Real title, with comma\nhttp://h/x.mp3".utf8),
      ["http://h/x.mp3"], ["Real title, with comma"]
    ),
    (
      Array("#EXTM3U\n#EXTVLCOPT:x\n\n  \n# a remark\n  padded.mp3  \n".utf8), ["padded.mp3"], [nil]
    ),
    // UTF-16, of either order.
    ([0xFF, 0xFE, 0x61, 0, 0xE9, 0, 0x0A, 0], ["aé"], [nil]),
    ([0xFE, 0xFF, 0, 0x61, 0, 0x0D, 0, 0x0A, 0x96, 0xEA], ["a", "雪"], [nil, nil]),
    // A title belongs to the next place alone.
    (Array("#EXTINF:3,First\na\nb\n".utf8), ["a", "b"], ["First", nil]),
    ([], [], []),
  ]

  @Test(arguments: files)
  func `files of other programs are read`(
    file: (bytes: [UInt8], places: [String], titles: [String?])
  ) throws {
    let read = try M3U(file.bytes)
    #expect(read.entries.map(\.place) == file.places)
    #expect(read.entries.map(\.title) == file.titles)
    #expect(read.entries.allSatisfy { $0.id == nil })
  }

  @Test(arguments: [
    ([UInt8](0..<64), M3U.ReadingError.binary), (Array("ID3\u{0}\u{0}".utf8), .binary),
    (Array("  <!DOCTYPE html>".utf8), .another("it is XML or a web page")),
    (Array("[playlist]\nFile1=x".utf8), .another("it is a pls file")),
    (Array("{\"a\": 1}".utf8), .another("it is JSON")),
    ([UInt8](repeating: 0x0A, count: 1_000_001), .another("it has more than 1000000 lines")),
  ])
  func `what is no playlist is told`(bytes: [UInt8], error: M3U.ReadingError) {
    #expect(throws: error) { try M3U(bytes) }
  }

  @Test(arguments: 0..<10)
  func `whatever bytes there are, they are read or refused`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let good = Array(
      "\u{FEFF}#EXTM3U\r\n#EXTINF:3 a=\"b,c\",É — 漢\r\nhttp://h/api/tracks/%41\n".utf8)
    for _ in 0..<200 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let place = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
        default: bytes.removeSubrange(place..<min(place + 3, bytes.count - 1))
        }
      }
      guard let file = try? M3U(bytes) else { continue }
      // What is read is written so that it is read again, but for what becomes a remark or a blank.
      let again = try M3U(Array(file.text.utf8))
      let places = file.entries.map { M3U.flat($0.place) }
      let kept = places.filter { !$0.isEmpty && $0.utf8.first != UInt8(ascii: "#") }
      #expect(again.entries.map(\.place) == kept, "seed \(seed)")
    }
  }

  @Test(arguments: [
    ("a/b/c.flac", "c"), ("C:\\x\\y z.mp3", "y z"), ("http://h/a%20b.ogg", "a b"),
    ("100%.mp3", "100%"),
    (".hidden", ".hidden"), ("plain", "plain"),
  ])
  func `a file's own name`(place: String, stem: String) {
    #expect(M3U.Entry(place: place).stem == stem)
  }
}

@Suite struct M3UMatcherTests {
  private static let hash = TrackID("sha256:" + String(repeating: "0a", count: 32))

  private static let library = [
    Track(id: "1", filename: "x/harbour.ogg", title: "Harbour", artist: "Ada", duration: 100),
    Track(id: "2", filename: "live/harbour.ogg", title: "Harbour", artist: "Ada", duration: 200),
    Track(id: "3", filename: "rain.mp3"),
    Track(id: Self.hash, filename: "hash.mp3"),
    Track(id: "4", filename: "04 - Snow.flac", title: "Snow", artist: "Bo", duration: nil),
    Track(id: "5", filename: "old/hail.mp3", title: "Hail", duration: 50, available: false),
    Track(id: "6", filename: "hail.mp3", title: "Hail", duration: 50),
    Track(id: "8", filename: "100%25.mp3"), Track(id: "9", filename: "100%.mp3"),
    Track(id: "7", filename: "gone.mp3", title: "Gone", duration: 50, available: false),
  ]

  private func answer(_ entry: M3U.Entry) -> [String] {
    switch M3UMatcher(Self.library, of: "http://h").answer(entry) {
    case .track(let track): [track.id.rawValue]
    case .nothing: []
    case .several(let tracks): ["several"] + tracks.map(\.id.rawValue)
    }
  }

  /// A line of a file, and the id it means, none, or several.
  static let lines: [(entry: M3U.Entry, means: [String])] = [
    (M3U.Entry(id: "2", server: "http://h", title: "Other", place: ""), ["2"]),
    (M3U.Entry(id: "9", title: "Ada - Harbour", duration: 101.9, place: ""), ["1"]),
    (M3U.Entry(title: "harbour", duration: 198, place: "/x.mp3"), ["2"]),
    (M3U.Entry(title: "Harbour", duration: 150, place: "/x.mp3"), []),
    (M3U.Entry(title: "Ada  -  HARBOUR", place: "/x.mp3"), ["several", "1", "2"]),
    (M3U.Entry(place: "../rain.MP3"), ["3"]),
    (M3U.Entry(place: "Rain.flac"), ["3"]),
    (M3U.Entry(place: "music\\harbour.mp3"), ["several", "1", "2"]),
    (M3U.Entry(duration: 99, place: "music\\harbour.mp3"), ["1"]),
    // An unknown length is no contradiction.
    (M3U.Entry(title: "Bo - Snow", duration: 77, place: ""), ["4"]),
    (M3U.Entry(place: "music/04%20-%20Snow.mp3"), ["4"]), (M3U.Entry(place: "100%25.mp3"), ["8"]),
    // What can be played goes before what can't.
    (M3U.Entry(title: "Hail", duration: 50, place: ""), ["6"]),
    (M3U.Entry(title: "Gone", place: ""), ["7"]),
    (M3U.Entry(title: "Storm", duration: 10, place: "storm.mp3"), []),
    // A title nobody has, but the file's own name.
    (M3U.Entry(title: "04", place: "04 - Snow.flac"), ["4"]),
    // Another server's ids mean nothing here, but hashes do.
    (M3U.Entry(id: "2", server: "http://g", title: "Other", place: ""), []),
    (M3U.Entry(id: hash, server: "http://g", place: ""), [hash.rawValue]),
    (M3U.Entry(id: "rain", place: "http://h/api/tracks/rain"), []),
  ]

  @Test(arguments: lines)
  func `by id, by title and length, by the file's name`(
    line: (entry: M3U.Entry, means: [String])
  ) {
    #expect(answer(line.entry) == line.means)
  }
}
