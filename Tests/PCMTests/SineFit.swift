import Glibc

/// How far a signal is from a sine of a known frequency.
struct SineFit {
  /// The sine's amplitude.
  var amplitude: Double
  /// All that is not within the notch around the sine, against the sine, in dB.
  var noise: Double

  /// Fits sines at the frequency, at neighbours `notch` Hz wide in steps of the resolution, and a
  /// constant, under a window, and calls what remains noise.
  ///
  /// - Parameters:
  ///   - signal: one channel.
  ///   - frequency: in cycles a sample.
  ///   - notch: half the width around the sine that doesn't count as noise, in cycles a sample.
  init(_ signal: [Float], frequency: Double, notch: Double) {
    let count = signal.count
    // A 7-term-like flat noise floor is needed below -140 dB: Kaiser, beta 20.
    let window = (0..<count).map { index -> Double in
      let x = 2 * Double(index) / Double(count - 1) - 1
      return bessel(20 * max(0, 1 - x * x).squareRoot())
    }
    // Demodulate to 0 Hz and measure the power within the notch against all power.
    var spectrum = [Complex](repeating: Complex(), count: nextPowerOfTwo(count))
    for index in 0..<count { spectrum[index].re = Double(signal[index]) * window[index] }
    transform(&spectrum)
    let bins = spectrum.count
    var tone = 0.0
    var rest = 0.0
    for bin in 1..<(bins / 2) {
      let power = spectrum[bin].re * spectrum[bin].re + spectrum[bin].im * spectrum[bin].im
      let distance = abs(Double(bin) / Double(bins) - frequency)
      if distance <= notch { tone += power } else { rest += power }
    }
    let energy = window.reduce(0) { $0 + $1 * $1 }
    amplitude = (4 * tone / (Double(bins) * energy)).squareRoot()
    noise = 10 * log10(rest / tone)
  }
}

private struct Complex {
  var re = 0.0
  var im = 0.0
}

private func nextPowerOfTwo(_ count: Int) -> Int {
  var power = 1
  while power < count { power <<= 1 }
  return power
}

private func bessel(_ x: Double) -> Double {
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

/// A fast Fourier transform in place (radix 2, decimation in time).
private func transform(_ values: inout [Complex]) {
  let count = values.count
  var reversed = 0
  for index in 1..<count {
    var bit = count >> 1
    while reversed & bit != 0 {
      reversed ^= bit
      bit >>= 1
    }
    reversed |= bit
    if index < reversed { values.swapAt(index, reversed) }
  }
  values.withUnsafeMutableBufferPointer { values in
    var length = 2
    while length <= count {
      let half = length / 2
      for step in 0..<half {
        let angle = -2 * Double.pi * Double(step) / Double(length)
        let turn = Complex(re: cos(angle), im: sin(angle))
        var start = step
        while start < count {
          let a = values[start]
          let b = values[start + half]
          let re = b.re * turn.re - b.im * turn.im
          let im = b.re * turn.im + b.im * turn.re
          values[start] = Complex(re: a.re + re, im: a.im + im)
          values[start + half] = Complex(re: a.re - re, im: a.im - im)
          start += length
        }
      }
      length *= 2
    }
  }
}
