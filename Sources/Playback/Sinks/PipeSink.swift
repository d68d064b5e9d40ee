import Glibc
import PCM

/// A sink that gives raw 16-bit little-endian stereo to another program, in real time: on standard
/// output, or through a named pipe (made where there is none).
///
/// The room goes on whether the program reads or not: what it has no room for is dropped.
package final class PipeSink: AudioSink {
  package let isHeard = false
  package let name: String
  private let path: String?
  private var output = SampleFile()
  private var device: VirtualDevice?
  private var patience = Duration.zero

  /// Makes a sink on a named pipe, or on standard output when the path is nil.
  package init(path: String?) {
    self.path = path
    name = path.map { "pipe:\($0)" } ?? "stdout"
  }

  package func open(rate: Int, buffer: Duration) throws(SinkError) -> SinkFormat {
    let isOpen = if let path { output.openPipe(path) } else { output.use(1) }
    guard isOpen else { throw SinkError(device: name, operation: .open, code: errno) }
    var format = SinkFormat(unpaced: rate, buffer: buffer, sampleFormat: "s16")
    // A pipe holds 64 KiB: a program that reads in real time must not need more at once.
    format.period = min(format.period, 4096)
    // Waiting for less than a period each time, we get back in time behind a reader that was slow.
    patience = .frames(FrameCount(format.period / 2), rate: rate)
    output.reserve(frames: format.buffer)
    device = VirtualDevice(
      rate: rate, buffer: format.buffer, now: { ContinuousClock.now }, sleep: sleepThread)
    return format
  }

  package func write(
    _ samples: UnsafePointer<Float>, frames: Int
  ) throws(SinkError) -> WriteOutcome {
    let late = device?.accept(frames) ?? 0
    let deadline = ContinuousClock.now + patience
    guard output.silence(frames: late, until: deadline),
      output.write(samples, frames: frames, until: deadline)
    else {
      throw SinkError(device: name, operation: .write, code: errno)
    }
    return late > 0 ? .underrun : .continued
  }

  package func reading() -> SinkReading? { device?.reading() }

  package func close() {
    device = nil
    output.close()
  }
}
