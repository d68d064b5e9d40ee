import PCM
import Platform
import Playback
package import RoomClient
package import RoomProtocol
import RoomSync

extension ListeningSession {
  /// Asks the room for something on the socket; the next state shows whether it was followed.
  ///
  /// - Parameter action: what is wished.
  /// - Returns: false when there is no socket to ask on.
  package func wish(_ action: ClientAction) -> Bool {
    guard let socket else { return false }
    if isAsItIs(action) { return true }
    socket.send(action)
    wishes.append(Wish(action: action, at: time.now()))
    playing.continuation.yield()
    return true
  }

  /// Whether the room pauses or plays already, as wished: no state would come to show it.
  private func isAsItIs(_ action: ClientAction) -> Bool {
    guard let state = engine.state, engine.isConnected, wishes.isEmpty else { return false }
    return action == .pause && state.paused || action == .unpause && !state.paused
  }

  /// Sets the volume of this listener, 0...100.
  package func setVolume(_ volume: Int) {
    self.volume = min(max(volume, 0), 100)
    applyVolume()
  }

  /// Falls silent for as long as it is wanted, or sounds again; the volume stays what it is.
  package func setMuted(_ isMuted: Bool) {
    self.isMuted = isMuted
    applyVolume()
  }

  private func applyVolume() {
    player.setVolume(isMuted ? 0 : Gain.amplitude(volume: volume))
  }

  /// Sets what the device adds after the sound system's own delay; the sound is put right for it.
  package func setLatency(_ latency: Duration) {
    guard engine.policy.outputLatency != latency else { return }
    engine.policy.outputLatency = latency
    realign()
  }

  /// Puts what is heard where the room is, whatever the drift.
  package func realign() {
    perform(engine.handle(.realign, at: time.now()))
    retryLoad()
  }

  /// The picture of now.
  package var snapshot: ListeningSnapshot {
    let now = time.now()
    var snapshot = ListeningSnapshot(
      state: local.map { $0.state(at: localPosition) } ?? engine.state,
      queue: local?.queue.tracks ?? engine.queue)
    snapshot.source = local == nil ? .room : .library
    snapshot.server = server.server
    snapshot.isConnected = engine.isConnected
    snapshot.channel = local == nil ? joined : nil
    snapshot.user = user
    snapshot.channels = channels
    snapshot.volume = volume
    snapshot.isMuted = isMuted
    snapshot.latency = engine.policy.outputLatency
    snapshot.expected = engine.timeline?.position(at: now)
    snapshot.drift = engine.drift(at: now)
    snapshot.corrections = corrections
    snapshot.underruns = player.underruns
    snapshot.device = device
    snapshot.outage = outage
    snapshot.cached = Set(held.keys)
    if let playhead, let position = player.position, position.placement == playhead.id.rawValue {
      snapshot.heard = position.position(at: now) - engine.policy.outputLatency
    }
    if local != nil { snapshot.heard = localPosition }
    if let source = playhead?.source ?? local?.source {
      let download = source as? DownloadByteSource
      snapshot.isKept = download.map(\.isComplete) ?? true
      snapshot.loaded = download.map { $0.progress ?? 0 } ?? 1
      let whole = [Double](repeating: 1, count: DownloadByteSource.segmentCount)
      snapshot.segments = download?.segments ?? whole
      snapshot.buffered = player.buffered
    }
    return snapshot
  }

  /// The room as the last state told it, for who follows it through us; nil before the first.
  package var heardRoom: HeardRoom? {
    guard let state = engine.state, let stateAt, let joined, socket != nil else { return nil }
    let queue = lastQueue.flatMap { $0.channel == engine.channel ? $0.text : nil }
    return HeardRoom(
      channel: joined, state: state, arrivedAt: stateAt, queue: queue, queueNumber: queueNumber,
      identity: identity)
  }

  /// The server's calls, with the listener's session.
  package var api: RoomAPI { server.api }

  /// The channel that is listened to.
  package var channel: ChannelID? { engine.channel }
}
