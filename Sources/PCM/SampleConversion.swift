/// How a sink takes samples: little-endian, interleaved.
package enum SampleEncoding: String, CaseIterable, Sendable {
  /// 16 bits, signed (S16_LE).
  case int16
  /// 24 bits, signed, in three bytes (S24_3LE).
  case int24Packed
  /// 24 bits, signed, in the low bytes of four (S24_LE); the highest carries the sign on.
  case int24
  /// 32 bits, signed (S32_LE).
  case int32
  /// 32-bit floating point (FLOAT_LE), passed on as it is.
  case float32

  /// The bytes of one sample.
  package var bytesPerSample: Int {
    switch self {
    case .int16: 2
    case .int24Packed: 3
    case .int24, .int32, .float32: 4
    }
  }

  /// The bits that carry the sound.
  package var significantBits: Int {
    switch self {
    case .int16: 16
    case .int24Packed, .int24, .float32: 24
    case .int32: 32
    }
  }
}

/// Turns Float32 samples into a sink's bytes.
///
/// Full scale is 1: a sample of `n / 32768` becomes the 16-bit value `n`, exactly, without dither.
/// What lies outside is clamped, what is no number becomes silence. Rounding is to the nearest.
/// Dither concerns 16 bits alone (24 bits are below every amplifier's own noise) and spares
/// samples that are exactly 0: digital silence stays silent.
///
/// Threading: belongs to one thread. Never blocks, locks or allocates.
package struct SampleConverter: Sendable {
  /// What the sink takes.
  package let encoding: SampleEncoding
  private var noise: TriangularNoise?

  /// Prepares for an encoding.
  ///
  /// - Parameters:
  ///   - encoding: what the sink takes.
  ///   - dithered: adds triangular noise of one step either way before rounding to 16 bits.
  package init(to encoding: SampleEncoding, dithered: Bool = false) {
    self.encoding = encoding
    noise = dithered && encoding == .int16 ? TriangularNoise() : nil
  }

  /// Converts samples.
  ///
  /// - Parameters:
  ///   - samples: any number of them.
  ///   - bytes: receives `samples.count * encoding.bytesPerSample` bytes; must have room for them.
  /// - Returns: the bytes written.
  package mutating func convert(
    _ samples: Span<Float>, into bytes: UnsafeMutableRawBufferPointer
  ) -> Int {
    let size = samples.count * encoding.bytesPerSample
    precondition(bytes.count >= size, "no room for the samples")
    guard let target = bytes.baseAddress, size > 0 else { return 0 }
    samples.withUnsafeBufferPointer { source in
      guard let first = source.baseAddress else { return }
      write(first, count: source.count, to: target)
    }
    return size
  }

  private mutating func write(
    _ samples: UnsafePointer<Float>, count: Int, to target: UnsafeMutableRawPointer
  ) {
    switch encoding {
    case .int16:
      writeInt16(samples, count: count, to: target)
    case .int24Packed:
      for index in 0..<count {
        let value = quantized(Double(samples[index]), bits: 24)
        let place = target + 3 * index
        place.storeBytes(of: UInt8(truncatingIfNeeded: value), as: UInt8.self)
        place.storeBytes(of: UInt8(truncatingIfNeeded: value >> 8), toByteOffset: 1, as: UInt8.self)
        place.storeBytes(
          of: UInt8(truncatingIfNeeded: value >> 16), toByteOffset: 2, as: UInt8.self)
      }
    case .int24:
      for index in 0..<count {
        let value = quantized(Double(samples[index]), bits: 24)
        (target + 4 * index).storeBytes(of: value.littleEndian, as: Int32.self)
      }
    case .int32:
      for index in 0..<count {
        let value = quantized(Double(samples[index]), bits: 32)
        (target + 4 * index).storeBytes(of: value.littleEndian, as: Int32.self)
      }
    case .float32:
      for index in 0..<count {
        let bits = samples[index].bitPattern.littleEndian
        (target + 4 * index).storeBytes(of: bits, as: UInt32.self)
      }
    }
  }

  private mutating func writeInt16(
    _ samples: UnsafePointer<Float>, count: Int, to target: UnsafeMutableRawPointer
  ) {
    guard var noise else {
      for index in 0..<count {
        let value = quantized(Double(samples[index]), bits: 16)
        (target + 2 * index).storeBytes(
          of: Int16(truncatingIfNeeded: value).littleEndian, as: Int16.self)
      }
      return
    }
    for index in 0..<count {
      let sample = Double(samples[index])
      let dithered = sample == 0 ? 0 : sample + noise.next() * 0x1p-15
      let value = quantized(dithered, bits: 16)
      (target + 2 * index).storeBytes(
        of: Int16(truncatingIfNeeded: value).littleEndian, as: Int16.self)
    }
    self.noise = noise
  }
}

/// A sample as an integer of so many bits, clamped; 0 for what is no number.
@inline(__always)
private func quantized(_ sample: Double, bits: Int) -> Int32 {
  let scale = Double(1 << (bits - 1))
  // The comparisons come out false for what is no number, which ends in the last branch.
  let scaled = sample * scale
  if scaled >= scale - 1 { return Int32((1 << (bits - 1)) - 1) }
  if scaled <= -scale { return Int32(-(1 << (bits - 1))) }
  guard scaled == scaled else { return 0 }
  // Adding 1.5 * 2^52 rounds to a whole number and leaves it in the low bits; `rounded()` would be
  // a call for each sample on older processors.
  return Int32(truncatingIfNeeded: (scaled + 0x1.8p52).bitPattern)
}

/// Noise with a triangular distribution from -1 up to 1, the same in every run (xorshift64*).
struct TriangularNoise: Sendable {
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  mutating func next() -> Double {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    let mixed = state &* 0x2545_F491_4F6C_DD1D
    let one = Int64(mixed >> 32)
    let other = Int64(mixed & 0xFFFF_FFFF)
    return Double(one - other) * 0x1p-32
  }
}
