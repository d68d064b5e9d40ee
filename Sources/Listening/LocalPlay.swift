import Codecs
package import RoomProtocol
import RoomSync

/// What a listener plays in the place of the room.
package enum ListeningSource: String, Sendable {
  /// The room's track, in sync.
  case room
  /// Tracks of the library or the cache, in sync with nobody.
  case library
}

/// What somebody wants of a listener that plays the library.
package enum LocalAction: Equatable, Sendable {
  case play, pause, toggle, next, previous
  /// To a row of the list, from 0.
  case jump(Int)
  case seek(Duration)
  case mode(PlaybackMode)
}

/// The library as it is played besides the room, and how far it is.
struct LocalPlay {
  /// The track behind the current one, as the player knows it.
  struct Upcoming {
    var row: Int
    /// Its bytes, once the player has them.
    var source: (any ByteSource)?
  }

  var queue: LocalQueue
  /// The player's name for what it was told last.
  var id: LoadID
  var isPaused = false
  /// Whether the list has come to its end, and nothing is loaded.
  var isOver = false
  /// The current track's bytes, once the player has them.
  var source: (any ByteSource)?
  /// Where the track is as long as none of it is heard.
  var position = Duration.zero
  /// When it began to be heard.
  var startedAt: ContinuousClock.Instant?
  /// All that the player was given to follow: the last one counts, unless one before it was opened
  /// already.
  var announced: [LoadID: Upcoming] = [:]
  /// The one of them that follows; nil while nothing was chosen.
  var upcoming: LoadID?
  /// Whether it was opened, so that it is heard whatever is chosen now.
  var isCommitted = false
  /// What could not be played a short while ago, and is passed over.
  private(set) var unplayable: Set<TrackID> = []
  private var avoidedAt: ContinuousClock.Instant?
  /// What of the list is whole in the cache; nil before that is known.
  var kept: Set<TrackID>?

  init(_ queue: LocalQueue, id: LoadID) {
    self.queue = queue
    self.id = id
  }

  /// The track of a name of the player's; nil for names of the past.
  func track(of id: LoadID) -> Track? {
    if id == self.id { return queue.track }
    return announced[id].map { queue.tracks[$0.row] }
  }

  /// Whether a track plays, or follows.
  func isNear(_ id: TrackID) -> Bool {
    id == queue.track.id || upcoming.flatMap { track(of: $0)?.id } == id
  }

  /// Is at a position of the current track by a new name: what was to follow is to be said again.
  mutating func place(as id: LoadID, at position: Duration) {
    self.id = id
    self.position = position
    startedAt = nil
    isOver = false
    forgetUpcoming()
  }

  /// Goes over to what was announced.
  mutating func goOver(to id: LoadID) {
    guard let next = announced[id] else { return }
    queue.go(to: next.row)
    place(as: id, at: .zero)
    source = next.source
  }

  mutating func forgetUpcoming() {
    announced = [:]
    upcoming = nil
    isCommitted = false
  }

  /// Passes tracks over for a while.
  mutating func avoid(_ tracks: some Sequence<TrackID>, at now: ContinuousClock.Instant) {
    unplayable.formUnion(tracks)
    avoidedAt = now
  }

  /// Passes all over that would have to come from a server that can't be reached.
  mutating func avoidUnkept(at now: ContinuousClock.Instant) {
    guard let kept else { return }
    avoid(queue.tracks.lazy.map(\.id).filter { !kept.contains($0) }, at: now)
  }

  /// The row that follows by itself; nil where the list is over, or nothing in it can be played.
  mutating func following(
    at now: ContinuousClock.Instant, by chance: inout some RandomNumberGenerator
  ) -> Int? {
    if let avoidedAt, now - avoidedAt > Self.patience { unplayable = [] }
    return queue.following(by: &chance, avoiding: unplayable)
  }

  /// After so long what could not be played is tried again.
  private static let patience = Duration.seconds(60)

  /// The state of a room that would be where we are: what all that shows rooms can show.
  func state(at position: Duration) -> ChannelState {
    let (seconds, attoseconds) = position.components
    return ChannelState(
      track: queue.track, currentTimestamp: Double(seconds) + Double(attoseconds) / 1e18,
      channelName: "library", paused: isPaused, currentIndex: queue.index,
      playbackMode: queue.mode)
  }
}
