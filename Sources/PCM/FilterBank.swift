import Glibc

/// The low-pass filter of a resampler as a table: one row of coefficients a fraction of a frame.
///
/// A windowed sinc: the ideal low-pass cut short by a Kaiser window, whose shape parameter and
/// length follow from attenuation and width of transition by Kaiser's formulas. Row `p` weighs the
/// frames around a position that lies `p / phases` of a frame behind one of them; fractions between
/// two rows are interpolated linearly. With the cut-off at half the rate, row 0 is exactly 1 at the
/// frame itself and 0 elsewhere.
///
/// Threading: never changes after `init`.
final class FilterBank: Sendable {
  /// The rows of a frame's length, a power of two.
  static let phases = 512
  /// The number of bits that name a row.
  static let phaseBits = 9

  /// The coefficients of a row, a multiple of 8.
  let taps: Int
  /// The frames it looks ahead; it looks back one less.
  let reach: Int
  private let rows: FixedBuffer<Float>

  /// Computes the table.
  ///
  /// - Parameters:
  ///   - taps: coefficients a row, a multiple of 8.
  ///   - cutoff: the half-amplitude frequency in cycles a frame, 0.5 at most.
  ///   - attenuation: of the stop band, in dB; above 50.
  init(taps: Int, cutoff: Double, attenuation: Double) {
    precondition(taps > 0 && taps % 8 == 0, "rows are read in eights")
    self.taps = taps
    reach = taps / 2
    rows = FixedBuffer(count: (Self.phases + 1) * taps)
    let beta = 0.1102 * (attenuation - 8.7)
    let scale = 1 / besselI0(beta)
    var row = [Double](repeating: 0, count: taps)
    for phase in 0...Self.phases {
      let fraction = Double(phase) / Double(Self.phases)
      for tap in 0..<taps {
        let distance = Double(tap - reach + 1) - fraction
        let edge = distance / Double(reach)
        let window = scale * besselI0(beta * max(0, 1 - edge * edge).squareRoot())
        row[tap] = sinc(2 * cutoff * distance) * window
      }
      // A constant must come out as it went in, whatever the fraction.
      let sum = row.reduce(0, +)
      for tap in 0..<taps { rows.base[phase * taps + tap] = Float(row[tap] / sum) }
    }
  }

  /// Weighs `taps` stereo frames.
  ///
  /// - Parameters:
  ///   - frames: the first of the `taps` interleaved frames: `reach - 1` before the frame the
  ///     fraction counts from.
  ///   - phase: the row, 0 up to `phases - 1`.
  ///   - blend: the way to the next row, 0 up to 1.
  /// - Returns: left and right.
  @inline(__always)
  func weigh(_ frames: UnsafePointer<Float>, phase: Int, blend: Float) -> SIMD2<Float> {
    let row = UnsafeRawPointer(rows.base + phase * taps)
    let next = UnsafeRawPointer(rows.base + (phase + 1) * taps)
    let samples = UnsafeRawPointer(frames)
    var low = SIMD8<Float>()
    var high = SIMD8<Float>()
    var byte = 0
    while byte < taps * 4 {
      let here = row.loadUnaligned(fromByteOffset: byte, as: SIMD8<Float>.self)
      let there = next.loadUnaligned(fromByteOffset: byte, as: SIMD8<Float>.self)
      let weights = here + (there - here) * blend
      let first = samples.loadUnaligned(fromByteOffset: byte * 2, as: SIMD8<Float>.self)
      let second = samples.loadUnaligned(fromByteOffset: byte * 2 + 32, as: SIMD8<Float>.self)
      low += doubled(weights.lowHalf) * first
      high += doubled(weights.highHalf) * second
      byte += 32
    }
    let sums = low + high
    let pairs = sums.lowHalf + sums.highHalf
    return pairs.lowHalf + pairs.highHalf
  }
}

/// Each weight twice in a row, for left and right.
@inline(__always)
private func doubled(_ weights: SIMD4<Float>) -> SIMD8<Float> {
  var pairs = SIMD8<Float>()
  pairs.evenHalf = weights
  pairs.oddHalf = weights
  return pairs
}

/// sin(pi x) / (pi x), exactly 0 at the whole numbers but 0.
private func sinc(_ x: Double) -> Double {
  if x == 0 { return 1 }
  if x == x.rounded() { return 0 }
  return sin(.pi * x) / (.pi * x)
}

/// The modified Bessel function of the first kind and order 0, by its power series.
private func besselI0(_ x: Double) -> Double {
  let square = x * x / 4
  var term = 1.0
  var sum = 1.0
  var n = 1.0
  while term > sum * 1e-17 {
    term *= square / (n * n)
    sum += term
    n += 1
  }
  return sum
}
