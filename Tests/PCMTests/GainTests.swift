import Glibc
import PCM
import TestSupport
import Testing

@Suite struct GainTests {
  @Test func `the ends of the volume are silence and unity`() {
    #expect(Gain.amplitude(volume: 0) == 0)
    #expect(Gain.amplitude(volume: -3) == 0)
    #expect(Gain.amplitude(volume: 100) == 1)
    #expect(Gain.amplitude(volume: 250) == 1)
  }

  @Test func `volume fifty is ten decibels down and each step is louder`() {
    let decibels = 20 * log10(Gain.amplitude(volume: 50))
    #expect(abs(decibels + 10) < 0.1)
    for volume in 1...100 {
      #expect(Gain.amplitude(volume: volume) > Gain.amplitude(volume: volume - 1))
    }
  }

  @Test(
    arguments: [
      (-6.0, nil, 0.501187), (0, 1, 1), (6, 0.25, 1.995262), (6, 0.8, 1.25), (-3, 1.4, 0.707946),
      (0, 1.25, 0.8), (6, nil, 1), (6, 0, 1), (6, .nan, 1), (nil, 0.5, 1), (.nan, 0.5, 1),
      (.infinity, 0.5, 1), (90, 0.001, 10), (-900, 1, 0.001),
    ] as [(Double?, Double?, Float)])
  func `ReplayGain respects the peak`(decibels: Double?, peak: Double?, factor: Float) {
    let gain = Gain.replayGain(decibels: decibels, peak: peak)
    #expect(abs(gain - factor) < 1e-5 * factor)
  }
}

@Suite struct GainRampTests {
  /// Applies to a block of ones and gives the gains its frames got.
  private func gains(_ ramp: inout GainRamp, frames: Int) -> [Float] {
    var block = [Float](repeating: 1, count: frames * 2)
    var span = block.mutableSpan
    ramp.apply(to: &span)
    for frame in 0..<frames { #expect(block[2 * frame] == block[2 * frame + 1]) }
    return (0..<frames).map { block[2 * $0] }
  }

  @Test func `unity changes no bit`() {
    var random = SeededGenerator(seed: 7)
    let samples = (0..<200).map { _ in random.sample() }
    var block = samples
    var ramp = GainRamp()
    var span = block.mutableSpan
    ramp.apply(to: &span)
    #expect(block == samples)
  }

  @Test func `a move is a straight line that ends on the target`() {
    var ramp = GainRamp(0)
    ramp.move(to: 1, over: 8)
    #expect(
      gains(&ramp, frames: 12) == [0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1, 1, 1, 1])
    #expect(!ramp.isMoving)
    #expect(ramp.current == 1)
  }

  @Test(arguments: [1, 3, 5, 64]) func `the size of the blocks does not matter`(size: Int) {
    var whole = GainRamp(0.3)
    whole.move(to: 0.9, over: 100)
    let line = gains(&whole, frames: 192)
    var pieces = GainRamp(0.3)
    pieces.move(to: 0.9, over: 100)
    var line2: [Float] = []
    while line2.count < 192 { line2 += gains(&pieces, frames: min(size, 192 - line2.count)) }
    #expect(line == line2)
  }

  @Test func `a new target in the middle starts from where the gain is`() {
    var ramp = GainRamp(0)
    ramp.move(to: 1, over: 100)
    let first = gains(&ramp, frames: 50)
    ramp.move(to: 0, over: 100)
    let second = gains(&ramp, frames: 101)
    let line = first + second
    for (one, next) in zip(line, line.dropFirst()) { #expect(abs(one - next) < 0.0101) }
    #expect(line.last == 0)
  }

  @Test func `the same target again does not restart a move`() {
    var ramp = GainRamp(0)
    ramp.move(to: 1, over: 4)
    _ = gains(&ramp, frames: 2)
    ramp.move(to: 1, over: 4)
    #expect(gains(&ramp, frames: 3) == [0.5, 0.75, 1])
  }

  @Test func `over no frames it jumps`() {
    var ramp = GainRamp(1)
    ramp.move(to: 0.5, over: 100)
    ramp.move(to: 0.5, over: 0)
    #expect(gains(&ramp, frames: 2) == [0.5, 0.5])
  }

  @Test func `only the frames named are changed`() {
    var block: [Float] = [1, 1, 1, 1, 1, 1]
    var ramp = GainRamp(0)
    var span = block.mutableSpan
    ramp.apply(to: &span, at: 1, frames: 1)
    #expect(block == [1, 1, 0, 0, 1, 1])
  }
}
