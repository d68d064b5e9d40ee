package import RoomProtocol

/// The rules of playing in sync: events in, actions out.
///
/// It owns no clock, no socket and no player. Time is an argument, so that everything it does can
/// be tried out in a test. The rules are numbered in docs/sync.md and cited here.
///
/// ```swift
/// var engine = SyncEngine()
/// _ = engine.handle(.joined("lobby"), at: now)
/// for action in engine.handle(.state(state), at: arrival) { perform(action) }
/// ```
package struct SyncEngine: Sendable {
  /// How tolerant it is of drift.
  package var policy: DriftPolicy
  /// The channel that is listened to.
  package private(set) var channel: ChannelID?
  /// The last state of that channel.
  package private(set) var state: ChannelState?
  /// Where that channel is, as the last state said; nil where nothing plays.
  package private(set) var timeline: ChannelTimeline?
  /// Whether the socket is open; without it playback goes on along the timeline.
  package private(set) var isConnected = false
  /// The last queues.
  package private(set) var queues = QueueKeeper()
  /// Whether the server ended the session; nothing is done any more then.
  package private(set) var isOver = false

  private var placement: Placement?
  private var lastLoad: UInt64 = 0

  /// Makes an engine that listens to nothing yet.
  package init(policy: DriftPolicy = .tight) { self.policy = policy }

  /// The queue of the channel that is listened to, nil where it is not loaded.
  package var queue: [Track]? { channel.flatMap { queues[$0] } }

  /// The placement whose sound is wanted, nil where nothing is loaded.
  package var currentLoad: LoadID? { placement?.id }

  /// What is heard minus what is expected at an instant; nil where either is unknown.
  ///
  /// Positive is ahead of the room.
  package func drift(at instant: ContinuousClock.Instant) -> Duration? {
    guard let timeline, !timeline.paused, let heard = placement?.heard else { return nil }
    return heard.position(at: instant) - policy.outputLatency - timeline.position(at: instant)
  }

  /// Takes an event and says what to do.
  ///
  /// - Parameters:
  ///   - event: what happened.
  ///   - instant: when it happened.
  /// - Returns: the actions, to be performed in order.
  package mutating func handle(
    _ event: SyncEvent, at instant: ContinuousClock.Instant
  ) -> [SyncAction] {
    guard !isOver else { return [] }  // rule 27
    switch event {
    case .joined(let channel): return join(channel)
    case .state(let state): return take(state, at: instant)
    case .queue(let tracks, let channel): queues.take(tracks, of: channel)
    case .tick(let heard, let id): return tick(heard, of: id, at: instant)
    case .started(let id): update(id) { $0.start(at: instant) }
    case .ended(let id): return end(of: id, at: instant)
    case .failed(let id): update(id) { $0.phase = .failed }
    case .realign: return realign()
    case .disconnected: isConnected = false
    case .kicked(let reason):
      isOver = true
      return clear() + [.end(reason: reason)]
    case .left:
      channel = nil
      state = nil
      isConnected = false
      return clear()
    }
    return []
  }
}

// MARK: - The room's word

extension SyncEngine {
  private mutating func join(_ channel: ChannelID) -> [SyncAction] {
    isConnected = true
    guard channel != self.channel else { return [] }  // rule 25: a socket that came back
    self.channel = channel
    state = nil
    return clear()  // rule 8
  }

  private mutating func take(
    _ state: ChannelState, at instant: ContinuousClock.Instant
  ) -> [SyncAction] {
    guard let channel, state.channelID == nil || state.channelID == channel else {
      return []  // rule 7
    }
    queues.take(state.queue, of: channel)
    self.state = state
    self.state?.queue = nil
    guard let track = state.track else { return clear() }  // rule 10
    let previous = timeline
    let timeline = ChannelTimeline(state, receivedAt: instant)
    self.timeline = timeline
    guard let placement, placement.track == track.id else {
      return load(track, on: timeline)  // rule 9
    }
    if placement.wantsAnew(
      track, at: timeline.position(at: instant), after: previous?.position(at: instant),
      threshold: policy.threshold)
    {
      return load(track, on: timeline)
    }
    return follow(placement, timeline, at: instant)
  }

