import RoomProtocol

/// Something the room was asked for on the socket, until its state shows it.
///
/// A server ignores what somebody may not do without a word (protocol.md 5): only the missing state
/// tells.
struct Wish: Equatable {
  /// How long a state that shows it is waited for.
  static let patience = Duration.seconds(3)

  let action: ClientAction
  let at: ContinuousClock.Instant

  /// Whether a state shows that the wish was followed.
  ///
  /// - Parameters:
  ///   - state: the room's last state.
  ///   - arrival: when it came.
  /// - Returns: whether it does.
  func isFulfilled(by state: ChannelState, arrivedAt arrival: ContinuousClock.Instant) -> Bool {
    switch action {
    case .pause: return state.paused
    case .unpause: return !state.paused
    case .jump(let index): return arrival >= at && state.currentIndex == index
    case .switch(let channel): return state.channelID == channel
    case .seek(let timestamp):
      let elapsed = state.paused ? 0 : Double((arrival - at).components.seconds)
      return arrival >= at && abs(state.currentTimestamp - timestamp - elapsed) < 2
    }
  }
}
