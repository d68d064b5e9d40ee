import Caching
import Codecs
import Platform
import Playback
import RoomClient
package import RoomProtocol
import RoomSync

/// Library mode: tracks played in sync with nobody (protocol.md 7). The engine rests meanwhile.
extension ListeningSession {
  /// Plays tracks of the library; the room is left.
  ///
  /// - Parameter queue: what to play, from its current row.
  package func playLocally(_ queue: LocalQueue) {
    let isNew = local == nil
    if isNew { leaveRoom() }
    failReturn(.superseded)
    local = LocalPlay(queue, id: engine.nextLoad())
    if isNew { emit.yield(.source(.library)) }
    startLocal()
    Task { local?.kept = try? await cache.keptIDs(server: server.server.description) }
  }

  /// Adds tracks at the end of those that are played.
  ///
  /// - Parameter tracks: the tracks.
  /// - Returns: false where the room is listened to.
  package func addLocally(_ tracks: [Track]) -> Bool {
    guard local != nil else { return false }
    local?.queue.append(tracks)
    chooseAnew()
    return true
  }

  /// Does what somebody wants of the library that is played.
  ///
  /// - Parameter action: what.
  /// - Returns: false where the room is listened to: it is not done then.
  package func act(_ action: LocalAction) -> Bool {
    guard let play = local else { return false }
    switch action {
    case .play: setLocal(paused: false)
    case .pause: setLocal(paused: true)
    case .toggle: setLocal(paused: !play.isPaused)
    case .next: go(to: play.queue.next(by: &chance))
    case .previous: go(to: play.queue.previous(by: &chance), isBack: true)
    case .jump(let row): go(to: row)
    case .seek(let position): seekLocal(to: position)
    case .mode(let mode):
      local?.queue.mode = mode
      chooseAnew()
      announceLocal()
    }
    return true
  }

  private func go(to row: Int, isBack: Bool = false) {
    local?.queue.go(to: row, isBack: isBack)
    startLocal()
  }

  private func setLocal(paused: Bool) {
    guard let play = local, play.isPaused != paused else { return }
    let position = localPosition
    local?.isPaused = paused
    if play.isOver { return startLocal() }
    placeLocal(at: position)
    announceLocal()
  }

  private func seekLocal(to position: Duration) {
    guard let play = local else { return }
    let end = play.queue.track.length ?? position
    let place = max(.zero, min(position, end))
    if play.isOver { return startLocal(at: place) }
    placeLocal(at: place)
    announceLocal()
  }

  /// What is heard of the track, else where it stands.
  var localPosition: Duration {
    guard let play = local else { return .zero }
    guard !play.isPaused, let heard = player.position, heard.placement == play.id.rawValue else {
      return play.position
    }
    return max(.zero, heard.position(at: time.now()))
  }

  // MARK: The current track

  /// Begins the current track.
  private func startLocal(at position: Duration = .zero) {
    guard let track = local?.queue.track else { return }
    local?.place(as: engine.nextLoad(), at: position)
    local?.source = nil
    player.stop()
    tellLocalTrack()
    let loader = loader
    loading?.cancel()
    let before = calledOff
    loading = Task {
      do {
        await before?.value
        let (source, file) = try await loader.source(for: track.id)
        try Task.checkCancellation()
        held[track.id] = file
        local?.source = source
        placeLocal(at: local?.position ?? .zero)
      } catch {
        guard !Task.isCancelled else { return }
        passOver(track, .passedOver(error))
        goOn()
      }
    }
  }

  /// Tells that a track can't be played, and leaves it out for a while; with it all that are not
  /// cached, where the server can't be reached.
  private func passOver(_ track: Track, _ reason: ListeningEvent.Unplayable) {
    emit.yield(.unplayable(track, reason))
    local?.avoid([track.id], at: time.now())
    if case .passedOver(let error) = reason, DownloadFailure.meaning(error) == .line {
      local?.avoidUnkept(at: time.now())
    }
  }

  /// Puts the player at a position of the current track, moving or not.
  private func placeLocal(at position: Duration) {
    local?.place(as: engine.nextLoad(), at: position)
    guard let play = local, let source = play.source else { return }
    player.load(
      play.id.rawValue, source: source, gain: gain(of: play.queue.track),
      target: .free(from: position, isPlaying: !play.isPaused))
    if !play.isPaused { playing.continuation.yield() }
    lookAhead()
  }

  /// The current track is over: the next one begins, if there is one.
  private func goOn() {
    guard var play = local else { return }
    if let next = play.upcoming, let upcoming = play.announced[next] {
      // The player does not have it yet where this one was short: it is loaded then.
      guard upcoming.source != nil else { return go(to: upcoming.row) }
      play.goOver(to: next)
      local = play
      return tellLocalTrack()
    }
    if let row = play.following(at: time.now(), by: &chance) { return go(to: row) }
    play.place(as: engine.nextLoad(), at: play.queue.track.length ?? .zero)
    play.isPaused = true
    play.isOver = true
    local = play
    player.stop()
    announceLocal()
  }

