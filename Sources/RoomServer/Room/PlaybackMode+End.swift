import RoomProtocol

/// What a channel does at the end of a track.
enum TrackEnd: Equatable {
  /// The row of this index starts at 0; it can be the same one.
  case starts(Int)
  /// The channel pauses at the end of the track.
  case pauses
}

extension PlaybackMode {
  /// The rule of this mode at the end of a row.
  ///
  /// - Parameters:
  ///   - index: the row that ended.
  ///   - count: the queue's rows, at least 1.
  ///   - generator: where shuffle's luck comes from.
  /// - Returns: what the channel does.
  func end(
    of index: Int, count: Int, using generator: inout some RandomNumberGenerator
  ) -> TrackEnd {
    switch self {
    case .once: return index + 1 < count ? .starts(index + 1) : .pauses
    case .repeatOne: return .starts(index)
    case .shuffle where count > 1:
      // Another one: the draw leaves out the row that ended.
      let drawn = Int.random(in: 0..<(count - 1), using: &generator)
      return .starts(drawn < index ? drawn : drawn + 1)
    case .repeatAll, .shuffle, .unknown: return .starts((index + 1) % count)
    }
  }
}
