import Codecs
import PCM
import TestSupport
import Testing

/// design.md 4: what can't be decoded is silence of its length, the timeline stays; and nothing a
/// file holds crashes or stops us.
struct DamageTests {
  static let damaged = [
    "noise-cbr.mp3", "noise-untagged.mp3", "noise-vbr.mp3", "noise-untagged-vbr.mp3",
    "noise-mono.mp3", "noise.ogg", "ruler.flac", "ruler-no-table.flac", "ruler.oga",
  ]

  /// Overwrites a stretch of the middle with noise.
  static func damage(_ bytes: [UInt8], count: Int, seed: UInt64) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    var bytes = bytes
    let start = bytes.count * 2 / 5
    for index in start..<start + count { bytes[index] = .random(in: 0...255, using: &random) }
    return bytes
  }

  @Test(arguments: damaged, [UInt64(11), 12, 13])
  func `after 2 KB of broken bytes the audio is where it was`(name: String, seed: UInt64) throws {
    let bytes = try Fixture.bytes("audio/\(name)")
    let whole = try open(bytes).allFrames()
    let broken = try open(Self.damage(bytes, count: 2048, seed: seed)).allFrames()
    // A bitrate that changes leaves the number of lost frames to an estimate: within one frame.
    let isEstimate = name.contains("vbr") || name.contains("mono")
    if !isEstimate { #expect(broken.count == whole.count) }
    let place = whole.count / 2 * 8 / 10
    let part = Array(broken[(2 * place)..<(2 * place + 4000)])
    let found = shift(of: part, in: whole, near: place, reach: isEstimate ? 2400 : 1200)
    #expect(abs(found ?? .max) <= (isEstimate ? 1152 : 0), "seed \(seed)")
  }

  @Test(arguments: damaged, [UInt64(14)])
  func `a seek beyond broken bytes gives what decoding over them gives`(
    name: String, seed: UInt64
  ) throws {
    let bytes = Self.damage(try Fixture.bytes("audio/\(name)"), count: 2048, seed: seed)
    let whole = try open(bytes).allFrames()
    let length = whole.count / 2
    var random = SeededGenerator(seed: seed)
    let decoder = try open(bytes)
    for _ in 0..<20 {
      // Behind the page or frame in which the bytes are broken.
      let target = Int.random(in: (length * 6 / 10)..<(length - 500), using: &random)
      try decoder.seek(to: FrameCount(target))
      #expect(
        try difference(decoder.frames(500), whole, at: target) < 2e-6, "seed \(seed), \(target)")
    }
  }

  @Test func `two files in one, of other rate or channels, play on`() throws {
    let stereo = try Fixture.bytes("audio/noise-cbr.mp3")
    let mono = try Fixture.bytes("audio/noise-mono.mp3")
    let slow = try Fixture.bytes("audio/noise-22k.mp3")
    let one = try open(stereo).allFrames().count / 2
    let both = try open(stereo + mono).allFrames().count / 2
    #expect(both > 2 * one && both < 2 * one + 8000)
    try SeekTests.check(stereo + mono, seed: 15, seeks: 20)
    let bridged = try open(stereo + slow + stereo).allFrames().count / 2
    #expect(bridged >= 2 * one)
  }

  static let mutated = [
    "noise-vbr.mp3", "noise-untagged.mp3", "noise-22k.mp3", "noise.ogg", "chained.ogg",
    "chained-rates.ogg", "ruler-no-table.flac", "ruler.oga",
  ]

  /// Changes, drops, doubles and cuts bytes.
  static func mutate(_ bytes: [UInt8], seed: UInt64) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    var bytes = bytes
    // Headers are where it hurts: half of the changes hit the first 300 bytes.
    func place() -> Int {
      Int.random(in: 0..<(Bool.random(using: &random) ? 300 : bytes.count), using: &random)
    }
    for _ in 0..<Int.random(in: 1...12, using: &random) where bytes.count > 1000 {
      let at = min(place(), bytes.count - 1)
      switch Int.random(in: 0..<10, using: &random) {
      case 0: bytes.removeSubrange(at..<min(bytes.count, at + .random(in: 1...300, using: &random)))
      case 1: bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + 100)], at: at)
      case 2: bytes.removeLast(min(bytes.count - 500, .random(in: 0...20_000, using: &random)))
      case 3: bytes[at] = 0xFF
      case 4: bytes[at] = 0
      default: bytes[at] = .random(in: 0...255, using: &random)
      }
    }
    return bytes
  }

  @Test(.timeLimit(.minutes(5)), arguments: mutated)
  func `a broken file decodes or fails, and ends`(name: String) throws {
    try Self.survive(name)
  }

  /// Opens, plays and seeks a thousand broken copies of a fixture.
  static func survive(_ name: String) throws {
    let bytes = Array(try Fixture.bytes("audio/\(name)").prefix(24_000))
    for seed in UInt64(0)..<1000 {
      let broken = mutate(bytes, seed: seed)
      do {
        let decoder = try open(broken)
        _ = try decoder.frames(3000)
        var random = SeededGenerator(seed: seed)
        try decoder.seek(to: .random(in: 0..<200_000, using: &random))
        _ = try decoder.frames(1000)
        try decoder.seek(to: 0)
        _ = try decoder.frames(100)
      } catch is DecoderError {}
    }
  }
}
