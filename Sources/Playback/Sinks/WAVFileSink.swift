import Glibc
import PCM

/// A sink that keeps what a card would have played, in real time, as a 16-bit WAV file.
///
/// Frame n of the file is what was heard n / rate after the first write; where the player was late,
/// the file holds silence, as a card would.
package final class WAVFileSink: AudioSink {
  package let isHeard = false
  package let name: String
  private let path: String
  private var output = SampleFile()
  private var device: VirtualDevice?

  /// Makes a sink on a file that is created, or emptied, when the sink is opened first.
  package init(path: String) {
    self.path = path
    name = "wav:\(path)"
  }

  deinit { close() }

  package func open(rate: Int, buffer: Duration) throws(SinkError) -> SinkFormat {
    close()
    let format = SinkFormat(unpaced: rate, buffer: buffer, sampleFormat: "s16")
    guard output.create(path) else {
      throw SinkError(device: name, operation: .create, code: errno)
    }
    output.reserve(frames: format.buffer)
    device = VirtualDevice(
      rate: rate, buffer: format.buffer, now: { ContinuousClock.now }, sleep: sleepThread)
    try write(header: rate, frames: 0)
    return format
  }

  package func write(
    _ samples: UnsafePointer<Float>, frames: Int
  ) throws(SinkError) -> WriteOutcome {
    let late = device?.accept(frames) ?? 0
    guard output.silence(frames: late), output.write(samples, frames: frames) else {
      throw SinkError(device: name, operation: .write, code: errno)
    }
    return late > 0 ? .underrun : .continued
  }

  package func reading() -> SinkReading? { device?.reading() }

  package func close() {
    guard let device else { return }
    self.device = nil
    // The header is written again with the length; a crash before leaves one that says 0 frames,
    // which most programs read as "to the end".
    try? write(header: device.rate, frames: output.frames)
    output.close()
  }

  private func write(header rate: Int, frames: FrameCount) throws(SinkError) {
    let data = UInt32(clamping: frames * 4)
    var header: [UInt8] = []
    func append(_ text: String) { header += Array(text.utf8) }
    func append(_ number: UInt32) { withUnsafeBytes(of: number.littleEndian) { header += $0 } }
    func append(_ number: UInt16) { withUnsafeBytes(of: number.littleEndian) { header += $0 } }
    append("RIFF")
    append(data == 0 ? 0 : UInt32(clamping: Int64(data) + 36))
    append("WAVEfmt ")
    append(UInt32(16))
    append(UInt16(1))
    append(UInt16(stereo))
    append(UInt32(rate))
    append(UInt32(rate * 4))
    append(UInt16(4))
    append(UInt16(16))
    append("data")
    append(data)
    guard output.overwriteStart(header) else {
      throw SinkError(device: name, operation: .write, code: errno)
    }
  }
}
