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

/// A small seeded generator (SplitMix64), so that a test's shuffle can be repeated.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
