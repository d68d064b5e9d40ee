import Codecs
import PCM
import TestSupport
import Testing

/// design.md 3.2: a frame reached by a seek is the frame that decoding from the start gives.
struct SeekTests {
  static let files =
    [
      "noise-cbr.mp3", "noise-vbr.mp3", "noise-mono.mp3", "noise-untagged.mp3",
      "noise-untagged-vbr.mp3", "noise-22k.mp3", "noise.ogg", "six-channels.ogg", "chained.ogg",
      "chained-rates.ogg", "ruler.flac", "ruler-48k.flac", "ruler-96k-24.flac",
      "ruler-no-table.flac", "ruler.oga",
    ] + optional

  /// The formats of the package traits.
  static var optional: [String] {
    var names: [String] = []
    #if Opus
      names.append("noise.opus")
    #endif
    #if SndFile
      names += ["noise.wav", "noise.aiff"]
    #endif
    return names
  }

  /// Seeks to random places and compares what is read there.
  static func check(
    _ bytes: [UInt8], seed: UInt64, seeks: Int = 50, tolerance: Float = 2e-6
  ) throws {
    let whole = try open(bytes).allFrames()
    let length = whole.count / 2
    try #require(length > 0)
    let decoder = try open(bytes)
    var random = SeededGenerator(seed: seed)
    let edges = [0, 1, length - 1, 575, 1151, 1152, length / 2, 0]
    let targets = edges + (0..<seeks).map { _ in Int.random(in: 0..<length, using: &random) }
    for target in targets where target < length {
      try decoder.seek(to: FrameCount(target))
      let part = try decoder.frames(min(2000, length - target), block: 700)
      #expect(
        difference(part, whole, at: target) < tolerance,
        "seed \(seed), target \(target) of \(length)")
    }
  }

  @Test(arguments: files) func `a seek gives the samples of a decode from the start`(
    name: String
  ) throws {
    // Opus decoders come to the same samples but slowly; one frame off would be 0.05 and more.
    let tolerance: Float = name.hasSuffix(".opus") ? 1e-3 : 2e-6
    try Self.check(Fixture.bytes("audio/\(name)"), seed: 1, tolerance: tolerance)
  }

  @Test(arguments: ["noise-vbr.mp3", "ruler.flac", "noise.ogg", "ruler-no-table.flac"])
  func `a truncated file seeks exactly and ends early`(name: String) throws {
    let bytes = try Fixture.bytes("audio/\(name)")
    let cut = Array(bytes[..<(bytes.count * 6 / 10 + 77)])
    let whole = try open(bytes).allFrames().count
    let part = try open(cut).allFrames().count
    #expect(part < whole * 7 / 10 && part > whole / 2)
    try Self.check(cut, seed: 2)
  }

  @Test(arguments: [100_000, 8_000_000]) func `big art in front changes nothing`(size: Int) throws {
    let bytes = try Fixture.bytes("audio/noise-vbr.mp3")
    let tagged = id3Tag(size) + id3Tag(40) + bytes
    #expect(try open(tagged).allFrames() == open(bytes).allFrames())
    try Self.check(tagged, seed: 3, seeks: 10)
  }

  @Test(arguments: files) func `past the end there is nothing, and the way back is open`(
    name: String
  ) throws {
    let decoder = try openFixture(name)
    let start = try decoder.frames(500)
    let length = try FrameCount(500 + decoder.allFrames().count / 2)
    if let told = decoder.frameLength { #expect(told == length) }
    for target in [length, length + 1, length + 1_000_000, FrameCount.max / 4] {
      try decoder.seek(to: target)
      #expect(try decoder.frames(10).isEmpty, "target \(target) of \(length)")
    }
    try decoder.seek(to: 0)
    #expect(try difference(decoder.frames(500), start, at: 0) < 1e-3)
  }

  @Test(arguments: ["ruler.flac", "ruler-48k.flac", "ruler-no-table.flac", "ruler.oga"])
  func `a FLAC ruler tells the very frame`(name: String) throws {
    let decoder = try openFixture(name)
    var random = SeededGenerator(seed: 4)
    for _ in 0..<50 {
      let target = Int.random(in: 0..<400_000, using: &random)
      try decoder.seek(to: FrameCount(target))
      let samples = try decoder.frames(3)
      let read = stride(from: 0, to: 6, by: 2).map {
        Int(samples[$0] * 32768) + Int(samples[$0 + 1] * 32768) * 4096
      }
      #expect(read == [target, target + 1, target + 2])
    }
  }

  @Test func `a FLAC that does not tell its length plays and seeks all the same`() throws {
    var bytes = try Fixture.bytes("audio/ruler-no-table.flac")
    bytes[21] &= 0xF0
    for index in 22..<26 { bytes[index] = 0 }
    #expect(try open(bytes).frameLength == nil)
    #expect(try MediaProbe.probe(source: MemoryByteSource(bytes)).frameLength == 441_000)
    try Self.check(bytes, seed: 6, seeks: 20)
    let decoder = try open(bytes)
    try decoder.seek(to: 500_000)
    #expect(try decoder.frames(10).isEmpty)
  }

  @Test func `a 24-bit ruler keeps all its bits`() throws {
    let decoder = try openFixture("ruler-96k-24.flac")
    #expect(decoder.sampleRate == 96000)
    for target in [0, 77_777, 300_001] {
      try decoder.seek(to: FrameCount(target))
      #expect(try Int(decoder.frames(1)[0] * 8_388_608) == target)
    }
  }

  @Test(arguments: [
    ("noise-cbr.mp3", 0), ("noise-vbr.mp3", 0), ("noise-mono.mp3", 0), ("noise-untagged.mp3", 1105),
    ("noise-untagged-vbr.mp3", 1105),
  ])
  func `a tagged mp3 starts at its first audible frame, an untagged one is never trimmed`(
    name: String, delay: Int
  ) throws {
    // The Vorbis file was made from the same samples, and Vorbis has no delay.
    let original = try mono(openFixture("noise.ogg").frames(60_000))
    let part = try mono(openFixture(name).frames(45_000)).dropFirst(2 * 40_000)
    #expect(shift(of: Array(part), in: original, near: 40_000, reach: 1200) == -delay)
  }

  @Test func `a link of another rate is resampled and lasts as long as it did`() throws {
    // 3 s at 44.1 kHz, 3 s at 48 kHz, and the last 3 s as in chained.ogg.
    let decoder = try openFixture("chained-rates.ogg")
    #expect(decoder.sampleRate == 44100)
    #expect(decoder.frameLength == 396_900)
    let whole = try decoder.allFrames()
    let other = try openFixture("chained.ogg").allFrames()
    #expect(difference(Array(whole[..<264_600]), other, at: 0) < 2e-6)
    #expect(difference(Array(whole[(2 * 264_600)...]), other, at: 264_600) < 2e-6)
    let loudness = whole[264_600..<529_200].reduce(Float(0)) { $0 + abs($1) } / 264_600
    #expect(loudness > 0.01)
  }

  /// Both channels in each: mono files were mixed.
  private func mono(_ frames: [Float]) -> [Float] {
    stride(from: 0, to: frames.count, by: 2).flatMap { index -> [Float] in
      let mix = (frames[index] + frames[index + 1]) / 2
      return [mix, mix]
    }
  }
}
