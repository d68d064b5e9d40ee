package import RoomProtocol

/// The tracks that are played besides the room: in which order, and where in it we are.
///
/// Pure: chance is an argument. What the rules are says protocol.md 7: previous and next walk the
/// list, shuffle picks an index other than the current one, repeat-one restarts, repeat-all goes on,
/// once stops at the end.
///
/// ```swift
/// var queue = LocalQueue(tracks, mode: .repeatAll)
/// queue?.go(to: queue.next(by: &chance))
/// ```
package struct LocalQueue: Equatable, Sendable {
  /// The tracks, one at least.
  package private(set) var tracks: [Track]
  /// The row of the current one.
  package private(set) var index: Int
  /// What happens at the end of a track.
  package var mode: PlaybackMode
  /// The rows that were left in shuffle, the last one last.
  private var history: [Int] = []

  private static let longestHistory = 1000

  /// Makes a queue; nil where there is no such row.
  ///
  /// - Parameters:
  ///   - tracks: in their order.
  ///   - index: the row to begin at.
  ///   - mode: what happens at the end of a track.
  package init?(_ tracks: [Track], at index: Int = 0, mode: PlaybackMode = .repeatAll) {
    guard tracks.indices.contains(index) else { return nil }
    self.tracks = tracks
    self.index = index
    self.mode = mode
  }

  /// Makes a queue that begins at a track; nil without tracks.
  ///
  /// Where that is not among them it begins at the first, in shuffle at any.
  ///
  /// - Parameters:
  ///   - tracks: in their order.
  ///   - first: the track to begin at, where it is among them.
  ///   - mode: what happens at the end of a track.
  package init?(_ tracks: [Track], from first: TrackID?, mode: PlaybackMode) {
    var index = first.flatMap { first in tracks.firstIndex { $0.id == first } }
    if index == nil, mode == .shuffle { index = tracks.indices.randomElement() }
    self.init(tracks, at: index ?? 0, mode: mode)
  }

  /// The current track.
  package var track: Track { tracks[index] }

  /// The row that somebody's wish for the next one leads to; past the end it is the first.
  ///
  /// - Parameter chance: decides in shuffle.
  /// - Returns: the row; the current one where it is the only one.
  package func next(by chance: inout some RandomNumberGenerator) -> Int {
    mode == .shuffle ? another(by: &chance) : (index + 1) % tracks.count
  }

  /// The row that somebody's wish for the previous one leads to: in shuffle the one that was left for
  /// this one, as long as it is known.
  ///
  /// - Parameter chance: decides in shuffle where nothing was left.
  /// - Returns: the row.
  package func previous(by chance: inout some RandomNumberGenerator) -> Int {
    guard mode == .shuffle else { return (index + tracks.count - 1) % tracks.count }
    return history.last ?? another(by: &chance)
  }

  /// The row that follows by itself at the end of a track.
  ///
  /// - Parameters:
  ///   - chance: decides in shuffle.
  ///   - unplayable: tracks that are passed over.
  /// - Returns: nil where the list is over, or nothing in it can be played.
  package func following(
    by chance: inout some RandomNumberGenerator, avoiding unplayable: Set<TrackID> = []
  ) -> Int? {
    let isPlayable = { (row: Int) in !unplayable.contains(tracks[row].id) }
    switch mode {
    case .once: return ((index + 1)..<tracks.count).first(where: isPlayable)
    case .repeatOne: return isPlayable(index) ? index : nil
    case .shuffle:
      let others = tracks.indices.filter { $0 != index && isPlayable($0) }
      return others.randomElement(using: &chance) ?? (isPlayable(index) ? index : nil)
    default:
      return (1...tracks.count).lazy.map { (index + $0) % tracks.count }.first(where: isPlayable)
    }
  }

  /// Goes to a row; nowhere where it is not there.
  ///
  /// - Parameters:
  ///   - row: from 0.
  ///   - isBack: whether `previous` has led there: it is not to lead back to where we are.
  package mutating func go(to row: Int, isBack: Bool = false) {
    guard tracks.indices.contains(row) else { return }
    if isBack {
      _ = history.popLast()
    } else if row != index {
      history.append(index)
      if history.count > Self.longestHistory { history.removeFirst() }
    }
    index = row
  }

  /// Adds tracks at the end.
  package mutating func append(_ more: [Track]) { tracks += more }

  private func another(by chance: inout some RandomNumberGenerator) -> Int {
    guard tracks.count > 1 else { return index }
    let other = Int.random(in: 0..<(tracks.count - 1), using: &chance)
    return other >= index ? other + 1 : other
  }
}
