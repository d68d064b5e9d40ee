import PCM
import TestSupport
import Testing

@testable import Playback

/// Sound heard at the wrong moment is put right by one splice (docs/realtime.md).
@Suite struct LandingTests {
  /// A device whose first readings are off, by frames: late and early, small and large.
  @Test(arguments: [1323, -1323, 44, -30000]) func `what the first readings hid is put right`(
    lie: FrameCount
  ) throws {
    let rig = try PlayerRig()
    rig.device.lie = lie
    let target = rig.target(.seconds(10))
    try rig.load("ruler.flac", at: .seconds(10))
    try rig.run(.milliseconds(600))
    rig.device.lie = 0
    try rig.run(.seconds(5))
    #expect(rig.wrongFrames(target, from: rig.recorded - 44100, count: 44100) == 0)
    let skips = rig.log.words.count { $0.hasPrefix("skipped") }
    let starts = rig.log.words.count { $0.hasPrefix("started") }
    // Where the ring does not hold enough the track is aimed anew instead.
    #expect(skips + starts == 2, "\(rig.log.words)")
  }

  @Test func `without landing nothing is spliced`() throws {
    var settings = PlayerSettings()
    settings.landsExactly = false
    let rig = try PlayerRig(settings: settings)
    rig.device.lie = 1323
    let target = rig.target(.seconds(10))
    try rig.load("ruler.flac", at: .seconds(10))
    try rig.run(.milliseconds(600))
    rig.device.lie = 0
    try rig.run(.seconds(5))
    #expect(rig.wrongFrames(target, from: rig.recorded - 4410, count: 4410) == 4410)
    #expect(!rig.log.words.contains { $0.hasPrefix("skipped") })
  }

  @Test func `a wrong moment below the threshold is left alone`() throws {
    let rig = try PlayerRig()
    rig.device.lie = 20
    try rig.load("ruler.flac", at: .seconds(10))
    try rig.run(.milliseconds(600))
    rig.device.lie = 0
    try rig.run(.seconds(5))
    #expect(!rig.log.words.contains { $0.hasPrefix("skipped") })
  }

  // MARK: The rule alone

  @Test func `a start is put right once to half a millisecond, later from 5 ms on`() {
    var landing = Landing(start: 0, rate: 44100)
    #expect(landing.correction(error: 22, at: 44100) == 0)
    #expect(landing.correction(error: 23, at: 44100) == 23)
    // Four seconds of cool-down, and the fine threshold is used up.
    #expect(landing.correction(error: 4410, at: 44100 * 4) == 0)
    #expect(landing.correction(error: 220, at: 44100 * 6) == 0)
    #expect(landing.correction(error: -221, at: 44100 * 6) == -221)
  }

  @Test func `the fine threshold ends five seconds after the start`() {
    var landing = Landing(start: 0, rate: 44100)
    #expect(landing.correction(error: 100, at: 44100 * 5 + 1) == 0)
    #expect(landing.correction(error: 1000, at: 44100 * 5 + 1) == 1000)
  }

  @Test func `a device that lies for ever is not spliced for ever`() {
    var landing = Landing(start: 0, rate: 44100)
    let corrections = (1...100).map { landing.correction(error: 500, at: $0 * 44100 * 5) }
    #expect(corrections.count { $0 != 0 } == 2)
  }
}
