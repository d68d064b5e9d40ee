import Glibc
import PCM
import Platform

/// The clock of a sound card that isn't there: it consumes frames at its rate in real time.
///
/// Frame n is heard n / rate after the start, the first write. The sinks without hardware are built
/// on it, so that they keep a room's time as a card would.
///
/// Threading: the output thread's alone.
struct VirtualDevice {
  /// Sleeps until an instant; real sinks block the output thread in it.
  typealias Sleep = (_ until: ContinuousClock.Instant) -> Void

  let rate: Int
  let buffer: Int
  private let now: @Sendable () -> ContinuousClock.Instant
  private let sleep: Sleep
  private(set) var written: FrameCount = 0
  private(set) var start: ContinuousClock.Instant?

  init(
    rate: Int, buffer: Int, now: @escaping @Sendable () -> ContinuousClock.Instant,
    sleep: @escaping Sleep
  ) {
    self.rate = rate
    self.buffer = buffer
    self.now = now
    self.sleep = sleep
  }

  /// The instant at which an output frame is heard, once something was written.
  func instant(of frame: FrameCount) -> ContinuousClock.Instant? {
    start.map { $0 + .frames(frame, rate: rate) }
  }

  /// Waits for room for `frames` and counts them.
  ///
  /// - Returns: how many frames late they came: 0, or the length of the underrun before them.
  mutating func accept(_ frames: Int) -> FrameCount {
    let begin = start ?? now()
    start = begin
    let played = (now() - begin).frames(rate: rate)
    let late = max(0, played - written)
    written += late + FrameCount(frames)
    let excess = written - FrameCount(buffer) - played
    if excess > 0 { sleep(begin + .frames(written - FrameCount(buffer), rate: rate)) }
    return late
  }

  /// The exact state at the last whole frame that was heard.
  func reading() -> SinkReading? {
    guard let start else { return nil }
    let played = (now() - start).frames(rate: rate)
    return SinkReading(delay: written - played, at: start + .frames(played, rate: rate))
  }
}

/// Blocks the thread until an instant.
func sleepThread(until instant: ContinuousClock.Instant) {
  let wait = instant - ContinuousClock.now
  guard wait > .zero else { return }
  let (seconds, attoseconds) = wait.components
  var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
  var rest = timespec()
  while nanosleep(&time, &rest) == -1 && errno == EINTR { time = rest }
}
