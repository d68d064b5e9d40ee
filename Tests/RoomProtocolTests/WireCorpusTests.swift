import Foundation
import RoomProtocol
import TestSupport
import Testing

/// What a file of the corpus must become.
struct WireRow: CustomTestStringConvertible, Sendable {
  var file: String
  var expected: ServerMessage
  /// The queue, where the state carries one, and how many of its rows are lost.
  var queue: TolerantList<Track>?

  init(_ file: String, _ expected: ServerMessage, queue: TolerantList<Track>? = nil) {
    self.file = file
    self.expected = expected
    self.queue = queue
  }

  var testDescription: String { file }
}

extension ServerMessage {
  static func state(_ state: ChannelState) -> ServerMessage {
    .state(ReceivedState(state: state))
  }
}

@Suite struct WireCorpusTests {
  static let one = Track(id: "sha256:aa", filename: "One.mp3", title: "One", duration: 183.456)

  static let states: [WireRow] = [
    WireRow(
      "state-full",
      .state(
        ChannelState(
          track: Track(
            id: "sha256:aa", filename: "One.mp3", title: "One", artist: "A", album: "B",
            duration: 183.456, replayGainDB: -6.5, replayPeak: 0.98),
          currentTimestamp: 12.345, channelName: "Lobby", channelID: "lobby",
          description: "for all", paused: false, currentIndex: 1, listenerCount: 3,
          isDefault: true, playbackMode: .repeatOne, listeners: ["ann", "ben"])),
      queue: TolerantList([Track(id: "sha256:bb", filename: "Two.ogg", duration: 60), one])),
    WireRow(
      "state-no-queue",
      .state(
        ChannelState(
          track: one, currentTimestamp: 12, channelName: "Lobby", channelID: "lobby",
          paused: false, currentIndex: 1, listenerCount: 3, isDefault: true,
          playbackMode: .shuffle))),
    WireRow("state-null-queue", .state(ChannelState(currentTimestamp: 1, channelID: "lobby"))),
    WireRow(
      "state-empty-queue", .state(ChannelState(channelID: "lobby")), queue: TolerantList([])),
    WireRow(
      "state-queue-no-list",
      .state(ChannelState(track: Track(id: "a"), currentTimestamp: 1, channelID: "lobby"))),
    WireRow(
      "state-null-track",
      .state(ChannelState(channelName: "Lobby", channelID: "lobby", paused: false)),
      queue: TolerantList([])),
    WireRow(
      "state-null-title",
      .state(
        ChannelState(
          track: Track(id: "sha256:aa", filename: "dir.x/My Song.final.mp3", duration: 10),
          channelID: "lobby"))),
    WireRow("state-only-timestamp", .state(ChannelState(currentTimestamp: 4.5))),
    WireRow("state-only-track", .state(ChannelState(track: Track(id: "sha256:aa")))),
    WireRow("state-nulls", .state(ChannelState(track: Track(id: "sha256:aa")))),
    WireRow(
      "state-wrong-types",
      .state(
        ChannelState(
          track: Track(id: "sha256:aa", duration: 61.5, available: false), currentTimestamp: 12.5,
          channelID: "42", paused: false, currentIndex: 3, isDefault: true,
          listeners: ["ann", "ben"]))),
    WireRow(
      "state-overflow",
      .state(
        ChannelState(
          track: Track(id: "a", duration: 1e300), currentTimestamp: -1e300, channelID: "lobby",
          currentIndex: 1 << 53, listenerCount: -(1 << 53)))),
    WireRow(
      "state-not-finite", .state(ChannelState(track: Track(id: "a"), channelID: "lobby"))),
    WireRow(
      "state-extra-fields",
      .state(
        ChannelState(
          track: Track(id: "a"), currentTimestamp: 2, channelID: "lobby",
          playbackMode: .unknown("party")))),
    WireRow(
      "state-bad-element", .state(ChannelState(channelID: "lobby")),
      queue: TolerantList(
        [Track(id: "a"), Track(id: "c", title: "\u{FFFD}"), Track(id: "7")], droppedElements: 6)),
    WireRow("state-bad-track", .broken(reason: "unreadable track.id")),
    WireRow(
      "state-tricky-strings",
      .state(
        ChannelState(
          track: Track(id: "a", title: "\"queue\""), currentTimestamp: 1,
          channelName: "a \"queue\":[1] \\", channelID: "lobby", description: "},]{[")),
      queue: TolerantList([
        Track(id: "a", title: "\\\"]}"), Track(id: "b", title: "\u{1b}[31mred\n"),
      ])),
    WireRow("type-null", .state(ChannelState(track: Track(id: "a"), currentTimestamp: 3))),
  ]

