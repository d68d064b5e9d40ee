import PCM
import TestSupport
import Testing

@testable import Playback

/// How sound begins, ends and goes over inside a track: without a click (docs/playback.md, 7 and 10).
@Suite struct EdgeTests {
  static let fade = OutputLoop.fadeFrames(rate: 44100)

  /// What became of a sound at a frame, as a share of another frame near by: their right samples are
  /// equal in the ruler.
  private func gain(_ rig: PlayerRig, at frame: Int, of full: Int) -> Float {
    rig.device.samples[frame * 2 + 1] / rig.device.samples[full * 2 + 1]
  }

  private func playing() throws -> PlayerRig {
    let rig = try PlayerRig()
    try rig.run(.milliseconds(300))
    try rig.load("ruler.flac", at: .seconds(20))
    try rig.run(.milliseconds(600))
    return rig
  }

  @Test func `sound that begins inside a track is ramped over 5 ms`() throws {
    let rig = try playing()
    let first = try #require((0..<rig.recorded).first { rig.device.samples[$0 * 2 + 1] != 0 })
    for part in 1...4 {
      let gain = gain(rig, at: first - 1 + Self.fade * part / 4, of: first + Self.fade)
      #expect(abs(gain - Float(part) / 4) < 0.02, "\(part) quarters in")
    }
  }

  @Test func `a start is aimed 30 ms behind what is written`() throws {
    let rig = try PlayerRig()
    try rig.run(.milliseconds(500))
    let written = Int(rig.output.written)
    try rig.load("ruler.flac", at: .seconds(20))
    try rig.run(.milliseconds(500))
    let first = try #require((0..<rig.recorded).first { rig.device.samples[$0 * 2 + 1] != 0 })
    #expect((0...1).contains(first - written - 1323))
  }

  @Test(arguments: [true, false]) func `sound that ends inside a track is ramped over 5 ms`(
    isSeek: Bool
  ) throws {
    let rig = try playing()
    let end = rig.recorded
    if isSeek { rig.move(2, to: .seconds(40)) } else { rig.move(1, to: .zero, playing: false) }
    try rig.run(.milliseconds(100))
    for part in 0...4 {
      let gain = gain(rig, at: end + Self.fade * part / 4, of: end - 1)
      #expect(abs(gain - Float(4 - part) / 4) < 0.02, "\(part) quarters in")
    }
  }

  @Test(arguments: [1323, -1323]) func `a skip and a repeat are a cross-fade of 20 ms`(
    skipped: Int
  ) throws {
    let rig = try PlayerRig()
    rig.device.lie = FrameCount(-skipped)
    try rig.load("ruler.flac", at: .seconds(20))
    try rig.run(.milliseconds(600))
    rig.device.lie = 0
    let begin = rig.recorded
    try rig.run(.seconds(4))
    // A ruler's frame is a sum of its samples, so a mix of two frames lies between them.
    let places = (begin..<rig.recorded).map { frame in
      Double(rig.device.samples[frame * 2 + 1]) * 32768 * 4096
        + Double(rig.device.samples[frame * 2]) * 32768
    }
    let steps = zip(places.dropFirst(), places).map { $0 - $1 }
    let odd = steps.filter { abs($0 - 1) > 0.5 }
    #expect(abs(odd.reduce(0, +) - Double(odd.count + skipped)) < 5)
    let step = 1 + Double(skipped) / 882
    #expect((880...884).contains(odd.count) && odd.allSatisfy { abs($0 - step) < 0.5 })
  }
}
