import Caching
import Glibc
import RoomClient
import RoomProtocol
import Testing

@testable import CommandLineFront

/// What `cache add` reads and says.
@Suite struct FillTextTests {
  @Test(arguments: [
    ("23:30", UntilTime.clock(hour: 23, minute: 30)), ("7:05", .clock(hour: 7, minute: 5)),
    ("0:00", .clock(hour: 0, minute: 0)), ("+2h", .after(.seconds(7200))),
    ("90m", .after(.seconds(5400))), ("1h30m", .after(.seconds(5400))),
    ("+45s", .after(.seconds(45))),
  ])
  func `an end is a time of the clock, or so long from now`(text: String, meant: UntilTime) {
    #expect(UntilTime(text) == meant)
  }

  @Test(arguments: [
    "", "24:00", "12:60", "12:5", "noon", "90", "+", "2h3", "3m2h", "-2h", "0m", "1:2:3", "h",
    "99999999999999999999h", "23:30\u{0}", "２3:30",
  ])
  func `anything else is no end`(text: String) {
    #expect(UntilTime(text) == nil)
  }

  @Test(arguments: [0, 23 * 3600, 86_399] as [time_t])
  func `a time of the clock is the next one, a day away at most`(offset: time_t) throws {
    // Whatever the zone: what the clock then shows is what was asked for.
    let now: time_t = 1_780_000_000 + offset
    for (hour, minute) in [(0, 0), (12, 34), (23, 59)] {
      let distance = UntilTime.clock(hour: hour, minute: minute).distance(from: now)
      #expect(distance > .zero && distance <= .seconds(25 * 3600))
      var end = now + time_t(distance.components.seconds)
      var shown = tm()
      localtime_r(&end, &shown)
      #expect(shown.tm_hour == hour && shown.tm_min == minute && shown.tm_sec == 0)
    }
  }

  @Test(
    arguments: [
      ("500k", 500_000), ("2M", 2_000_000), ("4G", 4_000_000_000), ("1.5G", 1_500_000_000),
      ("0", 0), ("4 GB", 4_000_000_000), ("12345", 12_345), ("10kB", 10_000), ("512 B", 512),
    ] as [(String, Int64)])
  func `sizes are read`(text: String, bytes: Int64) {
    #expect(SizeText.bytes(text) == bytes)
  }

  @Test(arguments: ["", "k", "-1", "1e9", "9223372036854775808", "99999999T", "1.2.3", "4X", "B"])
  func `what is no size is none`(text: String) {
    #expect(SizeText.bytes(text) == nil)
  }

  @Test func `reasons are counted together, whatever stands in them of a track`() {
    var tally = FillTally()
    tally.want((0..<6).map { TrackID("\($0)") })
    tally.take("0", .fetched(2_000_000))
    tally.take("1", .present(10))
    for id in ["2", "3"] as [TrackID] {
      let error = RoomError.notFound(operation: "GET /api/tracks/\(id)", message: "no \(id)")
      tally.take(id, .absent(.lost, CacheError.fetch(track: id, error)))
    }
    tally.take("4", .absent(.missing, nil))
    tally.take("5", .absent(.missing, nil))
    #expect(
      tally.lines == [
        "cached 1 track (2.0 MB), 1 was here already",
        "2 can't be had: the server does not have it", "2 still missing: not tried to the end",
      ])
    #expect(tally.failure?.code == .incomplete)
    tally.take("4", .fetched(1))
    tally.take("5", .fetched(1))
    #expect(tally.failure?.code == .lost)
    #expect(tally.failure?.status == .data)
    // Nobody wants those any more.
    tally.want(["0", "1"])
    #expect(tally.failure == nil)
    #expect(tally.reasons.isEmpty)
  }

  @Test func `what surely does not fit is known`() {
    let sizes: [TrackID: Int64] = ["a": 100, "b": 200, "d": .max, "e": .max]
    let fits = FillBudget(["a", "b", "c"], sizes: sizes, here: ["b": 150], room: 150)
    #expect(fits.known == 150)
    #expect(fits.unknown == 1)
    #expect(fits.lacking == 0)
    let huge = FillBudget(["d", "e"], sizes: sizes, here: [:], room: 10)
    #expect(huge.lacking == .max - 10)
  }

  @Test func `a queue is needed from the current row on`() {
    func track(_ name: String, _ available: Bool = true) -> Track {
      Track(id: TrackID(name), available: available)
    }
    let rows = QueueRows(
      tracks: [track("a"), track("b"), track("c", false), track("b"), track("d")],
      currentIndex: 3)
    #expect(QueueFollower.inOrder(rows).map(\.id) == ["b", "d", "a"])
    #expect(QueueFollower.inOrder(QueueRows(tracks: [], currentIndex: 7)).isEmpty)
  }
}
