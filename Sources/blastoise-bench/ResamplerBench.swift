import Glibc
import Measuring
import PCM

/// What drift interpolation and fixed resampling cost, and how clean they are.
enum ResamplerBench {
  static func run() {
    driftCost()
    driftNoise()
    driftFlatness()
    fixedCost(from: 48_000, to: 44_100)
    fixedCost(from: 44_100, to: 48_000)
    fixedCost(from: 192_000, to: 44_100)
    fixedNoise(from: 48_000, to: 44_100)
  }

  private static let rate = 44_100

  // MARK: - Drift

  /// Seconds of sound, read in blocks of 10 ms as the output thread does.
  private static func interpolate(_ seconds: Int, ratio: Double, _ ring: RingBuffer) {
    let interpolator = DriftInterpolator()
    interpolator.ratio = ratio
    var block = [Float](repeating: 0.25, count: 2 * 441)
    let refill = [Float](repeating: 0.25, count: 2 * 441)
    for _ in 0..<(seconds * 100) {
      _ = ring.write(refill.span)
      var span = block.mutableSpan
      _ = interpolator.read(into: &span, frames: 441, from: ring)
    }
  }

  private static func driftCost() {
    let seconds = 60
    for (name, ratio, due) in [
      ("200 ppm off", 1.0002, Figure.Due.atMost(0.3)), ("ratio 1", 1, nil),
    ] {
      let ring = RingBuffer(minimumCapacity: 65_536, keptBehind: 64)
      let fill = [Float](repeating: 0.25, count: 2 * 16_384)
      _ = ring.write(fill.span)
      let time = Stopwatch.processor { interpolate(seconds, ratio: ratio, ring) }
      Figure(
        name: "drift interpolation, \(name)", value: 100 * time / Double(seconds),
        unit: "% of a core", digits: 3, due: due
      ).report()
    }
  }

  private static func driftNoise() {
    for drift in [200e-6, -200e-6] {
      let out = drifted(frequency: 997, ratio: 1 + drift, frames: 70_000)
      let fit = SineFit(
        Array(out[2000..<(2000 + 65_536)]), frequency: 997 * (1 + drift) / Double(rate),
        notch: 20 / Double(rate))
      Figure(
        name: "drift interpolation, THD+N 997 Hz, \(fixed(drift * 1e6, digits: 0)) ppm",
        value: fit.noise, unit: "dB", digits: 1, due: .atMost(-100)
      ).report()
    }
  }

  private static func driftFlatness() {
    // A ratio that goes through every phase within the window.
    let ratio = 1 + 1 / 1024.0
    var worst = 0.0
    for frequency in stride(from: 1000.0, through: 18_000, by: 1000) {
      let out = drifted(frequency: frequency, ratio: ratio, frames: 9000)
      let fit = SineFit(
        Array(out[400..<(400 + 8192)]), frequency: frequency * ratio / Double(rate),
        notch: 200 / Double(rate))
      worst = max(worst, abs(20 * log10(fit.amplitude / 0.9)))
    }
    Figure(
      name: "drift interpolation, off flat up to 18 kHz", value: worst, unit: "dB", digits: 4,
      due: .atMost(0.1)
    ).report()
  }

  /// The left channel of a sine read from a ring at a ratio.
  private static func drifted(frequency: Double, ratio: Double, frames: Int) -> [Float] {
    let ring = RingBuffer(minimumCapacity: frames + 1000, keptBehind: 64)
    let input = sine(frequency, rate: rate, frames: frames + 500)
    _ = ring.write(input.span)
    let interpolator = DriftInterpolator()
    interpolator.ratio = ratio
    var block = [Float](repeating: 0, count: 2 * frames)
    var span = block.mutableSpan
    let count = interpolator.read(into: &span, frames: frames, from: ring)
    return (0..<count).map { block[2 * $0] }
  }

  // MARK: - Fixed ratio

  private static func fixedCost(from input: Int, to output: Int) {
    let seconds = 20
    let resampler = Resampler(from: input, to: output)
    let block = [Float](repeating: 0.25, count: 2 * input)
    let time = Stopwatch.processor(runs: 3) {
      for _ in 0..<seconds { _ = resample(block, by: resampler) }
    }
    Figure(
      name: "resampling \(input) to \(output) Hz", value: 100 * time / Double(seconds),
      unit: "% of a core", digits: 3
    ).report()
  }

  private static func fixedNoise(from input: Int, to output: Int) {
    let out = resample(
      sine(997, rate: input, frames: 40_000), by: Resampler(from: input, to: output))
    let fit = SineFit(
      Array(out[1000..<(1000 + 32_768)]), frequency: 997 / Double(output),
      notch: 20 / Double(output))
    Figure(
      name: "resampling \(input) to \(output) Hz, THD+N 997 Hz", value: fit.noise, unit: "dB",
      digits: 1, due: .atMost(-100)
    ).report()
  }

  /// Runs all of an input through and gives the left channel of what comes out.
  private static func resample(_ input: [Float], by resampler: Resampler) -> [Float] {
    var output = [Float](repeating: 0, count: 2 * 512)
    var left: [Float] = []
    var next = 0
    while next < input.count / 2 {
      var span = output.mutableSpan
      let rest = input.span.extracting((2 * next)..<input.count)
      let (consumed, produced) = resampler.process(rest, into: &span)
      next += consumed
      for frame in 0..<produced { left.append(output[2 * frame]) }
    }
    return left
  }

  private static func sine(_ frequency: Double, rate: Int, frames: Int) -> [Float] {
    var samples: [Float] = []
    samples.reserveCapacity(2 * frames)
    for frame in 0..<frames {
      let sample = Float(0.9 * sin(2 * .pi * frequency * Double(frame) / Double(rate)))
      samples += [sample, sample]
    }
    return samples
  }
}