  /// The same track goes on: pausing, unpausing, or a jump.
  private mutating func follow(
    _ placement: Placement, _ timeline: ChannelTimeline, at instant: ContinuousClock.Instant
  ) -> [SyncAction] {
    guard placement.isAlive else { return [] }
    switch (placement.timeline.paused, timeline.paused) {
    case (false, true):
      self.placement?.pause(on: timeline)
      return [.pause(placement.id, at: timeline.position(at: instant))]  // rule 13
    case (true, false):
      return place(on: timeline, SyncAction.play)  // rule 14
    case (true, true):
      let moved = timeline.position(at: instant) - placement.timeline.position(at: instant)
      return exceeds(moved) ? place(on: timeline, SyncAction.seek) : []  // rule 15
    case (false, false):
      let aim = timeline.leading(by: policy.outputLatency).position(at: instant)
      let head = placement.playhead(at: instant)
      return exceeds(head - aim) ? place(on: timeline, SyncAction.seek) : []  // rules 11, 18
    }
  }

  private mutating func tick(
    _ heard: Duration?, of id: LoadID, at instant: ContinuousClock.Instant
  ) -> [SyncAction] {
    guard let timeline, !timeline.paused, let heard, let placement, placement.id == id,
      case .started(let start) = placement.phase
    else { return [] }
    guard instant >= start + policy.settle else { return [] }  // rule 17
    self.placement?.heard = ChannelTimeline(
      timestamp: heard, receivedAt: instant, paused: false, length: timeline.length)
    guard let drift = drift(at: instant), exceeds(drift) else { return [] }  // rule 11
    return place(on: timeline, SyncAction.seek)
  }

  private mutating func end(
    of id: LoadID, at instant: ContinuousClock.Instant
  ) -> [SyncAction] {
    guard let timeline, let placement, placement.id == id, placement.isAlive else { return [] }
    let expected = timeline.position(at: instant)
    let ahead = placement.playhead(at: instant) - expected
    if let track = state?.track, let length = timeline.length, ahead >= length / 2 {
      return load(track, on: timeline)  // rule 23
    }
    update(id) { $0.phase = .ended(at: expected) }  // rule 22
    return []
  }

  /// Rule 34: the playhead is placed once more; what had ended or failed is loaded again.
  private mutating func realign() -> [SyncAction] {
    guard let timeline, let placement, let track = state?.track else { return [] }
    return placement.isAlive ? place(on: timeline, SyncAction.seek) : load(track, on: timeline)
  }

  private func exceeds(_ drift: Duration) -> Bool {
    drift >= policy.threshold || drift <= .zero - policy.threshold
  }
}

// MARK: - The playhead

extension SyncEngine {
  private mutating func load(_ track: Track, on timeline: ChannelTimeline) -> [SyncAction] {
    let wasSilent = placement.map { !$0.isAlive } ?? true
    let aim = timeline.leading(by: policy.outputLatency)
    placement = Placement(id: nextLoad(), track: track.id, timeline: aim)
    guard let placement, track.available else {
      placement?.phase = .unavailable  // rule 21
      return wasSilent ? [] : [.stop]
    }
    return [.load(track, placement.id, aim)]
  }

  /// Puts the playhead of the loaded track on the timeline, under a new name.
  private mutating func place(
    on timeline: ChannelTimeline, _ action: (LoadID, ChannelTimeline) -> SyncAction
  ) -> [SyncAction] {
    guard let placement else { return [] }
    let aim = timeline.leading(by: policy.outputLatency)
    let next = Placement(id: nextLoad(), track: placement.track, timeline: aim)
    self.placement = next
    return [action(next.id, aim)]
  }

  private mutating func clear() -> [SyncAction] {
    timeline = nil
    defer { placement = nil }
    return placement == nil ? [] : [.stop]
  }

  /// A new name for a placement, also for one that is no business of the engine's.
  package mutating func nextLoad() -> LoadID {
    lastLoad += 1
    return LoadID(rawValue: lastLoad)
  }

  private mutating func update(_ id: LoadID, _ change: (inout Placement) -> Void) {
    guard var current = placement, current.id == id else { return }  // rule 16
    change(&current)
    placement = current
  }
}
