import Codecs
import PCM
import Synchronization

/// Tracks that keep no time: begun wherever they are wanted, and joined to each other without a gap
/// (docs/playback.md).
extension DecodeLoop {
  /// Begins a track at a position; it is heard as soon as there is enough of it.
  ///
  /// - Throws: `DecoderError` when the track can't be read there.
  func begin(_ track: LoadedTrack, at position: Duration) throws(DecoderError) {
    // The device tells its rate with its first period, and wakes us when its clock is known.
    guard let rate = deviceRate else { return }
    let frame = max(0, position.nearestFrame(rate: rate))
    try track.begin(at: frame, deviceRate: rate)
    feed(track, from: frame)
  }

  /// Once the last frame of the track is in the ring, lets the next one's follow right behind it.
  mutating func followOn() {
    guard let current = track, current.phase == .drained || current.phase == .over,
      current.target.isPlaying, deviceRate != nil, let following = next
    else { return }
    next = nil
    do {
      let joined = try opened(
        following.placement, source: following.source, gain: following.gain,
        target: .free(from: .zero, isPlaying: true))
      try begin(joined, at: .zero)
      track = joined
    } catch {
      // What plays goes on to its end.
      tell(error, of: following.placement, keepsTime: false)
    }
  }

  /// Lets a track that keeps no time stand where it was interrupted, when the device that took its
  /// frames is gone.
  ///
  /// - Returns: whether it is so; else its frames are on their way as before.
  func standAgain(_ track: LoadedTrack) -> Bool {
    guard track.start.deviceRun != shared.deviceRuns.load(ordering: .acquiring),
      let rate = deviceRate
    else { return false }
    let played = max(0, shared.ring.readIndex - track.start.ringIndex)
    track.target = .free(
      from: .frames(track.start.trackFrame + played, rate: rate), isPlaying: true)
    return true
  }

  private var deviceRate: Int? {
    let rate = Int(shared.clock.read().2)
    return rate > 0 ? rate : nil
  }
}
