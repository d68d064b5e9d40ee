import RoomProtocol

/// The rows of a channel and which of them plays.
///
/// A row is more than its track: the same track may stand in a queue several times, and an edit
/// keeps the row that plays.
struct ChannelQueue: Equatable {
  /// What an edit did to the row that plays.
  enum Effect: Equatable {
    /// It plays on, perhaps at another index.
    case playsOn
    /// Another row took its place and starts at 0, or the queue got its first or lost its last row.
    case startsOther
  }

  /// Why an edit was refused; nothing was changed.
  enum Refusal: Error, Equatable {
    case unknownTrack(TrackID)
    case noSuchPosition(Int)
    case repeatedPosition(Int)
    case tooLong
  }

  /// The most rows a queue may have.
  static let limit = 200_000

  private(set) var tracks: [TrackID]
  /// The index of the row that plays; 0 in an empty queue.
  private(set) var currentIndex: Int

  init(tracks: [TrackID] = [], currentIndex: Int = 0) {
    self.tracks = tracks
    self.currentIndex = tracks.isEmpty ? 0 : max(0, min(currentIndex, tracks.count - 1))
  }

  /// The track that plays, nil in an empty queue.
  var current: TrackID? { tracks.isEmpty ? nil : tracks[currentIndex] }

  /// Makes a row play, the nearest one where there is none of that index.
  mutating func jump(to index: Int) {
    self = ChannelQueue(tracks: tracks, currentIndex: index)
  }

  /// Applies an edit whole or not at all.
  ///
  /// - Parameters:
  ///   - edit: its positions mean the queue before the call.
  ///   - isKnown: whether the library has a track.
  /// - Returns: what became of the row that plays.
  /// - Throws: `Refusal`.
  mutating func apply(
    _ edit: QueueEdit, isKnown: (TrackID) -> Bool
  ) throws(Refusal) -> Effect {
    switch edit {
    case .set(let ids): try set(ids, isKnown: isKnown)
    case .add(let ids, let position): try add(ids, at: position, isKnown: isKnown)
    case .remove(let positions): try remove(positions)
    case .move(let positions, let target): try move(positions, to: target)
    }
  }

  private mutating func set(
    _ ids: [TrackID], isKnown: (TrackID) -> Bool
  ) throws(Refusal) -> Effect {
    try check(ids, count: ids.count, isKnown: isKnown)
    let kept = place(of: current, in: ids)
    self = ChannelQueue(tracks: ids, currentIndex: kept ?? currentIndex)
    return kept == nil ? .startsOther : .playsOn
  }

  /// Where the playing row is in a new list: at its index, else the same one among its equals,
  /// else the first of them.
  private func place(of playing: TrackID?, in ids: [TrackID]) -> Int? {
    guard let playing else { return nil }
    if currentIndex < ids.count, ids[currentIndex] == playing { return currentIndex }
    let before = tracks[..<currentIndex].count { $0 == playing }
    let equals = ids.indices.filter { ids[$0] == playing }
    return equals.dropFirst(before).first ?? equals.first
  }

  private mutating func add(
    _ ids: [TrackID], at position: Int?, isKnown: (TrackID) -> Bool
  ) throws(Refusal) -> Effect {
    try check(ids, count: tracks.count + ids.count, isKnown: isKnown)
    let position = position ?? tracks.count
    guard (0...tracks.count).contains(position) else { throw .noSuchPosition(position) }
    let wasEmpty = tracks.isEmpty
    tracks.insert(contentsOf: ids, at: position)
    if !wasEmpty, position <= currentIndex { currentIndex += ids.count }
    return wasEmpty && !ids.isEmpty ? .startsOther : .playsOn
  }

  private mutating func remove(_ positions: [Int]) throws(Refusal) -> Effect {
    for position in positions where !tracks.indices.contains(position) {
      throw .noSuchPosition(position)
    }
    let removed = Set(positions)
    let keepsPlaying = !removed.contains(currentIndex)
    let index = currentIndex - removed.count { $0 < currentIndex }
    let rest = tracks.indices.filter { !removed.contains($0) }.map { tracks[$0] }
    if removed.isEmpty { return .playsOn }
    // Where the playing row was the last, the first takes its place.
    self = ChannelQueue(tracks: rest, currentIndex: index < rest.count ? index : 0)
    return keepsPlaying ? .playsOn : .startsOther
  }

  private mutating func move(_ positions: [Int], to target: Int) throws(Refusal) -> Effect {
    guard (0...tracks.count).contains(target) else { throw .noSuchPosition(target) }
    var moved: Set<Int> = []
    for position in positions {
      guard tracks.indices.contains(position) else { throw .noSuchPosition(position) }
      guard moved.insert(position).inserted else { throw .repeatedPosition(position) }
    }
    let stays = tracks.indices.filter { !moved.contains($0) }
    let order =
      stays.filter { $0 < target } + moved.sorted() + stays.filter { $0 >= target }
    let index = order.firstIndex(of: currentIndex) ?? currentIndex
    self = ChannelQueue(tracks: order.map { tracks[$0] }, currentIndex: index)
    return .playsOn
  }

  private func check(
    _ ids: [TrackID], count: Int, isKnown: (TrackID) -> Bool
  ) throws(Refusal) {
    guard count <= Self.limit else { throw .tooLong }
    for id in ids where !isKnown(id) { throw .unknownTrack(id) }
  }
}
