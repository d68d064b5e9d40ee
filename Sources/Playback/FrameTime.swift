package import PCM

extension Duration {
  /// How long a number of frames lasts, rounded to the nanosecond.
  package static func frames(_ count: FrameCount, rate: Int) -> Duration {
    let (seconds, rest) = count.quotientAndRemainder(dividingBy: FrameCount(rate))
    return .seconds(seconds)
      + .nanoseconds((rest * 1_000_000_000 + FrameCount(rate) / 2) / FrameCount(rate))
  }

  /// The number of whole frames in this time, rounded down.
  package func frames(rate: Int) -> FrameCount {
    let (seconds, attoseconds) = components
    // Half a nanosecond on top, as `frames(_:rate:)` rounds: the two are each other's inverse.
    let nanoseconds = attoseconds / 1_000_000_000
    let part = (Double(nanoseconds) + 0.5) * Double(rate) / 1e9
    return seconds * FrameCount(rate) + FrameCount(part.rounded(.down))
  }

  /// The frame nearest to this time.
  package func nearestFrame(rate: Int) -> FrameCount {
    let (seconds, attoseconds) = components
    let part = Double(attoseconds) / 1e18 * Double(rate)
    return seconds * FrameCount(rate) + FrameCount(part.rounded())
  }

  /// The time in whole nanoseconds.
  package var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
