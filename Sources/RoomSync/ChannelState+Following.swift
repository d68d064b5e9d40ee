package import RoomProtocol

extension ChannelState {
  /// The track that follows by itself; nil where luck or the room's people decide, and where nothing
  /// plays.
  ///
  /// - Parameter queue: the room's.
  /// - Returns: the current one again where it repeats.
  package func following(in queue: [Track]) -> Track? {
    guard queue.indices.contains(currentIndex), track != nil else { return nil }
    switch playbackMode {
    case .repeatOne: return queue[currentIndex]
    case .repeatAll: return queue[(currentIndex + 1) % queue.count]
    case .once: return currentIndex + 1 < queue.count ? queue[currentIndex + 1] : nil
    default: return nil
    }
  }
}
