import Caching
import RoomClient
import RoomProtocol
import TestSupport
import Testing

@testable import CommandLineFront
@testable import Listening
@testable import Playback

/// What programs read of each event, against docs/json.md.
@Suite struct EventJSONTests {
  private static let track = Track(id: "t", title: "Title", duration: 60)
  private static let lobby = ChannelInfo(id: "lobby", name: "Lobby")
  private static let ada = User(id: 1, username: "ada")
  private static let report = PositionReport(
    position: .seconds(1), expected: .seconds(1), drift: .zero, buffered: .seconds(2), underruns: 0)
  private static let sink = SinkFormat(rate: 44100, period: 1, buffer: 4, sampleFormat: "s16")

  static let events: [(name: String, event: ListeningEvent)] = [
    ("connected", .connected(channel: lobby, user: ada)),
    (
      "disconnected",
      .disconnected(.init(reason: .closed(code: 1006, reason: ""), retryAfter: .seconds(3)))
    ),
    ("offline", .offline(cached: 3)),
    ("server_moved", .serverMoved(.standard)),
    ("session_expired", .sessionExpired(of: "ada", now: nil)),
    ("switched", .switched(lobby)), ("channels", .channels([lobby])), ("source", .source(.library)),
    ("track", .track(track, index: 0, .room)),
    ("state", .state(ChannelState(channelID: "lobby"), .room)),
    ("queue", .queue([track], currentIndex: 0)), ("position", .position(report)),
    ("started", .started(track)), ("ended", .ended(track)), ("starved", .starved(track)),
    ("seek", .seek(to: .seconds(1))), ("skip", .skip(by: .milliseconds(3))),
    ("underrun", .underrun(1)), ("download", .download(.failed("t", .cancelled))),
    ("device", .device(name: "null", sink, origin: .now)), ("device_released", .deviceReleased),
    ("scan", .scan(scanning: true, processed: 1, total: 2)),
    ("toast", .toast(message: "hello", kind: "info")),
    ("fetch", .fetch(FetchUpdate(type: "fetch_progress"))), ("kick", .kick(reason: "elsewhere")),
    ("error", .unplayable(track, .unavailable)),
  ]

  @Test func `each event has its documented keys, and each documented event is there`() throws {
    let documented = try DocumentedEvents.keys()
    for (name, event) in Self.events {
      guard case .object(let members)? = EventJSON.now().object(event) else {
        Issue.record("\(name) is not told")
        continue
      }
      #expect(members.first?.value == .text(name))
      #expect(members.dropFirst().first?.key == "at")
      #expect(Set(members.dropFirst(2).map(\.key)) == documented[name], "\(name)")
    }
    #expect(Set(documented.keys) == Set(Self.events.map(\.name)))
  }

  @Test func `an error that is about no track names none`() {
    for event: ListeningEvent in [
      .serverError("no"), .strangeFrame("x"), .ignored(.pause),
      .deviceFailed(SinkError(device: "alsa:x", operation: .open, code: 16)),
    ] {
      guard case .object(let members)? = EventJSON.now().object(event) else { return }
      #expect(members.map(\.key) == ["event", "at", "message"])
    }
  }
}
