/// When a lost socket is opened again (sync.md rules 28-32).
package struct ReconnectPolicy: Hashable, Sendable {
  /// How a connection, or the attempt to make one, came to its end.
  package enum Ending: Hashable, Sendable {
    /// The line broke, or no connection came about.
    case lost
    /// The server closed it, with a WebSocket close code.
    case closed(code: Int)
    /// The server refused the handshake, with an HTTP status.
    case refused(status: Int)
    /// Our own address changed: the network is there again.
    case addressChanged
    /// The server kicked us.
    case kicked
  }

  /// The attempts in a row that have come to nothing.
  package private(set) var attempt = 0
  private var lastImmediate: ContinuousClock.Instant?

  /// Makes a policy at its first attempt.
  package init() {}

  /// Notes that a connection works: a state has come.
  package mutating func succeeded() { attempt = 0 }

  /// How long to wait before the next attempt.
  ///
  /// - Parameters:
  ///   - ending: why there is no connection.
  ///   - instant: when it ended.
  ///   - random: from 0 to below 1; many boxes must not come back at once.
  /// - Returns: nil where there must be no further attempt.
  package mutating func delay(
    after ending: Ending, at instant: ContinuousClock.Instant, random: Double
  ) -> Duration? {
    switch ending {
    case .kicked, .refused(status: 401), .refused(status: 403):
      return nil
    case .closed(code: 1001), .closed(code: 1012), .addressChanged:
      if ending == .addressChanged { attempt = 0 }
      guard mayHurry(at: instant) else { break }
      lastImmediate = instant
      return .zero
    case .lost, .closed, .refused:
      break
    }
    let seconds = min(3 * Double(attempt + 1), 30)
    attempt = min(attempt + 1, 1000)
    return .seconds(seconds * (0.8 + 0.4 * max(0, min(1, random))))
  }

  /// A server that closes at once, again and again, must not be hammered.
  private func mayHurry(at instant: ContinuousClock.Instant) -> Bool {
    attempt == 0 && lastImmediate.map { instant - $0 >= .seconds(10) } ?? true
  }
}
