import Glibc
import Measuring
import PCM
import TestSupport
import Testing

@Suite struct ResamplerTests {
  struct Rates: CustomTestStringConvertible {
    var input: Int
    var output: Int
    var testDescription: String { "\(input) to \(output)" }
  }

  static let pairs: [Rates] = [
    Rates(input: 48_000, output: 44_100), Rates(input: 44_100, output: 48_000),
    Rates(input: 22_050, output: 44_100), Rates(input: 8000, output: 44_100),
    Rates(input: 96_000, output: 44_100), Rates(input: 192_000, output: 44_100),
    Rates(input: 44_101, output: 48_000), Rates(input: 44_100, output: 44_100),
  ]

  /// Runs input through from a given output frame on, in odd blocks, to the end; left samples.
  private func run(_ resampler: Resampler, _ left: [Float], from outputFrame: FrameCount = 0)
    -> [Float]
  {
    var next = min(left.count, Int(resampler.start(at: outputFrame)))
    let input = left.flatMap { [$0, -$0] }
    var out: [Float] = []
    var size = 1
    var idle = 0
    while next < left.count && idle < 2 {
      size = size % 997 + 61
      let (consumed, produced) = step(
        resampler, input, from: next, frames: min(size, left.count - next), room: 1 + size % 300,
        onto: &out)
      next += consumed
      idle = consumed == 0 && produced == 0 ? idle + 1 : 0
    }
    #expect(next == left.count)
    while finish(resampler, room: 100, onto: &out) > 0 {}
    return out
  }

  private func step(
    _ resampler: Resampler, _ input: [Float], from first: Int, frames: Int, room: Int,
    onto out: inout [Float]
  ) -> (consumed: Int, produced: Int) {
    var block = [Float](repeating: 9, count: room * 2)
    var span = block.mutableSpan
    let source = input.span.extracting((first * 2)..<((first + frames) * 2))
    let result = resampler.process(source, into: &span)
    append(block, frames: result.produced, onto: &out)
    return result
  }

  private func finish(_ resampler: Resampler, room: Int, onto out: inout [Float]) -> Int {
    var block = [Float](repeating: 9, count: room * 2)
    var span = block.mutableSpan
    let produced = resampler.finish(into: &span)
    append(block, frames: produced, onto: &out)
    return produced
  }

  private func append(_ block: [Float], frames: Int, onto out: inout [Float]) {
    #expect((0..<frames).allSatisfy { block[2 * $0] == -block[2 * $0 + 1] })
    out += (0..<frames).map { block[2 * $0] }
  }

  private func noise(_ count: Int) -> [Float] {
    var random = SeededGenerator(seed: 11)
    return (0..<count).map { _ in random.sample() }
  }

  @Test(arguments: pairs) func `L frames make L times the ratio, rounded up`(rates: Rates) {
    let resampler = Resampler(from: rates.input, to: rates.output)
    for length in [0, 1, 2, 147, 160, 1000, 3001] {
      let expected = (length * rates.output + rates.input - 1) / rates.input
      #expect(run(resampler, noise(length)).count == expected)
      #expect(resampler.outputLength(of: FrameCount(length)) == FrameCount(expected))
    }
    let day = FrameCount(rates.input) * 86_400
    #expect(resampler.outputLength(of: day) == FrameCount(rates.output) * 86_400)
  }

  @Test(arguments: pairs)
  func `started anywhere it gives what it would have given from the beginning`(rates: Rates) {
    let left = noise(3000)
    let resampler = Resampler(from: rates.input, to: rates.output)
    let whole = run(resampler, left)
    for start in [0, 1, 17, 146, 147, 500, whole.count - 3, whole.count + 5] {
      let part = run(resampler, left, from: FrameCount(start))
      #expect(part == Array(whole.dropFirst(start)), "from \(start)")
    }
  }

  @Test(arguments: pairs) func `each frame is the signal at its time`(rates: Rates) {
    let frequency = 0.11 * Double(min(rates.input, rates.output))
    let left = (0..<6000).map {
      Float(0.8 * sin(2 * .pi * frequency * Double($0) / Double(rates.input)))
    }
    let out = run(Resampler(from: rates.input, to: rates.output), left)
    let edge = 400 * rates.output / rates.input + 1
    var worst = 0.0
    for frame in edge..<(out.count - edge) {
      let truth = 0.8 * sin(2 * .pi * frequency * Double(frame) / Double(rates.output))
      worst = max(worst, abs(Double(out[frame]) - truth))
    }
    #expect(worst < 2e-5)
  }

  @Test func `equal rates are a copy`() {
    let left = noise(2500)
    #expect(run(Resampler(from: 44_100, to: 44_100), left) == left)
  }

  @Test func `positions are exact after days`() {
    let resampler = Resampler(from: 48_000, to: 44_100)
    let days: FrameCount = 30 * 86_400
    let first = resampler.start(at: days * 44_100)
    let shifted = resampler.start(at: days * 44_100 + 147)
    #expect(shifted == first + 160)
    let reach = days * 48_000 - first
    #expect(reach > 0 && reach < 100)
  }

  @Test(arguments: [
    Rates(input: 48_000, output: 44_100), Rates(input: 44_100, output: 48_000),
    Rates(input: 96_000, output: 44_100),
  ])
  func `a sine keeps a hundred decibels to its noise`(rates: Rates) {
    let left = (0..<40_000 * rates.input / rates.output).map {
      Float(0.9 * sin(2 * .pi * 997 * Double($0) / Double(rates.input)))
    }
    let out = run(Resampler(from: rates.input, to: rates.output), left)
    let fit = SineFit(
      Array(out[1000..<(1000 + 32_768)]), frequency: 997 / Double(rates.output),
      notch: 20 / Double(rates.output))
    #expect(fit.noise < -100, "THD+N \(fit.noise) dB")
  }

  @Test(arguments: [100, 5000, 15_000, 18_000, 20_000])
  func `48 kHz to 44.1 is flat to 20 kHz`(frequency: Int) {
    let left = (0..<12_000).map {
      Float(0.9 * sin(2 * .pi * Double(frequency) * Double($0) / 48_000))
    }
    let out = run(Resampler(from: 48_000, to: 44_100), left)
    let fit = SineFit(
      Array(out[400..<(400 + 8192)]), frequency: Double(frequency) / 44_100, notch: 90 / 44_100)
    #expect(abs(20 * log10(fit.amplitude / 0.9)) < 0.1)
  }

  @Test func `what the lower rate can't carry is gone`() {
    let left = (0..<12_000).map { Float(0.9 * sin(2 * .pi * 30_000 * Double($0) / 96_000)) }
    let out = run(Resampler(from: 96_000, to: 44_100), left)
    let loudest = out[300..<(out.count - 300)].map { abs($0) }.max() ?? 1
    #expect(20 * log10(loudest / 0.9) < -95)
  }
}
