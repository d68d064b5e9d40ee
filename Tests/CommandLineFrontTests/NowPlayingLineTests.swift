import Listening
import RoomProtocol
import Testing

@testable import CommandLineFront

@Suite struct NowPlayingLineTests {
  private func snapshot(_ title: String) -> ListeningSnapshot {
    let track = Track(id: "x", filename: "x.mp3", title: title, duration: 200)
    var snapshot = ListeningSnapshot(
      state: ChannelState(track: track, channelName: "Lobby", paused: false), queue: nil)
    snapshot.isConnected = true
    snapshot.heard = .seconds(100)
    snapshot.drift = .microseconds(12_345)
    snapshot.segments = Array(repeating: 1, count: 20)
    return snapshot
  }

  private static let bar = "[####################]"

  /// What a title of 30 letters leaves room for.
  static let lines: [(columns: Int, line: String)] = [
    (119, ">  AAAAAAAAAABBBBBBBBBBCCCCCCCCCC 1:40/3:20 ━━━━━━━━━━────────── \(bar) +12.3 ms"),
    (79, ">  AAAAAAAAAABBBBBBBBBBCC… 1:40/3:20 ━━━━━───── \(bar) +12.3 ms"),
    (69, ">  AAAAAAAAAABBBBBBBBBBCCCCC… 1:40/3:20 ━━━━━━━━━━────────── +12.3 ms"),
    (49, ">  AAAAAAAAAABBBBB… 1:40/3:20 ━━━━━───── +12.3 ms"),
    (39, ">  AAAAAAAAAABBBBBB… 1:40/3:20 +12.3 ms"),
    (29, ">  AAAAAAAAAABBBBB… 1:40/3:20"), (19, ">  AAAAA… 1:40/3:20"), (9, ">   1:40…"),
  ]

  @Test(arguments: lines)
  func `what does not fit goes, the drift after the bars`(line: (columns: Int, line: String)) {
    let snapshot = snapshot("AAAAAAAAAABBBBBBBBBBCCCCCCCCCC")
    let text = NowPlayingLine.text(snapshot, columns: line.columns, isPlain: false)
    #expect(text == line.line)
  }

  @Test(arguments: [
    "夜に駆ける夜に駆ける夜に駆ける", "👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦 family", "שלום עולם", "e\u{301}e\u{301}e\u{301}", "\u{1B}[2J\nforged",
  ])
  func `no title makes it wider than the terminal`(title: String) {
    for columns in 1...120 {
      let text = NowPlayingLine.text(snapshot(title), columns: columns, isPlain: false)
      #expect(Printable.width(text) <= columns)
      #expect(!text.unicodeScalars.contains(where: Printable.isUnsafe))
    }
  }

  @Test func `where the locale writes ASCII alone so does it`() {
    let text = NowPlayingLine.text(snapshot("A"), columns: 99, isPlain: true)
    #expect(text == ">  A 1:40/3:20 ==========---------- \(Self.bar) +12.3 ms")
  }
}
