import PCM
import Testing

@Suite struct SampleConversionTests {
  private func bytes(
    _ samples: [Float], _ encoding: SampleEncoding, dithered: Bool = false
  ) -> [UInt8] {
    var converter = SampleConverter(to: encoding, dithered: dithered)
    var bytes = [UInt8](repeating: 0xEE, count: samples.count * encoding.bytesPerSample + 1)
    let written = bytes.withUnsafeMutableBytes { buffer in
      converter.convert(samples.span, into: buffer)
    }
    #expect(written == samples.count * encoding.bytesPerSample)
    #expect(bytes.removeLast() == 0xEE)
    return bytes
  }

  private func int16s(_ samples: [Float], dithered: Bool = false) -> [Int16] {
    let bytes = bytes(samples, .int16, dithered: dithered)
    return (0..<samples.count).map { Int16(bytes[2 * $0]) | Int16(bytes[2 * $0 + 1]) << 8 }
  }

  @Test func `every 16-bit value comes out as it went in`() {
    let values = (Int16.min...Int16.max).map { $0 }
    #expect(int16s(values.map { Float($0) / 32768 }) == values)
  }

  @Test(
    arguments: [
      (0, [0, 0]), (0.5, [0, 0x40]), (-0.5, [0, 0xC0]), (1, [0xFF, 0x7F]), (-1, [0, 0x80]),
      (7, [0xFF, 0x7F]), (-7, [0, 0x80]), (.infinity, [0xFF, 0x7F]), (-.infinity, [0, 0x80]),
      (.nan, [0, 0]), (0.4 / 32768, [0, 0]), (0.6 / 32768, [1, 0]), (-0.6 / 32768, [0xFF, 0xFF]),
      (32767.4 / 32768, [0xFF, 0x7F]), (-0.0, [0, 0]),
    ] as [(Float, [UInt8])])
  func `16 bits are rounded and clamped`(sample: Float, expected: [UInt8]) {
    #expect(bytes([sample], .int16) == expected)
  }

  @Test(
    arguments: [
      (0, [0, 0, 0]), (0.5, [0, 0, 0x40]), (-0.5, [0, 0, 0xC0]), (1, [0xFF, 0xFF, 0x7F]),
      (-1, [0, 0, 0x80]), (9, [0xFF, 0xFF, 0x7F]), (.nan, [0, 0, 0]),
      (1 / 8_388_608, [1, 0, 0]), (-1 / 8_388_608, [0xFF, 0xFF, 0xFF]),
    ] as [(Float, [UInt8])])
  func `24 bits, packed and in four bytes`(sample: Float, expected: [UInt8]) {
    #expect(bytes([sample], .int24Packed) == expected)
    let sign: UInt8 = expected[2] & 0x80 == 0 ? 0 : 0xFF
    #expect(bytes([sample], .int24) == expected + [sign])
  }

  @Test(
    arguments: [
      (0, [0, 0, 0, 0]), (0.5, [0, 0, 0, 0x40]), (1, [0xFF, 0xFF, 0xFF, 0x7F]),
      (-1, [0, 0, 0, 0x80]), (-3, [0, 0, 0, 0x80]), (.nan, [0, 0, 0, 0]),
      (1 / 2_147_483_648, [1, 0, 0, 0]),
    ] as [(Float, [UInt8])])
  func `32 bits`(sample: Float, expected: [UInt8]) {
    #expect(bytes([sample], .int32) == expected)
  }

  @Test func `floating point passes as it is`() {
    #expect(bytes([1, -0.5], .float32) == [0, 0, 0x80, 0x3F, 0, 0, 0, 0xBF])
  }

  @Test func `dither keeps the mean, stays within two steps and spares silence`() {
    let sample = Float(0.3 / 32768)
    let values = int16s([Float](repeating: sample, count: 40_000), dithered: true)
    let mean = values.reduce(0.0) { $0 + Double($1) } / Double(values.count)
    #expect(abs(mean - 0.3) < 0.02)
    #expect(values.allSatisfy { (-1...2).contains($0) })
    #expect(Set(values).count > 2)
    #expect(int16s([0, 0, 0], dithered: true) == [0, 0, 0])
    #expect(int16s([1, -1, 2], dithered: true).first == Int16.max)
  }

  @Test func `dither is the same in every run and goes on from block to block`() {
    let samples = [Float](repeating: 0.1, count: 64)
    #expect(int16s(samples, dithered: true) == int16s(samples, dithered: true))
    #expect(int16s(samples, dithered: true) != int16s(samples))
  }
}
