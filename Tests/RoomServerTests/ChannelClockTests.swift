import Testing

@testable import RoomServer

@Suite struct ChannelClockTests {
  private let start: Int64 = 1_700_000_000_000

  @Test func `a playing clock is the wall clock minus the start`() {
    let clock = ChannelClock(isPaused: false, now: start)
    #expect(clock.position(at: start) == 0)
    #expect(clock.position(at: start + 12_345) == 12_345)
  }

  @Test func `a paused clock stands still`() {
    var clock = ChannelClock(isPaused: false, now: start)
    clock.pause(duration: 60_000, at: start + 5000)
    #expect(clock.isPaused)
    #expect(clock.position(at: start + 50_000) == 5000)
    clock.unpause(at: start + 50_000)
    #expect(clock.position(at: start + 51_000) == 6000)
  }

  @Test func `pausing past the end stands at the end`() {
    var clock = ChannelClock(isPaused: false, now: start)
    clock.pause(duration: 3000, at: start + 3700)
    #expect(clock.position(at: start) == 3000)
  }

  @Test func `a step of the wall clock moves the position`() {
    let clock = ChannelClock(isPaused: false, now: start)
    #expect(clock.position(at: start + 1000 - 3_600_000) == -3_599_000)
    #expect(!clock.hasEnded(duration: 3000, at: start - 3_600_000))
  }

  @Test(
    arguments: [
      (9_999, 10_000, false), (10_000, 10_000, true), (10_999, 10_000, true),
    ] as [(Int64, Int64, Bool)])
  func `the end is reached at the duration itself`(after: Int64, duration: Int64, ends: Bool) {
    let clock = ChannelClock(isPaused: false, now: start)
    #expect(clock.hasEnded(duration: duration, at: start + after) == ends)
  }

  @Test func `neither a paused track nor one of unknown length ends`() {
    let paused = ChannelClock(position: 10_000, isPaused: true, now: start)
    #expect(!paused.hasEnded(duration: 10_000, at: start + 60_000))
    let playing = ChannelClock(isPaused: false, now: start)
    #expect(!playing.hasEnded(duration: nil, at: start + 1_000_000))
  }

  @Test(
    arguments: [
      (-5, 0), (0, 0), (7000, 7000), (10_000, 10_000), (99_000, 10_000),
    ] as [(Int64, Int64)], [true, false])
  func `a seek is clamped and keeps pausing`(row: (to: Int64, expected: Int64), paused: Bool) {
    var clock = ChannelClock(position: 1000, isPaused: paused, now: start)
    clock.seek(to: row.to, duration: 10_000, at: start + 500)
    #expect(clock.position(at: start + 500) == row.expected)
    #expect(clock.isPaused == paused)
  }

  @Test(arguments: [true, false])
  func `a restart carries nothing over and keeps pausing`(paused: Bool) {
    var clock = ChannelClock(position: 10_900, isPaused: paused, now: start)
    clock.restart(at: start + 100)
    #expect(clock.position(at: start + 100) == 0)
    #expect(clock.isPaused == paused)
  }
}
