import PCM
import Platform
import TestSupport
import Testing

@testable import Playback

/// The file of what a card would have played, and a card that plays too fast.
@Suite struct WAVFileSinkTests {
  private func number(_ bytes: [UInt8], at place: Int, size: Int) -> Int {
    (0..<size).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
  }

  @Test func `a stall is as much silence, and the header tells the length`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("out.wav")
    let sink = WAVFileSink(path: path)
    let format = try sink.open(rate: 48000, buffer: .milliseconds(40))
    let block = [Float](repeating: 0.5, count: format.period * stereo)
    #expect(try sink.write(block, frames: format.period) == .continued)
    let stall = ContinuousClock.now
    sleepThread(until: stall + .milliseconds(150))
    #expect(try sink.write(block, frames: format.period) == .underrun)
    sink.close()
    let bytes = try Fixture.bytes(at: path)
    #expect(String(decoding: bytes[0..<4] + bytes[8..<16], as: UTF8.self) == "RIFFWAVEfmt ")
    #expect(number(bytes, at: 4, size: 4) == bytes.count - 8)
    #expect(number(bytes, at: 22, size: 2) == 2)
    #expect(number(bytes, at: 24, size: 4) == 48000)
    #expect(number(bytes, at: 28, size: 4) == 192_000)
    #expect(number(bytes, at: 34, size: 2) == 16)
    #expect(number(bytes, at: 40, size: 4) == bytes.count - 44)
    let samples = try Recording(path).samples
    let silent = samples.count { $0 == 0 } / stereo
    #expect(samples.count { $0 == 16384 } == 2 * format.period * stereo)
    // The period that was written first is heard meanwhile.
    #expect(silent >= 150 * 48 - format.period)
    #expect(samples.prefix(format.period * stereo).allSatisfy { $0 == 16384 })
    #expect(samples.suffix(format.period * stereo).allSatisfy { $0 == 16384 })
  }

  @Test func `a device that takes a second more than it holds at once has no clock`() {
    var pace = UnpacedGuard()
    pace.wrote(8820, rate: 44100, buffer: 8820)
    pace.wrote(40000, rate: 44100, buffer: 8820)
    #expect(pace.reading == nil)
    pace.wrote(44100, rate: 44100, buffer: 8820)
    #expect(pace.reading != nil)
    // From there on it is paced by ours.
    let begin = ContinuousClock.now
    for _ in 0..<8 { pace.wrote(2205, rate: 44100, buffer: 8820) }
    #expect(ContinuousClock.now - begin > .milliseconds(190))
  }
}
