import Caching
import Codecs
import Platform
import RoomClient
import RoomProtocol
import RoomSync

/// The track that follows, brought to the disk in good time; and the files of both, held so that no
/// process makes room by removing them.
extension ListeningSession {
  /// The track that follows by itself.
  struct Ahead {
    let track: TrackID
    /// Whether its download was asked for.
    var isAsked = false
    /// When it could not be had.
    var failedAt: ContinuousClock.Instant?
    /// Waits for it.
    var waiting: Task<Void, Never>?

    /// A track that could not be had is not asked for again before.
    private static let pause = Duration.seconds(60)

    func mayAsk(at now: ContinuousClock.Instant) -> Bool {
      !isAsked && failedAt.map { now - $0 >= Self.pause } ?? true
    }
  }

  /// Asks for the track that follows once all of the current one is here.
  ///
  /// What was asked for and does not follow any more is called off. To be called whenever any of
  /// that may have changed.
  func lookAhead() {
    let source = playhead?.source ?? local?.source
    cache.playing.hold((source as? DownloadByteSource)?.isRunning == true)
    // Library mode has an order of its own.
    guard local == nil else { return }
    let current = playhead?.track.id
    // What plays by now is not ours to call off.
    if ahead?.track == current { ahead = nil }
    let isHere = source?.isComplete == true
    // Nothing may take the line from what is heard.
    if !isHere { callOff() }
    if let state = engine.state, let queue = engine.queue, state.fits(queue) {
      let next = state.following(in: queue).flatMap { track in
        track.available && track.id != current ? track.id : nil
      }
      if ahead?.track != next {
        callOff()
        ahead = next.map { Ahead(track: $0) }
        if let next { _ = hold(next, fetching: false) }
      }
    }
    held = held.filter { $0.key == current || $0.key == ahead?.track }
    if isHere, let ahead, held[ahead.track] == nil, ahead.mayAsk(at: time.now()) {
      self.ahead?.isAsked = true
      self.ahead?.waiting = hold(ahead.track, fetching: true)
    }
  }

  /// Calls the download of the track that follows off.
  private func callOff() {
    guard let ahead, ahead.isAsked else { return }
    self.ahead?.isAsked = false
    ahead.waiting?.cancel()
    guard held[ahead.track] == nil else { return }
    let (cache, server) = (cache, server.server.description)
    calledOff = Task { await cache.cancel(ahead.track, server: server) }
  }

  /// Holds the file of the current or the next track.
  ///
  /// - Parameters:
  ///   - id: the track.
  ///   - isWanted: whether it is downloaded where it is not here.
  /// - Returns: what waits for it.
  func hold(_ id: TrackID, fetching isWanted: Bool) -> Task<Void, Never> {
    let (cache, server, before) = (cache, server.server.description, calledOff)
    return Task {
      await before?.value
      do {
        let file =
          isWanted
          ? try await cache.file(for: id, server: server)
          : await cache.keptFile(of: id, server: server)
        if let file { hold(file, of: id) }
      } catch {
        // It is asked for again when it is to be heard; called off, it is no failure.
        if ahead?.track == id, !Task.isCancelled {
          ahead?.isAsked = false
          ahead?.failedAt = time.now()
        }
      }
    }
  }

  /// Keeps a file from being removed as long as its track plays or follows.
  func hold(_ file: CachedFile, of id: TrackID) {
    if id == playhead?.track.id || id == ahead?.track || local?.isNear(id) == true {
      held[id] = file
    }
  }
}

extension ChannelState {
  /// Whether a queue is the one that the state's index points into: it may come a moment later.
  fileprivate func fits(_ queue: [Track]) -> Bool {
    guard let track else { return true }
    return queue.indices.contains(currentIndex) && queue[currentIndex].id == track.id
  }
}
