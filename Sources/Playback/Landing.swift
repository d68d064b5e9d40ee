import PCM

/// When sound that is heard at the wrong moment is put right at once, by skipping or repeating
/// decoded frames under a cross-fade (design.md 3.2 and 3.4).
///
/// A start is aimed by what the device's clock says then, and its first readings lie; an underrun
/// or a stall moves what comes after. So what is left is looked at once the clock has settled: in
/// the first seconds of a stretch down to half a millisecond, later from 5 ms on. Two corrections
/// that did not close the gap are the last: such a device lies, and splicing would only be heard.
///
/// Pure: the time is an output frame.
struct Landing {
  /// How long after a stretch's start the fine threshold counts.
  static let startWindow = Duration.seconds(5)
  /// What is left alone after a start, and later.
  static let fine = Duration.microseconds(500)
  static let coarse = Duration.milliseconds(5)
  /// The least time between two corrections.
  static let coolDown = Duration.seconds(4)

  private let rate: Int
  private let start: FrameCount
  private var last: (at: FrameCount, error: FrameCount, isJudged: Bool)?
  private var failures = 0

  /// Begins with a stretch.
  ///
  /// - Parameters:
  ///   - start: the output frame of its first sound.
  ///   - rate: frames a second.
  init(start: FrameCount, rate: Int) {
    self.start = start
    self.rate = rate
  }

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
    let isFresh = last == nil && frame - start <= Self.startWindow.frames(rate: rate)
    let threshold = (isFresh ? Self.fine : Self.coarse).frames(rate: rate)
    guard abs(error) > threshold, failures < 2 else { return 0 }
    last = (frame, error, false)
    return error
  }
}
