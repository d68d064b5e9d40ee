import PCM
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
