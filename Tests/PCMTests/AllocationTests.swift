import CAllocationCounter
import PCM
import Testing

/// The rule of docs/realtime.md: what the output thread calls allocates nothing.
@Suite(.enabled(if: callocationcounter_is_active())) struct AllocationTests {
  @Test func `Swift's allocations are counted`() {
    let before = callocationcounter_this_thread()
    var array: [Int] = []
    for value in 0..<1000 { array.append(value) }
    #expect(array.count == 1000)
    #expect(callocationcounter_this_thread() >= before + 5)
  }

  @Test func `from the ring to the bytes nothing is allocated`() {
    let ring = RingBuffer(minimumCapacity: 4096, keptBehind: 64)
    let interpolator = DriftInterpolator()
    let markers = Conveyor<Marker>()
    var gain = GainRamp(0.5)
    var converter = SampleConverter(to: .int16, dithered: true)
    var block = [Float](repeating: 0.25, count: 2 * 441)
    var bytes = [UInt8](repeating: 0, count: 4 * 441)

    var before = callocationcounter_this_thread()
    for round in 0..<303 {
      // In the first rounds the runtime makes the types' metadata, once for the process.
      if round == 3 { before = callocationcounter_this_thread() }
      _ = ring.write(block.span)
      let marker = Marker(generation: 1, ringIndex: 0, trackFrame: 0)
      _ = markers.push(marker)
      _ = markers.pop()
      interpolator.ratio = round % 3 == 0 ? 1 : 1.0002
      gain.move(to: round % 2 == 0 ? 1 : 0.5, over: 300)
      var span = block.mutableSpan
      _ = interpolator.read(into: &span, frames: 441, from: ring)
      gain.apply(to: &span)
      bytes.withUnsafeMutableBytes { _ = converter.convert(block.span, into: $0) }
    }
    #expect(callocationcounter_this_thread() == before)
  }

  @Test func `resampling allocates nothing`() {
    let resampler = Resampler(from: 48_000, to: 44_100)
    let input = [Float](repeating: 0.25, count: 2 * 480)
    var output = [Float](repeating: 0, count: 2 * 500)
    var before = callocationcounter_this_thread()
    for round in 0..<50 {
      if round == 1 { before = callocationcounter_this_thread() }
      var span = output.mutableSpan
      _ = resampler.process(input.span, into: &span)
    }
    #expect(callocationcounter_this_thread() == before)
  }
}
