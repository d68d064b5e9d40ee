/// How often, and after which pauses, something is tried again that passing time may heal; pure.
package struct RetryPolicy: Sendable, Equatable {
  /// How many times after the first; nil for as long as it takes.
  package var limit: Int?

  /// Makes a policy.
  ///
  /// - Parameter limit: how many tries may follow the first; nil never gives up.
  package init(limit: Int?) { self.limit = limit }

  /// The pause before the next try: 1 s, 2 s, 4 s and so on to a minute, less up to half of it by
  /// chance, so that many boxes do not come back at once.
  ///
  /// - Parameters:
  ///   - failures: how many tries in a row have failed, 1 at least.
  ///   - chance: from 0 to below 1.
  /// - Returns: nil where there must be no further try.
  package func delay(after failures: Int, chance: Double) -> Duration? {
    if let limit, failures > limit { return nil }
    let seconds = failures > 6 ? 60 : Double(1 << max(0, failures - 1))
    return .seconds(seconds * (1 - max(0, min(1, chance)) / 2))
  }
}

/// What the failure of a track means for it and for those after it.
package enum FillFailure: Sendable, Equatable {
  /// Trying this track again later may help.
  case passing
  /// The server can't be reached: trying any track later may help, none now.
  case line
  /// This track will not come.
  case lasting
  /// There is no room for it, on the disk or within the limit.
  case noRoom
  /// No track will come: the server does not let us in, say.
  case end
}
