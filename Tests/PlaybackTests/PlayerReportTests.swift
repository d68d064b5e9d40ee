import Codecs
import PCM
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Playback

/// What the player says of itself: the position that is heard, events, the device's release.
@Suite struct PlayerReportTests {
  @Test func `the position told is the one recorded`() throws {
    let rig = try PlayerRig()
    try rig.load("ruler.flac", at: .seconds(8))
    for _ in 0..<40 {
      try rig.run(.milliseconds(50))
      guard let (frame, at) = rig.position else { continue }
      let output = rig.outputFrame(at: at)
      if let heard = rig.heard(output..<(output + 1))[0], frame > 8 * 44100 + 30000 {
        #expect(heard == frame)
      }
    }
    #expect(rig.position != nil)
  }

  @Test func `nothing is told of the old place after a seek`() throws {
    let rig = try PlayerRig()
    try rig.load("ruler.flac", at: .seconds(8))
    try rig.run(.seconds(1))
    rig.move(2, to: .seconds(30))
    try rig.step()
    #expect(rig.position == nil)
    try rig.run(.milliseconds(400))
    #expect((rig.position?.frame ?? 0) > 30 * 44100)
  }

  @Test func `bytes that are no audio fail with the name of what they are`() throws {
    let rig = try PlayerRig()
    try rig.load(path: Fixture.path("README.md"))
    try rig.run(.milliseconds(500))
    #expect(rig.log.words.count == 1)
    #expect(rig.log.words[0].hasPrefix("failed 1 unsupported"))
  }

  @Test func `a superseded load says nothing more`() throws {
    let rig = try PlayerRig()
    try rig.load("ruler.flac", 1, at: .seconds(8))
    try rig.run(.milliseconds(500))
    try rig.load("ruler-48k.flac", 2, at: .seconds(2))
    try rig.run(.seconds(1))
    #expect(
      rig.log.words == [
        "opened 1 flac 44100", "started 1", "opened 2 flac 48000", "started 2",
      ])
  }

  @Test func `a move for an older placement is ignored`() throws {
    let rig = try PlayerRig()
    try rig.load("ruler.flac", 5, at: .seconds(8))
    try rig.run(.milliseconds(500))
    rig.move(4, to: .seconds(30))
    try rig.run(.seconds(1))
    #expect((rig.position?.frame ?? 0) < 12 * 44100)
  }

  @Test func `the device is given back after 10 s of pause, and asked for in time`() throws {
    let rig = try PlayerRig()
    try rig.load("ruler.flac", at: .seconds(8), playing: false)
    try rig.run(.seconds(9))
    #expect(rig.wantsDevice)
    try rig.run(.seconds(2))
    #expect(!rig.wantsDevice)
    #expect(rig.log.words.last == "released")
    rig.move(2, to: .seconds(8))
    _ = rig.decode.step()
    #expect(rig.wantsDevice)
  }

  @Test func `ReplayGain is a factor on the track's samples`() throws {
    let rig = try PlayerRig()
    let source = try FileByteSource(path: Fixture.path("audio/ruler.flac"))
    rig.shared.commands.post(
      .load(1, source: source, gain: 0.25, target: rig.target(.seconds(20))))
    try rig.run(.seconds(1))
    // From 20 s on the ruler's right sample is 215 and more.
    let right = rig.device.samples[rig.device.samples.count - 1] * 32768
    #expect((53.75...58).contains(right))
  }

  @Test func `the volume is a factor on all that is played, and ramped`() throws {
    let rig = try PlayerRig()
    try rig.load("ruler.flac", at: .seconds(20))
    try rig.run(.seconds(1))
    let change = rig.recorded
    rig.shared.volume.store(Float(0.5).bitPattern, ordering: .relaxed)
    try rig.run(.milliseconds(200))
    let ramp = OutputLoop.volumeFrames(rate: 44100)
    let rights = [0, ramp / 2, ramp].map { rig.device.samples[(change + $0) * 2 + 1] }
    #expect(abs(rights[1] / rights[0] - 0.75) < 0.01)
    #expect(abs(rights[2] / rights[0] - 0.5) < 0.01)
  }

  @Test func `a file that ends before its length is played to there, and told`() throws {
    let folder = try TemporaryFolder()
    let bytes = try Fixture.bytes("audio/ruler.flac")
    try Music.write(Array(bytes[..<(bytes.count / 2)]), to: folder.file("half.flac"))
    let rig = try PlayerRig()
    try rig.load(path: folder.file("half.flac"))
    rig.move(2, to: .seconds(20))
    try rig.run(.seconds(10))
    #expect(rig.log.words == ["opened 1 flac 44100", "truncated 2", "started 2", "ended 2"])
  }

  @Test func `a lost device is an error that names it`() throws {
    let rig = try PlayerRig()
    try rig.load("ruler.flac", at: .seconds(8))
    try rig.run(.seconds(1))
    rig.device.isLost = true
    #expect(throws: SinkError(device: "recording", operation: .write, code: 19)) {
      try rig.run(.seconds(1))
    }
  }
}