  static let typed: [WireRow] = [
    WireRow(
      "channel-list",
      .channelList(
        TolerantList(
          [
            ChannelInfo(
              id: "lobby", name: "Lobby", trackCount: 2, listenerCount: 1, listeners: ["ann"],
              isDefault: true),
            ChannelInfo(id: "b"),
          ], droppedElements: 2))),
    WireRow("channel-list-missing", .channelList(TolerantList([]))),
    WireRow("switched", .switched(to: "abc123")),
    WireRow("switched-nowhere", .switched(to: nil)),
    WireRow("kick", .kick(reason: "Kicked by another session")),
    WireRow("kick-bare", .kick(reason: "")),
    WireRow("toast", .toast(message: "Added: Song", kind: "info")),
    WireRow("scan-progress", .scanProgress(scanning: true, processed: 1, total: 20)),
    WireRow(
      "fetch-progress",
      .fetch(
        FetchUpdate(type: "fetch_progress", id: "job", status: "downloading", progress: 50))),
    WireRow("fetch-complete", .fetch(FetchUpdate(type: "fetch_complete", id: "7", title: "Song"))),
    WireRow(
      "fetch-error",
      .fetch(FetchUpdate(type: "fetch_error", id: "job", message: "no such video"))),
    WireRow("fetch-novel", .fetch(FetchUpdate(type: "fetch_paused"))),
    WireRow("error", .error(message: "Channel not found")),
    WireRow("error-untyped", .error(message: "x")),
    WireRow("unknown-type", .unknown(type: "weather")),
    WireRow("unknown-type-number", .unknown(type: "5")),
    WireRow("untyped-other", .unknown(type: nil)),
    WireRow("empty-object", .unknown(type: nil)),
  ]

  static let broken: [WireRow] = [
    WireRow("not-json", .broken(reason: "not JSON")),
    WireRow("not-object", .broken(reason: "not a JSON object")),
    WireRow("cut-off", .broken(reason: "not JSON")),
    WireRow("trailing-garbage", .broken(reason: "not JSON")),
    WireRow("empty", .broken(reason: "not JSON")),
  ]

  /// Files that are answers of REST, read in other suites, or whose reading is left to the decoder.
  static let others: Set<String> = [
    "bad-utf8", "user-envelope-camel", "user-envelope-snake", "user-bare", "user-none",
    "status-ours", "status-other", "status-empty", "playlists",
  ]

  @Test(arguments: states + typed + broken)
  func `a frame becomes its message`(row: WireRow) throws {
    let message = ServerMessage(decoding: try Fixture.bytes("wire/\(row.file).json"))
    guard case .state(let received) = message else {
      #expect(message == row.expected)
      #expect(row.queue == nil)
      return
    }
    #expect(.state(received.state) == row.expected)
    #expect(try received.queueText?.decode() == row.queue)
  }

  @Test(arguments: states + typed)
  func `what we write reads back the same`(row: WireRow) throws {
    let message = ServerMessage(decoding: try Fixture.bytes("wire/\(row.file).json"))
    switch message {
    case .unknown, .broken:
      #expect(try WireJSON.encode(message) == Array("null".utf8))
    case .state(let received):
      let again = ServerMessage(decoding: try WireJSON.encode(message))
      guard case .state(let second) = again else {
        Issue.record("became \(again)")
        return
      }
      #expect(second.state == received.state)
      #expect(try second.queueText?.decode().elements == received.queueText?.decode().elements)
    case .channelList(let list):
      let again = ServerMessage(decoding: try WireJSON.encode(message))
      #expect(again == .channelList(TolerantList(list.elements)))
    default:
      #expect(ServerMessage(decoding: try WireJSON.encode(message)) == message)
    }
  }

  @Test func `every file of the corpus has a row`() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Fixture.path("wire"))
    let rows = Set((Self.states + Self.typed + Self.broken).map(\.file)).union(Self.others)
    #expect(Set(files.map { String($0.dropLast(".json".count)) }) == rows)
  }

  @Test func `bytes that are no UTF-8 never become another track`() throws {
    let message = ServerMessage(decoding: try Fixture.bytes("wire/bad-utf8.json"))
    switch message {
    case .broken: break
    case .state(let received): #expect(received.state.track?.id == "a")
    default: Issue.record("became \(message)")
    }
  }
}
