import PCM
import TestSupport
import Testing

@testable import Playback

/// Which moment of a track is heard when (docs/realtime.md): read off ruler audio, sample by sample.
@Suite struct StartOnTheSampleTests {
  /// Frames after a start that are under the fade-in.
  static let fade = OutputLoop.fadeFrames(rate: 44100)

  /// Checks that from an output frame on exactly the target's frames are heard.
  private func expectOnTime(
    _ rig: PlayerRig, _ target: PlaybackTarget, from first: Int, count: Int,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let wrong = rig.wrongFrames(target, from: first, count: count)
    #expect(wrong == 0, "\(wrong) of \(count) frames are wrong", sourceLocation: sourceLocation)
  }

  private func firstSound(_ rig: PlayerRig, from start: Int = 0) -> Int? {
    (start..<(rig.device.samples.count / 2)).first { rig.device.samples[$0 * 2 + 1] != 0 }
  }

  @Test(arguments: [0.5, 7.25, 31.4159]) func `a load is heard where the room is`(
    seconds: Double
  ) throws {
    let rig = try PlayerRig()
    try rig.run(.milliseconds(320))
    let target = rig.target(.seconds(seconds))
    try rig.load("ruler.flac", at: .seconds(seconds))
    try rig.run(.seconds(3))
    let first = try #require(firstSound(rig))
    expectOnTime(rig, target, from: first + Self.fade, count: 2 * 44100)
    #expect(rig.log.words == ["opened 1 flac 44100", "started 1"])
  }

  @Test func `sound begins within the device's buffer and 60 ms`() throws {
    let rig = try PlayerRig()
    try rig.run(.milliseconds(500))
    let told = rig.outputFrame(at: rig.time.now)
    try rig.load("ruler.flac", at: .seconds(10))
    try rig.run(.seconds(1))
    let first = try #require(firstSound(rig))
    #expect(first - told <= 44100 * 260 / 1000)
  }

  @Test func `a start at the track's beginning is bit-exact from its first frame`() throws {
    let rig = try PlayerRig()
    try rig.run(.milliseconds(300))
    // The target is ahead: the room's track begins in half a second.
    try rig.load("ruler.flac", at: .milliseconds(-500))
    let due = rig.outputFrame(at: rig.time.now + .milliseconds(500))
    try rig.run(.seconds(1))
    // Frame 0 of the ruler is silent by nature.
    let heard = rig.heard((due + 1)..<(due + 4000))
    #expect(heard == (1..<4000).map { FrameCount($0) })
    #expect(rig.heard((due - 2000)..<due).allSatisfy { $0 == nil })
  }

  @Test func `a paused load is silent, and an unpause starts on the sample`() throws {
    let rig = try PlayerRig()
    try rig.load("ruler.flac", at: .seconds(12), playing: false)
    try rig.run(.seconds(2))
    #expect(firstSound(rig) == nil)
    let target = rig.target(.seconds(12))
    rig.move(2, to: .seconds(12))
    try rig.run(.seconds(2))
    let first = try #require(firstSound(rig))
    expectOnTime(rig, target, from: first + Self.fade, count: 44100)
    #expect(rig.log.words == ["opened 1 flac 44100", "started 2"])
  }

