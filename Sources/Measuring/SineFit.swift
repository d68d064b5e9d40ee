import Glibc

/// How loud a sine in a signal is, and how much there is besides it.
///
/// The signal is windowed (Kaiser, side lobes far below 24 bits) and transformed; what lies within
/// a notch around the sine's frequency is the sine, all the rest is noise and distortion. It
/// measures; it is no part of the player.
package struct SineFit {
  /// The sine's amplitude.
  package var amplitude: Double
  /// What is outside the notch against what is inside, in dB (THD+N).
  package var noise: Double

  /// Measures a signal.
  ///
  /// - Parameters:
  ///   - signal: one channel, 1,000 samples or more.
  ///   - frequency: of the sine, in cycles a sample.
  ///   - notch: half the width around it that counts as sine, in cycles a sample; at least 7
  ///     divided by the number of samples.
  package init(_ signal: [Float], frequency: Double, notch: Double) {
    var spectrum = [Complex](repeating: Complex(), count: nextPowerOfTwo(signal.count))
    var energy = 0.0
    for index in 0..<signal.count {
      let x = 2 * Double(index) / Double(signal.count - 1) - 1
      let weight = besselI0(20 * max(0, 1 - x * x).squareRoot())
      spectrum[index].real = Double(signal[index]) * weight
      energy += weight * weight
    }
    transform(&spectrum)
    var tone = 0.0
    var rest = 0.0

    for bin in 1..<(spectrum.count / 2) {
      let value = spectrum[bin]
      let power = value.real * value.real + value.imaginary * value.imaginary
      let distance = abs(Double(bin) / Double(spectrum.count) - frequency)
      if distance <= notch { tone += power } else { rest += power }
    }
    amplitude = (4 * tone / (Double(spectrum.count) * energy)).squareRoot()
    noise = 10 * log10(rest / tone)
  }
}

private struct Complex {
  var real = 0.0
  var imaginary = 0.0
}

private func nextPowerOfTwo(_ count: Int) -> Int {
  var power = 1
  while power < count { power <<= 1 }
  return power
}

private func besselI0(_ x: Double) -> Double {
  var term = 1.0
  var sum = 1.0
  var n = 1.0
  while term > sum * 1e-17 {
    term *= x * x / 4 / (n * n)
    sum += term
    n += 1
  }
  return sum
}

/// The fast Fourier transform in place, of a power of two of values (radix 2).
private func transform(_ values: inout [Complex]) {
  reverseBits(&values)
  values.withUnsafeMutableBufferPointer { values in
    var length = 2
    while length <= values.count {
      for step in 0..<(length / 2) {
        let angle = -2 * Double.pi * Double(step) / Double(length)
        combine(values, from: step, length: length, cos(angle), sin(angle))
      }
      length *= 2
    }
  }
}

/// One step of each butterfly of a length.
private func combine(
  _ values: UnsafeMutableBufferPointer<Complex>, from step: Int, length: Int, _ cosine: Double,
  _ sine: Double
) {
  for start in stride(from: step, to: values.count, by: length) {
    let one = values[start]
    let two = values[start + length / 2]
    let real = two.real * cosine - two.imaginary * sine
    let imaginary = two.real * sine + two.imaginary * cosine
    values[start] = Complex(real: one.real + real, imaginary: one.imaginary + imaginary)
    values[start + length / 2] = Complex(
      real: one.real - real, imaginary: one.imaginary - imaginary)
  }
}

private func reverseBits(_ values: inout [Complex]) {
  var reversed = 0
  for index in 1..<values.count {
    var bit = values.count >> 1
    while reversed & bit != 0 {
      reversed ^= bit
      bit >>= 1
    }
    reversed |= bit
    if index < reversed { values.swapAt(index, reversed) }
  }
}
