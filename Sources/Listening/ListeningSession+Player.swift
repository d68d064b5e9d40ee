import Caching
import Codecs
import PCM
import Platform
import Playback
import RoomClient
import RoomProtocol
import RoomSync

extension ListeningSession {
  /// Does what the engine wants.
  func perform(_ actions: [SyncAction]) {
    for action in actions { perform(action) }
  }

  private func perform(_ action: SyncAction) {
    switch action {
    case .load(let track, let id, let timeline):
      // What played is over for the room, however long the new one takes to come.
      player.stop()
      playhead = Playhead(track: track, id: id, timeline: timeline)
      load()
    case .seek(let id, let timeline):
      corrections += 1
      emit.yield(.seek(to: timeline.position(at: time.now())))
      move(to: timeline, id)
    case .play(let id, let timeline): move(to: timeline, id)
    case .pause(let id, let position):
      let length = playhead?.timeline.length
      move(
        to: ChannelTimeline(
          timestamp: position, receivedAt: time.now(), paused: true, length: length), id)
    case .stop:
      loading?.cancel()
      playhead = nil
      player.stop()
      lookAhead()
    case .end(let reason):
      emit.yield(.kick(reason: reason))
      end = .kicked(reason: reason)
    }
  }

  private func move(to timeline: ChannelTimeline, _ id: LoadID) {
    guard playhead != nil else { return }
    playhead?.timeline = timeline
    playhead?.id = id
    guard let playhead, playhead.source != nil else { return }
    player.move(id.rawValue, to: playhead.target)
  }

  /// Gets the bytes of the playhead's track and hands them to the player, after a while where that
  /// failed before.
  private func load(after delay: Duration = .zero) {
    guard let track = playhead?.track else { return }
    playhead?.isWaiting = delay > .zero
    let loader = loader
    loading?.cancel()
    let before = calledOff
    loading = Task {
      do {
        if delay > .zero { try await time.sleep(time.now() + delay) }
        await before?.value
        let (source, file) = try await loader.source(for: track.id)
        try Task.checkCancellation()
        if let file { hold(file, of: track.id) }
        hand(source)
      } catch {
        // Called off meanwhile, it says nothing of what is wanted now.
        if !Task.isCancelled { loadFailed(error) }
      }
    }
  }

  private func hand(_ source: any ByteSource) {
    guard var playhead else { return }
    playhead.source = source
    playhead.isWaiting = false
    playhead.loadedAs = playhead.id
    self.playhead = playhead
    player.load(
      playhead.id.rawValue, source: source, gain: gain(of: playhead.track),
      target: playhead.target)
    lookAhead()
  }

  /// Gets the bytes of the server's tracks.
  var loader: TrackLoader { TrackLoader(cache: cache, server: server.server.description) }

  /// The factor on a track's samples.
  func gain(of track: Track) -> Float {
    guard configuration.appliesReplayGain else { return 1 }
    return Gain.replayGain(decibels: track.replayGainDB, peak: track.replayPeak)
  }

  /// The bytes can't be had: another try where that may help, else silence until the next track.
  private func loadFailed(_ error: any Error) {
    guard var failed = playhead else { return }
    let delay = failed.retryDelay(after: error)
    // A download that goes on failing is told once.
    if failed.failures == 0 || delay == nil {
      emit.yield(.unplayable(failed.track, .download(error, retryAfter: delay)))
    }
    failed.failures += 1
    failed.source = nil
    playhead = failed
    if let delay {
      load(after: delay)
    } else {
      perform(engine.handle(.failed(failed.id), at: time.now()))
    }
  }

  /// Asks for the bytes at once where they were to be asked for later: the server is back.
  func retryLoad() {
    guard playhead?.isWaiting == true else { return }
    load()
  }

  // MARK: What the player says

  func pumpPlayer() async {
    for await event in player.events {
      switch event {
      case .deviceOpened(let name, let format): device = OpenDevice(name: name, format: format)
      case .deviceClock(let origin):
        guard let device else { break }
        emit.yield(.device(name: device.name, device.format, origin: origin))
      default: take(event)
      }
    }
  }

