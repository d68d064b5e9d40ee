import PCM
import TestSupport
import Testing

@testable import Playback

/// Sound heard at the wrong moment is put right by one splice (docs/realtime.md).
@Suite struct LandingTests {
  /// A device whose first readings are off, by frames: late and early, small and large.
  @Test(arguments: [1323, -1323, 300, -30000]) func `what the first readings hid is put right`(
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
    rig.device.lie = 200
    try rig.load("ruler.flac", at: .seconds(10))
    try rig.run(.milliseconds(600))
    rig.device.lie = 0
    try rig.run(.seconds(5))
    #expect(!rig.log.words.contains { $0.hasPrefix("skipped") })
  }

  // MARK: The rule alone

  @Test func `5 ms are left alone, more is put right, and then not again for 4 s`() {
    var landing = Landing(rate: 44100)
    #expect(landing.correction(error: 220, at: 44100) == 0)
    #expect(landing.correction(error: -221, at: 44100) == -221)
    #expect(landing.correction(error: 4410, at: 44100 * 5 - 1) == 0)
    #expect(landing.correction(error: 4410, at: 44100 * 5) == 4410)
  }

  @Test func `a device that lies for ever is not spliced for ever`() {
    var landing = Landing(rate: 44100)
    let corrections = (1...100).map { landing.correction(error: 500, at: $0 * 44100 * 5) }
    #expect(corrections.count { $0 != 0 } == 2)
  }
}
