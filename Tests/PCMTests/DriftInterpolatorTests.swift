import Glibc
import Measuring
import PCM
import TestSupport
import Testing

@Suite struct DriftInterpolatorTests {
  /// A ring that holds the given left samples, the right ones being their negatives.
  private func ring(_ left: [Float]) -> RingBuffer {
    let ring = RingBuffer(minimumCapacity: left.count + 32, keptBehind: 32)
    #expect(write(left, to: ring) == left.count)
    return ring
  }

  private func write(_ left: [Float], to ring: RingBuffer) -> Int {
    let frames = left.flatMap { [$0, -$0] }
    return ring.write(frames.span)
  }

  private func sine(_ frequency: Double, count: Int, rate: Double = 44_100) -> [Float] {
    (0..<count).map { Float(0.9 * sin(2 * .pi * frequency * Double($0) / rate)) }
  }

  /// Reads up to a number of frames and gives their left samples.
  private func read(
    _ interpolator: DriftInterpolator, _ ring: RingBuffer, frames: Int, limit: FrameCount = .max,
    beyond: DriftInterpolator.Beyond = .sound
  ) -> [Float] {
    var block = [Float](repeating: 0, count: 2 * frames)
    var span = block.mutableSpan
    let got = interpolator.read(
      into: &span, frames: frames, from: ring, limit: limit, beyond: beyond)
    #expect((0..<got).allSatisfy { block[2 * $0] == -block[2 * $0 + 1] })
    return (0..<got).map { block[2 * $0] }
  }

  /// Reads until nothing more comes, in blocks of changing size.
  private func drain(
    _ interpolator: DriftInterpolator, _ ring: RingBuffer, limit: FrameCount = .max,
    beyond: DriftInterpolator.Beyond = .sound
  ) -> [Float] {
    var left: [Float] = []
    var size = 1
    var got = 1
    while got == size {
      size = size % 699 + 17
      let more = read(interpolator, ring, frames: size, limit: limit, beyond: beyond)
      got = more.count
      left += more
    }
    return left
  }

  @Test func `ratio one is a copy to the last frame written`() {
    var random = SeededGenerator(seed: 1)
    let left = (0..<3000).map { _ in random.sample() }
    let ring = ring(left)
    #expect(drain(DriftInterpolator(), ring) == left)
    #expect(ring.readIndex == 3000)
  }

