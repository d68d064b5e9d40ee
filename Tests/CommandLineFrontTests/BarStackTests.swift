import Testing

@testable import CommandLineFront

@Suite struct BarStackTests {
  @Test func `a speed is that of the last few seconds`() {
    let start = ContinuousClock.now
    var speed = SlidingSpeed()
    #expect(speed.text == "")
    speed.take(0, at: start)
    speed.take(100, at: start + .milliseconds(100))
    #expect(speed.text == "")
    for tenth in 2...100 { speed.take(Int64(tenth) * 100, at: start + .milliseconds(tenth * 100)) }
    #expect(speed.text == "1.0 kB/s")
    // Nothing comes any more: after a while that is said.
    for tenth in 101...140 { speed.take(10_000, at: start + .milliseconds(tenth * 100)) }
    #expect(speed.text == "0 B/s")
  }
}
