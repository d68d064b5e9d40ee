import PCM
import TestSupport
import Testing

@Suite struct ChannelMappingTests {
  struct Row: CustomTestStringConvertible {
    var channels: Int
    var order: ChannelMapping.Order
    /// What each channel gives to left and right before all is divided by `sum`.
    var left: [Float]
    var right: [Float]
    var testDescription: String { "\(channels) \(order)" }
  }

  static let h = Float(0.70710678)
  static let rows: [Row] = [
    Row(channels: 1, order: .wave, left: [1], right: [1]),
    Row(channels: 1, order: .vorbis, left: [1], right: [1]),
    Row(channels: 2, order: .wave, left: [1, 0], right: [0, 1]),
    Row(channels: 2, order: .vorbis, left: [1, 0], right: [0, 1]),
    Row(channels: 3, order: .wave, left: [1, 0, h], right: [0, 1, h]),
    Row(channels: 3, order: .vorbis, left: [1, h, 0], right: [0, h, 1]),
    Row(channels: 4, order: .wave, left: [1, 0, h, 0], right: [0, 1, 0, h]),
    Row(channels: 4, order: .vorbis, left: [1, 0, h, 0], right: [0, 1, 0, h]),
    Row(channels: 5, order: .wave, left: [1, 0, h, h, 0], right: [0, 1, h, 0, h]),
    Row(channels: 5, order: .vorbis, left: [1, h, 0, h, 0], right: [0, h, 1, 0, h]),
    Row(channels: 6, order: .wave, left: [1, 0, h, 0, h, 0], right: [0, 1, h, 0, 0, h]),
    Row(channels: 6, order: .vorbis, left: [1, h, 0, h, 0, 0], right: [0, h, 1, 0, h, 0]),
    Row(
      channels: 7, order: .wave, left: [1, 0, h, 0, 0.5, h, 0], right: [0, 1, h, 0, 0.5, 0, h]),
    Row(
      channels: 7, order: .vorbis, left: [1, h, 0, h, 0, 0.5, 0], right: [0, h, 1, 0, h, 0.5, 0]),
    Row(
      channels: 8, order: .wave, left: [1, 0, h, 0, h, 0, h, 0],
      right: [0, 1, h, 0, 0, h, 0, h]),
    Row(
      channels: 8, order: .vorbis, left: [1, h, 0, h, 0, h, 0, 0],
      right: [0, h, 1, 0, h, 0, h, 0]),
  ]

  @Test(arguments: rows) func `each channel goes where it belongs`(row: Row) {
    let mapping = ChannelMapping(channels: row.channels, order: row.order)
    let sum = row.channels > 2 ? row.left.reduce(0, +) : 1
    for channel in 0..<row.channels {
      let weights = mapping.weights(of: channel)
      #expect(abs(weights.left - row.left[channel] / sum) < 1e-6)
      #expect(abs(weights.right - row.right[channel] / sum) < 1e-6)
    }
  }

  @Test(arguments: 1...12) func `full scale on every channel does not clip`(channels: Int) {
    let mapping = ChannelMapping(channels: channels, order: .wave)
    let sides = fold([Float](repeating: 1, count: channels), by: mapping)
    #expect(sides.allSatisfy { $0 <= 1.000001 && $0 > 0.999 })
  }

  @Test(arguments: 1...12) func `interleaved, planar and integer frames agree`(channels: Int) {
    var random = SeededGenerator(seed: UInt64(channels))
    let mapping = ChannelMapping(channels: channels, order: .vorbis)
    let integers = (0..<(5 * channels)).map { _ in
      Int32.random(in: -32768...32767, using: &random)
    }
    let expected = fold(integers.map { Float($0) / 32768 }, by: mapping)

    var planes = (0..<channels).map { channel in
      (0..<5).map { integers[$0 * channels + channel] }
    }
    var samples = planes.map { $0.map { Float($0) / 32768 } }
    var fromIntegers = [Float](repeating: 9, count: 10)
    var fromPlanes = [Float](repeating: 9, count: 10)
    // Arrays of arrays have no lasting addresses: lay the planes out in memory of their own.
    let wholes = UnsafeMutablePointer<Int32>.allocate(capacity: 5 * channels)
    let floats = UnsafeMutablePointer<Float>.allocate(capacity: 5 * channels)
    defer {
      wholes.deallocate()
      floats.deallocate()
    }
    for channel in 0..<channels {
      (wholes + 5 * channel).initialize(from: &planes[channel], count: 5)
      (floats + 5 * channel).initialize(from: &samples[channel], count: 5)
    }
    let wholePlanes = (0..<channels).map { UnsafePointer(wholes + 5 * $0) as UnsafePointer? }
    let floatPlanes = (0..<channels).map { (floats + 5 * $0) as UnsafeMutablePointer? }
    mapping.fold(planar: wholePlanes, bits: 16, frames: 5, into: &fromIntegers)
    mapping.fold(planar: floatPlanes, frames: 5, into: &fromPlanes)
    for (one, other) in zip(expected, fromIntegers) { #expect(abs(one - other) < 1e-6) }
    for (one, other) in zip(expected, fromPlanes) { #expect(abs(one - other) < 1e-6) }
  }

  @Test func `stereo and mono keep every bit`() {
    var random = SeededGenerator(seed: 3)
    let samples = (0..<64).map { _ in random.sample() }
    #expect(fold(samples, by: ChannelMapping(channels: 2, order: .wave)) == samples)
    #expect(
      fold(samples, by: ChannelMapping(channels: 1, order: .wave)) == samples.flatMap { [$0, $0] })
  }

  private func fold(_ samples: [Float], by mapping: ChannelMapping) -> [Float] {
    let frames = samples.count / mapping.channels
    var folded = [Float](repeating: 9, count: frames * 2)
    mapping.fold(interleaved: samples, frames: frames, into: &folded)
    return folded
  }
}
