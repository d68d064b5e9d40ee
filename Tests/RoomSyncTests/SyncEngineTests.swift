import RoomProtocol
import RoomSync
import TestSupport
import Testing

@Suite struct SyncEngineTests {
  let start = ContinuousClock.now

  func state(_ id: TrackID, at timestamp: Double, paused: Bool = false) -> ChannelState {
    ChannelState(
      track: Track(id: id, duration: 600), currentTimestamp: timestamp, channelID: "lobby",
      paused: paused)
  }

  /// An engine whose first placement is heard since `start`.
  func playing(_ policy: DriftPolicy = .tight) throws -> SyncEngine {
    var engine = SyncEngine(policy: policy)
    _ = engine.handle(.joined("lobby"), at: start)
    _ = engine.handle(.state(state("a", at: 0)), at: start)
    _ = engine.handle(.started(try #require(engine.currentLoad)), at: start)
    return engine
  }

  @Test(arguments: [
    (Duration.milliseconds(1999), false), (.milliseconds(2000), true),
    (.milliseconds(-1999), false),
    (.milliseconds(-2000), true), (.nanoseconds(1_999_999_999), false),
  ])
  func `drift of exactly two seconds seeks, a nanosecond less does not`(
    drift: Duration, seeks: Bool
  ) throws {
    var engine = try playing()
    let id = try #require(engine.currentLoad)
    let now = start + .seconds(50)
    let actions = engine.handle(.tick(heard: .seconds(50) + drift, of: id), at: now)
    #expect(!actions.isEmpty == seeks)
    #expect(engine.drift(at: now) == (seeks ? nil : drift))
  }

  @Test func `an action carries the room's timeline`() throws {
    var engine = SyncEngine()
    _ = engine.handle(.joined("lobby"), at: start)
    let state = state("a", at: 12)
    let actions = engine.handle(.state(state), at: start)
    let timeline = ChannelTimeline(state, receivedAt: start)
    let track = try #require(state.track)
    #expect(actions == [.load(track, LoadID(rawValue: 1), timeline)])
    #expect(engine.timeline == timeline)
  }

  @Test func `what the device adds is led, and taken off what is heard`() throws {
    var policy = DriftPolicy.tight
    policy.outputLatency = .milliseconds(300)
    var engine = SyncEngine(policy: policy)
    _ = engine.handle(.joined("lobby"), at: start)
    let actions = engine.handle(.state(state("a", at: 10)), at: start)
    guard case .load(_, let id, let timeline) = actions.first else {
      Issue.record("no load")
      return
    }
    #expect(timeline.position(at: start) == .milliseconds(10_300))
    _ = engine.handle(.started(id), at: start)
    let now = start + .seconds(5)
    #expect(engine.handle(.tick(heard: .milliseconds(15_300), of: id), at: now).isEmpty)
    #expect(engine.drift(at: now) == .zero)
    #expect(engine.handle(.tick(heard: .milliseconds(17_299), of: id), at: now).isEmpty)
    #expect(engine.handle(.tick(heard: .milliseconds(17_300), of: id), at: now).count == 1)
  }

  @Test func `the queue of a state is kept by channel`() throws {
    var engine = try playing()
    #expect(engine.queue == nil)
    var full = state("a", at: 1)
    full.queue = [Track(id: "a"), Track(id: "b")]
    #expect(engine.handle(.state(full), at: start + .seconds(1)).isEmpty)
    #expect(engine.handle(.state(state("a", at: 2)), at: start + .seconds(2)).isEmpty)
    #expect(engine.queue == full.queue)
    #expect(engine.state?.currentTimestamp == 2)
  }

  @Test func `with the socket down playback goes on`() throws {
    var engine = try playing()
    let id = try #require(engine.currentLoad)
    #expect(engine.handle(.disconnected, at: start + .seconds(2)).isEmpty)
    #expect(!engine.isConnected)
    #expect(engine.handle(.tick(heard: .seconds(90), of: id), at: start + .seconds(90)).isEmpty)
    #expect(engine.timeline?.position(at: start + .seconds(90)) == .seconds(90))
    #expect(engine.handle(.joined("lobby"), at: start + .seconds(91)).isEmpty)
    #expect(engine.isConnected)
    #expect(engine.currentLoad == id)
  }

  @Test func `realigning places what plays once more, however small the drift`() throws {
    var engine = try playing()
    let before = try #require(engine.currentLoad)
    let now = start + .seconds(50)
    #expect(engine.handle(.tick(heard: .seconds(50), of: before), at: now).isEmpty)
    let actions = engine.handle(.realign, at: now)
    guard case .seek(let id, let timeline) = actions.first, actions.count == 1 else {
      Issue.record("\(actions)")
      return
    }
    #expect(id > before)
    #expect(timeline.position(at: now) == .seconds(50))
  }

  @Test func `realigning after a change of latency leads by the new one`() throws {
    var engine = try playing()
    engine.policy.outputLatency = .milliseconds(120)
    let now = start + .seconds(50)
    guard case .seek(_, let timeline) = engine.handle(.realign, at: now).first else {
      Issue.record("no seek")
      return
    }
    #expect(timeline.position(at: now) == .milliseconds(50_120))
  }

  @Test func `realigning loads again what has failed, and does nothing where nothing plays`() throws
  {
    var engine = try playing()
    _ = engine.handle(.failed(try #require(engine.currentLoad)), at: start + .seconds(1))
    guard case .load(let track, _, _) = engine.handle(.realign, at: start + .seconds(9)).first
    else {
      Issue.record("no load")
      return
    }
    #expect(track.id == "a")
    var idle = SyncEngine()
    #expect(idle.handle(.realign, at: start).isEmpty)
    _ = idle.handle(.joined("lobby"), at: start)
    #expect(idle.handle(.realign, at: start).isEmpty)
  }
}
