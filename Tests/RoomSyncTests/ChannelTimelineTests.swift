import RoomProtocol
import RoomSync
import TestSupport
import Testing

@Suite struct ChannelTimelineTests {
  let start = ContinuousClock.now

  func timeline(
    _ timestamp: Double, paused: Bool = false, duration: Double? = 180
  ) -> ChannelTimeline {
    ChannelTimeline(
      ChannelState(
        track: Track(id: "a", duration: duration), currentTimestamp: timestamp, paused: paused),
      receivedAt: start)
  }

  @Test func `a playing channel moves with the clock`() {
    #expect(timeline(10).position(at: start) == .seconds(10))
    #expect(timeline(10).position(at: start + .milliseconds(3500)) == .milliseconds(13_500))
  }

  @Test func `a paused channel stands still`() {
    #expect(timeline(10, paused: true).position(at: start + .seconds(99)) == .seconds(10))
  }

  @Test func `the position stays in the track`() {
    #expect(timeline(175).position(at: start + .seconds(10)) == .seconds(180))
    #expect(timeline(200).position(at: start) == .seconds(180))
    #expect(timeline(200, paused: true).position(at: start) == .seconds(180))
    #expect(timeline(-5).position(at: start) == .zero)
    #expect(timeline(-5).position(at: start + .seconds(6)) == .seconds(1))
    #expect(timeline(1).position(at: start - .seconds(5)) == .zero)
  }

  @Test(arguments: [nil, 0, -1, .nan, .infinity] as [Double?])
  func `without a known duration there is no clamp`(duration: Double?) {
    #expect(
      timeline(1000, duration: duration).position(at: start + .seconds(5)) == .seconds(1005))
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300])
  func `a senseless timestamp does not trap`(timestamp: Double) {
    let position = timeline(timestamp).position(at: start + .seconds(1))
    #expect(position >= .zero && position <= .seconds(180))
  }

  @Test func `an instant is told for a position`() {
    #expect(timeline(10).instant(of: .seconds(12)) == start + .seconds(2))
    #expect(timeline(10, paused: true).instant(of: .seconds(12)) == nil)
  }

  @Test func `a late device is led`() {
    #expect(
      timeline(10).leading(by: .milliseconds(300)).position(at: start) == .milliseconds(10_300))
    #expect(timeline(10, paused: true).leading(by: .seconds(1)).position(at: start) == .seconds(10))
  }

  @Test(arguments: 0..<50)
  func `while playing the position never goes back nor leaves the track`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let duration = Double.random(in: 0.1...600, using: &random)
    let timeline = timeline(Double.random(in: -50...700, using: &random), duration: duration)
    var last = Duration.zero
    var instant = start
    for _ in 0..<200 {
      instant += .microseconds(Int.random(in: 0...5_000_000, using: &random))
      let position = timeline.position(at: instant)
      #expect(position >= last, "seed \(seed)")
      #expect(position <= .seconds(duration), "seed \(seed)")
      last = position
    }
  }
}

@Suite struct QueueKeeperTests {
  let tracks = [Track(id: "a"), Track(id: "b")]

  @Test func `an absent queue keeps the last one, an empty one empties`() {
    var keeper = QueueKeeper()
    #expect(keeper["lobby"] == nil)
    keeper.take(nil, of: "lobby")
    #expect(keeper["lobby"] == nil)
    keeper.take(tracks, of: "lobby")
    keeper.take(nil, of: "lobby")
    #expect(keeper["lobby"] == tracks)
    keeper.take([], of: "lobby")
    #expect(keeper["lobby"] == [])
  }

  @Test func `each channel has its own queue`() {
    var keeper = QueueKeeper()
    keeper.take(tracks, of: "lobby")
    keeper.take([], of: "attic")
    #expect(keeper["lobby"] == tracks)
    #expect(keeper["attic"] == [])
    #expect(keeper["cellar"] == nil)
  }
}
