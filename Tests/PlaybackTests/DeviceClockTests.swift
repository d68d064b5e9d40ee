import PCM
import TestSupport
import Testing

@testable import Playback

/// When output frame 0 was heard, by readings that may lie (docs/playback.md, 2 and 3).
@Suite struct DeviceClockTests {
  private let epoch = ContinuousClock.now

  /// Takes a reading of a device that began so many milliseconds after the epoch.
  private func add(_ clock: inout DeviceClock, _ period: Int, began milliseconds: Int) {
    let written = FrameCount(period * 441)
    let at = epoch + .milliseconds(milliseconds) + .frames(written - 300, rate: 44100)
    clock.add(SinkReading(delay: 300, at: at), written: written)
  }

  private func origin(_ clock: DeviceClock) -> Duration? { clock.origin.map { $0 - epoch } }

  @Test func `three readings make a clock`() {
    var clock = DeviceClock(rate: 44100, epoch: epoch)
    for period in 1...2 {
      add(&clock, period, began: 7)
      #expect(clock.origin == nil)
    }
    add(&clock, 3, began: 7)
    #expect(origin(clock) == .milliseconds(7))
  }

  @Test(arguments: [-900, 900]) func `readings that lie are outvoted`(lie: Int) {
    var clock = DeviceClock(rate: 44100, epoch: epoch)
    for period in 1...9 { add(&clock, period, began: period % 3 == 0 ? 7 + lie : 7) }
    #expect(origin(clock) == .milliseconds(7))
  }

  @Test func `what is older than the window is forgotten`() {
    var clock = DeviceClock(rate: 44100, epoch: epoch)
    for period in 1...100 { add(&clock, period, began: 7) }
    for period in 101...120 { add(&clock, period, began: 9) }
    #expect(origin(clock) == .milliseconds(7))
    add(&clock, 121, began: 9)
    #expect(origin(clock) == .milliseconds(9))
  }

  @Test func `a clock has settled when its last readings say what all say`() {
    var clock = DeviceClock(rate: 44100, epoch: epoch)
    for period in 1...19 { add(&clock, period, began: 7) }
    #expect(!clock.isSettled)
    add(&clock, 20, began: 7)
    #expect(clock.isSettled)
    for period in 21...29 { add(&clock, period, began: 9) }
    #expect(!clock.isSettled)
    for period in 30...60 { add(&clock, period, began: 9) }
    #expect(clock.isSettled)
  }

  @Test func `after a reset nothing is known`() {
    var clock = DeviceClock(rate: 44100, epoch: epoch)
    for period in 1...30 { add(&clock, period, began: 7) }
    clock.reset()
    #expect(clock.origin == nil && !clock.isSettled)
    for period in 31...33 { add(&clock, period, began: 50) }
    #expect(origin(clock) == .milliseconds(50))
  }

  /// A device that is only being filled tells a delay, too, and a wrong one.
  @Test func `a device says nothing of its time before it has played`() throws {
    let rig = try PlayerRig()
    rig.device.lieWhileFilled = 44100
    for round in 0..<2 {
      for _ in 0..<40 where rig.shared.clock.read().3 == 0 { try rig.output.step() }
      let (_, offset, _, isKnown) = rig.shared.clock.read()
      #expect(isKnown == 1)
      // Each underrun leaves 0.5 s of the 0.7 without a frame of ours.
      let error = offset - Int64(round) * 500_000_000
      #expect(abs(error) < 100_000, "round \(round): the origin is off by \(error) ns")
      rig.time.advance(by: .milliseconds(700))
      try rig.output.step()
      #expect(rig.shared.clock.read().3 == 0)
    }
  }

  // MARK: Frames and time

  @Test(arguments: [8000, 11025, 44100, 48000, 96000, 192_000])
  func `frames and time are each other's inverse, over 30 years`(rate: Int) {
    var random = SeededGenerator(seed: UInt64(rate))
    for limit in [100, 1_000_000, FrameCount(rate) * 1_000_000_000] {
      for _ in 0..<300 {
        let frame = FrameCount.random(in: -limit...limit, using: &random)
        let time = Duration.frames(frame, rate: rate)
        #expect(time.frames(rate: rate) == frame)
        #expect(time.nearestFrame(rate: rate) == frame)
        #expect((time + .nanoseconds(400_000_000 / rate)).nearestFrame(rate: rate) == frame)
      }
    }
  }
}