  @Test func `a seek is heard where the room is, and the old sound ends under a fade`() throws {
    let rig = try PlayerRig()
    try rig.load("ruler.flac", at: .seconds(5))
    try rig.run(.seconds(2))
    let target = rig.target(.seconds(40))
    let written = rig.device.samples.count / 2
    rig.move(2, to: .seconds(40))
    try rig.run(.seconds(2))
    // What was written is played, then 5 ms of fade, then silence up to the new place.
    let silent = try #require(
      (written..<(written + 4410)).first { rig.device.samples[$0 * 2 + 1] == 0 })
    #expect(silent - written <= Self.fade)
    let first = try #require(firstSound(rig, from: silent))
    expectOnTime(rig, target, from: first + Self.fade, count: 44100)
    #expect(rig.log.words == ["opened 1 flac 44100", "started 1", "started 2"])
  }

  @Test func `a pause falls silent within a fade and stays so`() throws {
    let rig = try PlayerRig()
    try rig.load("ruler.flac", at: .seconds(5))
    try rig.run(.seconds(1))
    let written = rig.device.samples.count / 2
    rig.move(1, to: .seconds(6), playing: false)
    try rig.run(.seconds(1))
    let rest = rig.heard((written + Self.fade)..<(rig.device.samples.count / 2))
    #expect(rest.allSatisfy { $0 == nil })
    #expect(rig.log.words.last == "started 1")
  }

  @Test func `a track that is decoded late starts late, in its place`() throws {
    let rig = try PlayerRig()
    try rig.run(.milliseconds(300))
    let target = rig.target(.seconds(3))
    try rig.load("ruler.flac", at: .seconds(3))
    while rig.decode.step() == .none {}
    // The marker was aimed at what is long played by the time the output thread runs again.
    rig.time.advance(by: .milliseconds(150))
    try rig.run(.seconds(1))
    let first = try #require(firstSound(rig))
    expectOnTime(rig, target, from: first + Self.fade, count: 20000)
  }

  @Test func `a ring that runs empty leaves silence, not a later track`() throws {
    let rig = try PlayerRig()
    try rig.run(.milliseconds(300))
    let target = rig.target(.seconds(3))
    try rig.load("ruler.flac", at: .seconds(3))
    try rig.run(.seconds(1))
    // The decode thread is held up for 6 s: the ring's 2 s and more.
    for _ in 0..<120 { try rig.output.step() }
    let silent = rig.device.samples.count / 2 - 4410
    #expect(rig.heard(silent..<(silent + 4410)).allSatisfy { $0 == nil })
    try rig.run(.seconds(2))
    let first = try #require(firstSound(rig, from: silent))
    expectOnTime(rig, target, from: first + Self.fade, count: 44100)
    #expect(rig.log.words.contains("starved 1"))
  }

  @Test func `after an underrun the sound is back in its place`() throws {
    let rig = try PlayerRig()
    let target = rig.target(.seconds(3))
    try rig.load("ruler.flac", at: .seconds(3))
    try rig.run(.seconds(1))
    rig.time.advance(by: .milliseconds(700))
    try rig.run(.seconds(2))
    let end = rig.device.samples.count / 2
    expectOnTime(rig, target, from: end - 44100, count: 44100)
    #expect(rig.log.words.contains("underrun"))
    #expect(rig.underruns == 1)
  }

  @Test func `the end is told when the last frame is heard, and silence follows`() throws {
    let rig = try PlayerRig()
    try rig.run(.milliseconds(300))
    try rig.load("ruler.flac", at: .seconds(49))
    let end = rig.outputFrame(at: rig.time.now + .seconds(1))
    try rig.run(.milliseconds(900))
    #expect(!rig.log.words.contains("ended 1"))
    try rig.run(.milliseconds(400))
    #expect(rig.log.words.last == "ended 1")
    #expect(rig.heard((end - 1)..<end) == [Ruler.frames - 1])
    #expect(rig.heard(end..<(end + 2000)).allSatisfy { $0 == nil })
  }

  @Test func `a device at another rate gets the same moment`() throws {
    let rig = try PlayerRig(rate: 48000)
    try rig.run(.milliseconds(300))
    let target = rig.target(.seconds(20))
    try rig.load("ruler.flac", at: .seconds(20))
    try rig.run(.seconds(2))
    let first = try #require(firstSound(rig)) + 480
    var worst = 0.0
    for frame in first..<(first + 48000) {
      let instant = rig.origin + .frames(FrameCount(frame), rate: 48000)
      let position = target.position(at: instant)
      // The device's frame nearest to the position is played; the ruler shows which that was.
      let due = Double(position.nearestFrame(rate: 48000)) * 44100 / 48000
      let low = due.truncatingRemainder(dividingBy: 4096)
      // Where the sawtooth falls the filter rings: only the ramp is read.
      guard low > 300, low < 3800 else { continue }
      worst = max(worst, abs(Double(rig.device.samples[frame * 2]) * 32768 - low))
    }
    #expect(worst < 0.1, "off by \(worst) frames")
  }
}
