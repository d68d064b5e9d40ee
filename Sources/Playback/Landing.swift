import PCM

/// When sound that is heard at the wrong moment is put right at once, by skipping or repeating
/// decoded frames under a cross-fade (design.md 3.2 and 3.4).
///
/// A start is aimed by what the device's clock says then, and its first readings lie; an underrun
/// or a stall moves what comes after. So what is left is looked at once the clock has settled. Below
/// the threshold nothing is spliced: through the PulseAudio plug-in a settled device's readings
/// wander off by 3 ms for seconds, and a splice would make of that an error that is heard. Two
/// corrections that did not close the gap are the last: such a device lies for ever.
///
/// Pure: the time is an output frame.
struct Landing {
  /// What is left alone.
  static let threshold = Duration.milliseconds(5)
  /// The least time between two corrections.
  static let coolDown = Duration.seconds(4)

  private let rate: Int
  private var last: (at: FrameCount, error: FrameCount, isJudged: Bool)?
  private var failures = 0

  /// Begins with a stretch, at so many frames a second.
  init(rate: Int) { self.rate = rate }

  /// Says what to skip (above 0) or repeat (below), 0 for nothing.
  ///
  /// - Parameters:
  ///   - error: the frames the sound is late, negative when it is early, by a settled clock.
  ///   - frame: the output frame at which that is so.
  /// - Returns: the frames to skip, or to repeat when negative.
  mutating func correction(error: FrameCount, at frame: FrameCount) -> FrameCount {
    if let last {
      guard frame - last.at >= Self.coolDown.frames(rate: rate) else { return 0 }
      if !last.isJudged { failures = abs(error) * 2 > abs(last.error) ? failures + 1 : 0 }
      self.last?.isJudged = true
    }
    guard abs(error) > Self.threshold.frames(rate: rate), failures < 2 else { return 0 }
    last = (frame, error, false)
    return error
  }
}