  private func take(_ event: PlayerEvent) {
    switch event {
    case .opened, .started, .ended, .failed:
      let now = time.now()
      if local != nil { takeLocal(event, at: now) } else { takeRoom(event, at: now) }
    case .truncated(let id, let place, let length):
      guard let track = track(of: id) else { break }
      emit.yield(.unplayable(track, .truncated(at: place, of: length)))
    case .skipped(_, let distance):
      corrections += 1
      emit.yield(.skip(by: distance))
    case .underrun: emit.yield(.underrun(player.underruns))
    case .starved(let id): if let track = track(of: id) { emit.yield(.starved(track)) }
    case .deviceFailed(let error): deviceFailed(error)
    case .deviceReleased:
      device = nil
      emit.yield(.deviceReleased)
    case .deviceOpened, .deviceClock: break
    }
  }

  /// Takes what the player says of the room's track.
  private func takeRoom(_ event: PlayerEvent, at now: ContinuousClock.Instant) {
    switch event {
    case .started(let id):
      hasSounded = true
      perform(engine.handle(.started(LoadID(rawValue: id)), at: now))
      if let track = track(of: id) { emit.yield(.started(track)) }
    case .ended(let id):
      if let track = track(of: id) { emit.yield(.ended(track)) }
      perform(engine.handle(.ended(LoadID(rawValue: id)), at: now))
    case .failed(let id, let error): playerFailed(id, error)
    default: break
    }
  }

  private func track(of id: PlacementID) -> Track? {
    if let local { return local.track(of: LoadID(rawValue: id)) }
    return playhead.flatMap { $0.id.rawValue == id ? $0.track : nil }
  }

  private func playerFailed(_ id: PlacementID, _ error: DecoderError) {
    // A seek on its way gives a newer name to what has failed under its older one.
    guard let playhead, let first = playhead.loadedAs, first.rawValue <= id else { return }
    if case .source = error, let failure = (playhead.source as? DownloadByteSource)?.failure {
      loadFailed(failure)
      return
    }
    emit.yield(.unplayable(playhead.track, .decoder(error)))
    self.playhead?.source = nil
    perform(engine.handle(.failed(playhead.id), at: time.now()))
  }

  private func deviceFailed(_ error: SinkError) {
    device = nil
    guard !configuration.waitsForDevice else {
      emit.yield(.deviceFailed(error))
      return
    }
    end = .device(error)
    socket?.close()
    turns.continuation.yield()
  }

  func pumpCache() async {
    for await event in cache.events {
      if case .finished(let id, _) = event {
        _ = hold(id, fetching: false)
        local?.kept?.insert(id)
      }
      lookAhead()
      emit.yield(.download(event))
    }
  }

  // MARK: Time

  /// Looks at the drift twice a second, as long as something plays; sleeps otherwise.
  func tickWhilePlaying() async {
    for await _ in playing.stream {
      while tick() {
        guard (try? await time.sleep(time.now() + .milliseconds(500))) != nil else { return }
      }
    }
  }

  /// Compares what is heard with the room.
  ///
  /// - Returns: whether something plays, so that it is worth while to look again.
  private func tick() -> Bool {
    if local != nil { return tickLocal() }
    let now = time.now()
    forgetOldWishes(at: now)
    lookAhead()
    guard let timeline = engine.timeline, !timeline.paused, let playhead else {
      return !wishes.isEmpty
    }
    guard let position = player.position, position.placement == playhead.id.rawValue else {
      return true
    }
    let heard = position.position(at: now)
    perform(engine.handle(.tick(heard: heard, of: playhead.id), at: now))
    guard position.isMoving else { return true }
    let latency = engine.policy.outputLatency
    let expected = timeline.position(at: now)
    emit.yield(
      .position(
        PositionReport(
          position: heard - latency, expected: expected, drift: heard - latency - expected,
          buffered: player.buffered, underruns: player.underruns)))
    return true
  }

  private func forgetOldWishes(at now: ContinuousClock.Instant) {
    for wish in wishes where now - wish.at >= Wish.patience { emit.yield(.ignored(wish.action)) }
    wishes.removeAll { now - $0.at >= Wish.patience }
  }
}
