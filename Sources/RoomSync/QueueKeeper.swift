package import RoomProtocol

/// The last queue the server named for each channel.
///
/// Most states carry none; then the last one of *that channel* stands (sync.md rules 5 and 6).
package struct QueueKeeper: Sendable {
  private var queues: [ChannelID: [Track]] = [:]

  /// Makes a keeper that knows no queue.
  package init() {}

  /// A channel's queue: nil is *not loaded*, `[]` is empty.
  package subscript(channel: ChannelID) -> [Track]? { queues[channel] }

  /// Takes what a state says of a queue.
  ///
  /// - Parameters:
  ///   - queue: nil where the state carries none: the last one stays.
  ///   - channel: the channel the state is of.
  package mutating func take(_ queue: [Track]?, of channel: ChannelID) {
    if let queue { queues[channel] = queue }
  }
}
