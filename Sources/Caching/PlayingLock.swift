import Glibc
import Storage
import Synchronization

/// Says to all processes that a track that plays is still being downloaded, so that downloads for
/// later hold back.
///
/// It is a shared lock on a file of the cache, and ends with the process: several may play at once.
///
/// Threading: from anywhere; it touches the disk for a moment.
package final class PlayingLock: Sendable {
  private struct State {
    /// Our own lock, while we play.
    var held: OpenFile?
    var looked: ContinuousClock.Instant?
    var isHeld = false
  }

  private let path: String
  private let state = Mutex(State())

  /// How long an answer stands.
  private static let interval = Duration.milliseconds(250)

  /// The lock of a cache.
  ///
  /// - Parameter folder: the cache's folder; nothing is made in it before the first `hold`.
  package init(folder: String) { path = "\(folder)/playing.lock" }

  /// Says whether a track that this process plays is being downloaded.
  ///
  /// Where the folder refuses, nobody is held back, which is no failure.
  package func hold(_ isPlaying: Bool) {
    state.withLock { state in
      guard isPlaying != (state.held != nil) else { return }
      state.looked = nil
      state.held = nil
      guard isPlaying else { return }
      let file = try? OpenFile(path, flags: O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
      // Who looks holds the other lock, for a moment.
      guard let file, (try? file.lock(.shared, waiting: true)) == true else { return }
      state.held = file
    }
  }

  /// Whether any process, this one included, is downloading a track that it plays; looked up four
  /// times a second at most.
  package var isHeld: Bool {
    state.withLock { state in
      if state.held != nil { return true }
      let now = ContinuousClock.now
      if let looked = state.looked, now - looked < Self.interval { return state.isHeld }
      state.looked = now
      let file = try? OpenFile(path, flags: O_RDWR | O_NOFOLLOW)
      state.isHeld = file.map { (try? $0.lock(waiting: false)) == false } ?? false
      return state.isHeld
    }
  }
}
