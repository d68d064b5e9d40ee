/// Seconds on the wire are floating point; everywhere else a span of time is a `Duration`.
extension Duration {
  /// The span of a number of seconds from the wire.
  ///
  /// What is not a number is 0; beyond +-10^9 s (31 years) it saturates, where `Duration`'s own
  /// conversion would trap.
  package init(wireSeconds seconds: Double) {
    guard !seconds.isNaN else {
      self = .zero
      return
    }
    self = .seconds(max(-1e9, min(1e9, seconds)))
  }

  /// This span in seconds, as the wire writes it.
  package var wireSeconds: Double {
    let parts = components
    return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
  }
}
