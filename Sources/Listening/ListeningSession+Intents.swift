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
    player.setVolume(Gain.amplitude(volume: self.volume))
  }

  /// The picture of now.
  package var snapshot: ListeningSnapshot {
    let now = time.now()
    var snapshot = ListeningSnapshot(state: engine.state, queue: engine.queue)
    snapshot.isConnected = engine.isConnected
    snapshot.user = user
    snapshot.channels = channels
    snapshot.volume = volume
    snapshot.expected = engine.timeline?.position(at: now)
    snapshot.drift = engine.drift(at: now)
    if let playhead, let position = player.position, position.placement == playhead.id.rawValue {
      snapshot.heard = position.position(at: now) - engine.policy.outputLatency
    }
    if let source = playhead?.source {
      let progress = (source as? DownloadByteSource)?.progress
      snapshot.loaded = progress ?? 1
    }
    return snapshot
  }

  /// The server's calls, with the listener's session.
  package var api: RoomAPI { server.api }

  /// The channel that is listened to.
  package var channel: ChannelID? { engine.channel }
}