  // MARK: The track behind it

  /// Gives the player what follows, as soon as the current track's bytes are all here.
  private func announceNext() {
    guard var play = local, play.upcoming == nil, play.startedAt != nil,
      play.source?.isComplete == true, let row = play.following(at: time.now(), by: &chance)
    else { return }
    let (id, track) = (engine.nextLoad(), play.queue.tracks[row])
    local?.announced[id] = LocalPlay.Upcoming(row: row)
    local?.upcoming = id
    let loader = loader
    Task {
      do {
        let (source, file) = try await loader.source(for: track.id)
        guard local?.upcoming == id else { return }
        held[track.id] = file
        local?.announced[id]?.source = source
        player.follow(with: FollowingTrack(id.rawValue, source: source, gain: gain(of: track)))
      } catch {
        guard local?.upcoming == id else { return }
        local?.upcoming = nil
        passOver(track, .passedOver(error))
      }
    }
  }

  /// Chooses another track where the bytes of the one that was to follow can't be had.
  private func checkNext() {
    guard let play = local, let id = play.upcoming, let track = play.track(of: id),
      let failure = (play.announced[id]?.source as? DownloadByteSource)?.failure
    else { return }
    passOver(track, .passedOver(failure))
    chooseAnew()
  }

  /// Chooses again what follows, unless that has begun to be decoded.
  private func chooseAnew() {
    guard let play = local, play.upcoming != nil, !play.isCommitted else { return }
    local?.upcoming = nil
    player.follow(with: nil)
    announceNext()
  }

  // MARK: What the player says

  /// Takes what the player says of a placement.
  func takeLocal(_ event: PlayerEvent, at now: ContinuousClock.Instant) {
    switch event {
    case .opened(let id, _, _, _):
      let id = LoadID(rawValue: id)
      guard local?.announced[id] != nil else { return }
      local?.upcoming = id
      local?.isCommitted = true
    case .started(let id): localStarted(LoadID(rawValue: id), at: now)
    case .ended(let id): localEnded(LoadID(rawValue: id), at: now)
    case .failed(let id, let error):
      guard let track = local?.track(of: LoadID(rawValue: id)) else { return }
      passOver(track, reason(of: error, LoadID(rawValue: id)))
    default: break
    }
  }

  private func localStarted(_ id: LoadID, at now: ContinuousClock.Instant) {
    hasSounded = true
    if local?.announced[id] != nil {
      local?.goOver(to: id)
      tellLocalTrack()
    }
    guard let play = local, play.id == id else { return }
    local?.startedAt = now
    emit.yield(.started(play.queue.track))
    announceNext()
    playing.continuation.yield()
  }

  private func localEnded(_ id: LoadID, at now: ContinuousClock.Instant) {
    guard let play = local else { return }
    guard id == play.id else {
      // What was to follow can't be opened: something else is chosen.
      local?.announced[id] = nil
      if play.upcoming == id {
        local?.upcoming = nil
        announceNext()
      }
      return
    }
    if let startedAt = play.startedAt {
      emit.yield(.ended(play.queue.track))
      // A track without sound, again and again, would be no music.
      if now - startedAt < .milliseconds(20) { local?.avoid([play.queue.track.id], at: now) }
    }
    goOn()
  }

  private func reason(of error: DecoderError, _ id: LoadID) -> ListeningEvent.Unplayable {
    let source = local?.id == id ? local?.source : local?.announced[id]?.source
    if case .source = error, let failure = (source as? DownloadByteSource)?.failure {
      return .passedOver(failure)
    }
    return .decoder(error)
  }

  // MARK: What is told

  /// Looks after what plays.
  ///
  /// - Returns: whether it is worth while to look again.
  func tickLocal() -> Bool {
    guard let play = local, !play.isPaused else { return false }
    lookAhead()
    checkNext()
    announceNext()
    guard play.startedAt != nil else { return true }
    emit.yield(
      .position(
        PositionReport(
          position: localPosition, expected: nil, drift: nil, buffered: player.buffered,
          underruns: player.underruns)))
    return true
  }

  private func tellLocalTrack() {
    guard let play = local else { return }
    // Other files are to be had by who makes room in the cache.
    held = held.filter { $0.key == play.queue.track.id }
    emit.yield(.track(play.queue.track, index: play.queue.index, .library))
    announceLocal()
  }

  private func announceLocal() {
    guard let play = local else { return }
    emit.yield(.state(play.state(at: localPosition), .library))
  }
}