  @Test func `the position after n frames is n times the ratio, exactly`() {
    let ring = ring([Float](repeating: 0, count: 40_000))
    let interpolator = DriftInterpolator()
    // A ratio that is a whole number of 2^-64, so that the product can be written down.
    interpolator.ratio = 1 + 0x1p-12 + 0x1p-40
    for _ in 0..<30 { #expect(read(interpolator, ring, frames: 1000).count == 1000) }
    // 30,000 times 2^-12 is 7 and a rest; the multiplication in 64 bits keeps that rest.
    let step: UInt64 = (1 << 52) + (1 << 24)
    #expect(ring.readIndex == 30_007)
    #expect(interpolator.phaseBits == step &* 30_000)
  }

  @Test(arguments: [200e-6, -200e-6, 2000e-6])
  func `a sine comes out at its new pitch with little noise`(drift: Double) {
    let ring = ring(sine(997, count: 72_000))
    let interpolator = DriftInterpolator()
    interpolator.ratio = 1 + drift
    let out = drain(interpolator, ring)
    let fit = SineFit(
      Array(out[2000..<(2000 + 65_536)]), frequency: 997 * (1 + drift) / 44_100,
      notch: 20 / 44_100)
    #expect(fit.noise < -100, "THD+N \(fit.noise) dB")
    #expect(abs(fit.amplitude - 0.9) < 0.001)
  }

  @Test(arguments: [20.0, 1000, 5000, 10_000, 14_000, 16_000, 17_000, 18_000])
  func `the response is flat`(frequency: Double) {
    let ring = ring(sine(frequency, count: 9000))
    let interpolator = DriftInterpolator()
    // Every phase comes by several times.
    interpolator.ratio = 1 + 1 / 1024.0
    let out = drain(interpolator, ring)
    let fit = SineFit(
      Array(out[400..<(400 + 8192)]), frequency: frequency * interpolator.ratio / 44_100,
      notch: 200 / 44_100)
    let level = 20 * log10(fit.amplitude / 0.9)
    #expect(abs(level) < 0.1, "\(level) dB")
  }

  @Test func `a change of ratio makes no click`() {
    let ring = ring(sine(997, count: 40_000))
    let interpolator = DriftInterpolator()
    var out: [Float] = []
    for turn in 0..<80 {
      interpolator.ratio = turn < 5 ? 1 : turn % 2 == 0 ? 1.0005 : 0.9995
      out += read(interpolator, ring, frames: 441)
    }
    #expect(out.count == 80 * 441)
    // A sine's second difference is its own value times -(2 pi f)^2; a click stands out.
    let bend = 0.9 * pow(2 * .pi * 997 / 44_100, 2) * 1.01
    var sharpest: Float = 0
    for frame in 1..<(out.count - 1) {
      let middle = out[frame - 1] + out[frame + 1]
      sharpest = max(sharpest, abs(middle - 2 * out[frame]))
    }
    #expect(Double(sharpest) < bend)
  }

  @Test func `a fraction of a frame is a delay by it`() {
    let ring = ring(sine(997, count: 3000))
    let interpolator = DriftInterpolator()
    interpolator.ratio = 1.25
    for turn in 0..<2000 {
      let position = Double(ring.readIndex) + interpolator.phase
      #expect(position == Double(turn) * 1.25)
      let sample = Double(read(interpolator, ring, frames: 1).first ?? .nan)
      let truth = 0.9 * sin(2 * .pi * 997 * position / 44_100)
      // The silence before the first frame is no sine yet.
      if turn > 32 { #expect(abs(sample - truth) < 1e-5) }
    }
  }

  @Test func `without more sound it stops sixteen frames before the end`() {
    let ring = ring([Float](repeating: 0.5, count: 1000))
    let interpolator = DriftInterpolator()
    interpolator.ratio = 1.0001
    let out = drain(interpolator, ring)
    #expect(out.count == 984)
    #expect(ring.writeIndex - ring.readIndex == 16)
    #expect(write([Float](repeating: 0.5, count: 10), to: ring) == 10)
    #expect(drain(interpolator, ring).count == 10)
  }

  @Test(arguments: [0.9995, 1, 1.0005])
  func `before silence it goes to the end and stands on it`(ratio: Double) {
    let ring = ring([Float](repeating: 0.5, count: 4000))
    let interpolator = DriftInterpolator()
    interpolator.ratio = ratio
    let out = drain(interpolator, ring, limit: 3000, beyond: .silence)
    #expect(out.count == Int((3000 / ratio).rounded(.up)))
    #expect(ring.readIndex == 3000)
    #expect(interpolator.phase == 0)
  }

  @Test func `before more sound the limit is not stood on but looked behind`() {
    let left = sine(997, count: 4000)
    let ring = ring(left)
    let whole = self.ring(left)
    let interpolator = DriftInterpolator()
    interpolator.ratio = 0.9995
    let other = DriftInterpolator()
    other.ratio = 0.9995
    var out = drain(interpolator, ring, limit: 1500)
    #expect(ring.readIndex == 1500)
    out += drain(interpolator, ring)
    #expect(out == drain(other, whole))
  }

  @Test func `what is behind the limit is not heard before silence`() {
    var left = [Float](repeating: 0, count: 2000)
    for frame in 1000..<2000 { left[frame] = 1 }
    let ring = ring(left)
    let interpolator = DriftInterpolator()
    interpolator.ratio = 1.0003
    let out = drain(interpolator, ring, limit: 1000, beyond: .silence)
    #expect(out.allSatisfy { $0 == 0 })
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `a small ring that wraps gives what one that holds all gives`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let left = (0..<4000).map { _ in random.sample() }
    let ratio = 1 + Double.random(in: -0.01...0.01, using: &random)
    let interpolator = DriftInterpolator()
    interpolator.ratio = ratio
    let whole = drain(interpolator, ring(left))

    let small = RingBuffer(minimumCapacity: 256, keptBehind: 15)
    interpolator.reset()
    var out: [Float] = []
    var next = 0
    var got = 1
    while next < left.count || got > 0 {
      let count = min(left.count - next, Int.random(in: 0...200, using: &random))
      next += write(Array(left[next..<(next + count)]), to: small)
      let more = read(interpolator, small, frames: Int.random(in: 1...150, using: &random))
      got = more.count
      out += more
    }
    #expect(out == whole)
  }

  @Test(
    arguments: [
      (0.1, 0.5), (9, 2), (.nan, 1), (.infinity, 1), (-1, 0.5),
    ] as [(Double, Double)])
  func `a ratio out of range is brought to the nearer end`(wish: Double, used: Double) {
    let ring = ring([Float](repeating: 0.5, count: 3000))
    let interpolator = DriftInterpolator()
    interpolator.ratio = wish
    #expect(read(interpolator, ring, frames: 1000).count == 1000)
    #expect(Double(ring.readIndex) + interpolator.phase == 1000 * used)
  }
}
