import RoomProtocol
import RoomSync
import TestSupport
import Testing

/// What must hold for any room and any player.
@Suite struct SyncPropertyTests {
  /// A room whose clock is exact, moved at random.
  struct Room {
    var state = ChannelState(channelID: "lobby", paused: false)
    var since: ContinuousClock.Instant

    mutating func say(at now: ContinuousClock.Instant) -> ChannelState {
      let position = ChannelTimeline(state, receivedAt: since).position(at: now)
      state.currentTimestamp = position.wireSeconds
      since = now
      return state
    }

    mutating func change(at now: ContinuousClock.Instant, _ random: inout SeededGenerator) {
      _ = say(at: now)
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        let id = ["a", "b", "c"].randomElement(using: &random) ?? "a"
        state.track = Track(id: TrackID(id), duration: 300)
        state.currentTimestamp = 0
      case 1: state.paused.toggle()
      case 2: state.currentTimestamp = .random(in: 0...299, using: &random)
      case 3: state.currentTimestamp += .random(in: -3...3, using: &random)
      case 4: state.currentIndex += 1
      default: break
      }
    }
  }

  /// A player that lands where it is told after a start-up time.
  struct FakePlayer {
    var id: LoadID?
    var timeline: ChannelTimeline?
    var begins: ContinuousClock.Instant?
    var hasStarted = false

    mutating func perform(
      _ action: SyncAction, at now: ContinuousClock.Instant, _ random: inout SeededGenerator
    ) {
      switch action {
      case .load(_, let id, let timeline), .seek(let id, let timeline), .play(let id, let timeline):
        self.id = id
        self.timeline = timeline
        begins = now + .milliseconds(Int.random(in: 0...3000, using: &random))
        hasStarted = false
      case .pause(_, let position):
        timeline = ChannelTimeline(
          timestamp: position, receivedAt: now, paused: true, length: nil)
      case .stop, .end:
        self = FakePlayer()
      }
    }

    func heard(at now: ContinuousClock.Instant) -> Duration? {
      guard let timeline, !timeline.paused, let begins, now >= begins else { return nil }
      return timeline.position(at: now)
    }
  }

  @Test(arguments: 0..<30)
  func `any room is followed: settled, the drift is below the threshold`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let start = ContinuousClock.now
    var now = start
    var engine = SyncEngine()
    var room = Room(since: start)
    var player = FakePlayer()
    _ = engine.handle(.joined("lobby"), at: now)
    for step in 0..<400 {
      now += .milliseconds(500)
      var events: [SyncEvent] = []
      if Int.random(in: 0..<12, using: &random) == 0 {
        room.change(at: now, &random)
        events.append(.state(room.say(at: now)))
      }
      if let id = player.id {
        if player.heard(at: now) != nil, !player.hasStarted {
          player.hasStarted = true
          events.append(.started(id))
        }
        events.append(.tick(heard: player.heard(at: now), of: id))
      }
      for event in events {
        for action in engine.handle(event, at: now) { player.perform(action, at: now, &random) }
      }
      let expected = ChannelTimeline(room.state, receivedAt: room.since).position(at: now)
      if let heard = player.heard(at: now), room.state.track != nil {
        #expect(heard - expected < .seconds(2), "seed \(seed) step \(step)")
        #expect(expected - heard < .seconds(2), "seed \(seed) step \(step)")
        #expect(!room.state.paused, "seed \(seed) step \(step)")
      }
    }
  }

  @Test(arguments: 0..<30)
  func `a steady room is never sought twice within the settle time`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let start = ContinuousClock.now
    var now = start
    var engine = SyncEngine()
    var room = Room(since: start)
    room.state.track = Track(id: "a", duration: 100_000)
    _ = engine.handle(.joined("lobby"), at: now)
    _ = engine.handle(.state(room.say(at: now)), at: now)
    var heardSince: ContinuousClock.Instant?
    for _ in 0..<500 {
      now += .milliseconds(Int.random(in: 1...700, using: &random))
      guard let id = engine.currentLoad else { break }
      // A player of no worth: it is heard anywhere, and starts when it likes.
      let event: SyncEvent
      switch Int.random(in: 0..<4, using: &random) {
      case 0: event = .state(room.say(at: now))
      case 1:
        event = .started(id)
        heardSince = heardSince ?? now
      default:
        event = .tick(heard: .seconds(Double.random(in: 0...1000, using: &random)), of: id)
      }
      let actions = engine.handle(event, at: now)
      guard !actions.isEmpty else { continue }
      let settled = heardSince.map { now - $0 >= .seconds(1) } ?? false
      #expect(settled, "seed \(seed): \(actions)")
      heardSince = nil
    }
  }

  @Test(arguments: 0..<30)
  func `the same word said again changes nothing`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let start = ContinuousClock.now
    var now = start
    var engine = SyncEngine()
    var room = Room(since: start)
    _ = engine.handle(.joined("lobby"), at: now)
    for _ in 0..<100 {
      now += .milliseconds(Int.random(in: 0...5000, using: &random))
      room.change(at: now, &random)
      let state = room.say(at: now)
      _ = engine.handle(.state(state), at: now)
      let load = engine.currentLoad
      #expect(engine.handle(.state(state), at: now).isEmpty, "seed \(seed)")
      #expect(engine.currentLoad == load, "seed \(seed)")
      // Nor does the same room's next word, as long as nobody moves it.
      now += .milliseconds(Int.random(in: 0...30_000, using: &random))
      #expect(engine.handle(.state(room.say(at: now)), at: now).isEmpty, "seed \(seed)")
    }
  }

  @Test(arguments: 0..<30)
  func `placements only get younger, and nothing follows a kick`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var now = ContinuousClock.now
    var engine = SyncEngine()
    var newest = LoadID(rawValue: 0)
    var room = Room(since: now)
    for step in 0..<300 {
      now += .milliseconds(Int.random(in: 0...4000, using: &random))
      let id = LoadID(
        rawValue: UInt64.random(in: 0...newest.rawValue + 1, using: &random))
      let events: [SyncEvent] = [
        .joined(Bool.random(using: &random) ? "lobby" : "attic"), .started(id), .ended(id),
        .failed(id), .tick(heard: .seconds(Double.random(in: -5...400, using: &random)), of: id),
        .tick(heard: nil, of: id), .disconnected, .left, .queue([], of: "lobby"),
      ]
      room.change(at: now, &random)
      let event =
        step % 2 == 0 ? SyncEvent.state(room.say(at: now)) : events.randomElement(using: &random)
      for action in event.map({ engine.handle($0, at: now) }) ?? [] {
        switch action {
        case .load(_, let id, _), .seek(let id, _), .play(let id, _):
          #expect(id > newest, "seed \(seed)")
          newest = id
        case .pause(let id, _): #expect(id == newest, "seed \(seed)")
        case .stop, .end: break
        }
      }
    }
    #expect(engine.handle(.kicked(reason: "x"), at: now).last == .end(reason: "x"))
    #expect(engine.handle(.joined("lobby"), at: now).isEmpty)
    #expect(engine.handle(.state(room.say(at: now)), at: now).isEmpty)
  }
}
