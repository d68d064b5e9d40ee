import PCM
import Platform

/// A sink that nobody hears, and that takes frames in real time all the same.
package final class NullSink: AudioSink {
  package let isHeard = false
  package let name = "null"
  private let now: @Sendable () -> ContinuousClock.Instant
  private let sleep: (ContinuousClock.Instant) -> Void
  private var device: VirtualDevice?

  /// Makes a null sink.
  ///
  /// - Parameters:
  ///   - now: the clock it keeps.
  ///   - sleep: waits for an instant of that clock; the default blocks the thread.
  package init(
    now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now },
    sleep: ((ContinuousClock.Instant) -> Void)? = nil
  ) {
    self.now = now
    self.sleep = sleep ?? sleepThread
  }

  package func open(rate: Int, buffer: Duration) throws(SinkError) -> SinkFormat {
    let format = SinkFormat(unpaced: rate, buffer: buffer, sampleFormat: "f32")
    device = VirtualDevice(rate: rate, buffer: format.buffer, now: now, sleep: sleep)
    return format
  }

  package func write(
    _ samples: UnsafePointer<Float>, frames: Int
  ) throws(SinkError) -> WriteOutcome {
    (device?.accept(frames) ?? 0) > 0 ? .underrun : .continued
  }

  package func reading() -> SinkReading? { device?.reading() }

  package func close() { device = nil }
}

extension SinkFormat {
  /// The format of a sink without hardware: a quarter of the buffer a period.
  init(unpaced rate: Int, buffer: Duration, sampleFormat: String) {
    let frames = max(4, Int(buffer.frames(rate: rate)))
    self.init(rate: rate, period: frames / 4, buffer: frames, sampleFormat: sampleFormat)
  }
}
