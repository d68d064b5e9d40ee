package import PCM

/// When an output frame is heard, learned from what the sink says of its delay.
///
/// Single readings lie (design.md 3.3), so the offset between the frame count and the clock is the
/// median of the last two seconds of readings. A fitted rate is to take the median's place.
///
/// Threading: a value; the output thread owns one and publishes what it says.
package struct DeviceClock: Sendable {
  /// The number of readings kept.
  package static let window = 41

  package let rate: Int
  private let epoch: ContinuousClock.Instant
  /// Nanoseconds from `epoch` to output frame 0, one a reading.
  private var offsets = InlineArray<41, Int64>(repeating: 0)
  private var count = 0
  private var next = 0

  /// Starts without a reading.
  ///
  /// - Parameters:
  ///   - rate: the device's nominal rate in Hz.
  ///   - epoch: any instant near the readings; times are kept relative to it.
  package init(rate: Int, epoch: ContinuousClock.Instant) {
    self.rate = rate
    self.epoch = epoch
  }

  /// Whether enough is known to start by: one reading alone may be far off.
  package var isValid: Bool { count >= 3 }

  /// Whether the readings agree, so that the middle of them is no mixture of two truths: the median
  /// of the last ten is near that of all.
  package var isSettled: Bool {
    guard count >= 20 else { return false }
    return abs(median(of: 10) - median(of: count)) < 1_000_000
  }

  /// Forgets all readings: after an underrun they say nothing of what comes.
  package mutating func reset() {
    count = 0
    next = 0
  }

  /// Takes a reading of the sink, made when `written` frames had been written.
  package mutating func add(_ reading: SinkReading, written: FrameCount) {
    let heard = Duration.frames(written - reading.delay, rate: rate)
    offsets[next] = ((reading.at - epoch) - heard).wholeNanoseconds
    next = (next + 1) % Self.window
    count = min(count + 1, Self.window)
  }

  /// The instant of output frame 0, by the median of the readings; nil while it is not valid.
  package var origin: ContinuousClock.Instant? {
    isValid ? epoch + .nanoseconds(median(of: count)) : nil
  }

  /// The median of the last readings, by insertion into a block of fixed size.
  private func median(of wanted: Int) -> Int64 {
    var sorted = InlineArray<41, Int64>(repeating: 0)
    for index in 0..<wanted {
      let value = offsets[(next + Self.window - 1 - index) % Self.window]
      var place = index
      while place > 0, sorted[place - 1] > value {
        sorted[place] = sorted[place - 1]
        place -= 1
      }
      sorted[place] = value
    }
    return sorted[wanted / 2]
  }
}
