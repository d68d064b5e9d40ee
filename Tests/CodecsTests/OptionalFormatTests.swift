import Codecs
import PCM
import TestSupport
import Testing

/// The formats of the package traits `Opus` and `SndFile`, and what is said without them.
struct OptionalFormatTests {
  #if Opus
    @Test func `Opus decodes at 48 kHz`() throws {
      let info = try MediaProbe.probe(path: Fixture.path("audio/noise.opus"))
      #expect(info.codec == "opus" && info.sampleRate == 48_000 && info.channels == 2)
      #expect(info.frameLength == 480_000)
      #expect(try openFixture("noise.opus").allFrames().count == 960_000)
    }

    @Test func `Opus plays while it downloads`() throws {
      let bytes = try Fixture.bytes("audio/noise.opus")
      let whole = try open(bytes).allFrames()
      let source = GrowingByteSource(bytes)
      source.grow(to: bytes.count / 2)
      let decoder = try DecoderRegistry.open(source: source)
      #expect(try difference(decoder.frames(50_000), whole, at: 0) < 2e-6)
      try decoder.seek(to: 120_000)
      #expect(try difference(decoder.frames(500), whole, at: 120_000) < 2e-6)
      source.grow(to: bytes.count)
      try decoder.seek(to: 400_000)
      #expect(try difference(decoder.frames(500), whole, at: 400_000) < 1e-3)
    }

    @Test func `broken Opus decodes or fails, and ends`() throws {
      try DamageTests.survive("noise.opus")
    }
  #else
    @Test func `Opus is named where it is not built in`() {
      #expect(throws: DecoderError.unsupported(looksLike: "opus")) {
        try openFixture("noise.opus")
      }
    }
  #endif

  #if SndFile
    @Test(arguments: [
      ("noise.wav", "wav", 44100, 2, 11_025), ("noise.aiff", "aiff", 8000, 1, 8000),
    ])
    func `WAV and AIFF decode`(
      name: String, codec: String, sampleRate: Int, channels: Int, length: Int
    ) throws {
      let info = try MediaProbe.probe(path: Fixture.path("audio/\(name)"))
      #expect(info.codec == codec && info.sampleRate == sampleRate && info.channels == channels)
      #expect(info.frameLength == FrameCount(length))
    }

    @Test func `a WAV with chunks behind the audio plays before they are there`() throws {
      let chunk = Array("LIST".utf8) + [4, 0, 0, 0] + Array("INFO".utf8)
      // Longer than the part in which chunks are looked for.
      let samples = [UInt8](repeating: 7, count: 2 << 20)
      let bytes = Self.wave(samples) + chunk
      let source = GrowingByteSource(bytes)
      source.grow(to: bytes.count - 4096)
      let decoder = try DecoderRegistry.open(source: source)
      #expect(decoder.frameLength == FrameCount(samples.count / 4))
      #expect(try decoder.frames(1000).count == 2000)
    }

    @Test(arguments: ["noise.wav", "noise.aiff"]) func `broken files decode or fail, and end`(
      name: String
    ) throws {
      try DamageTests.survive(name)
    }

    private static func wave(_ samples: [UInt8]) -> [UInt8] {
      func bytes(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) }
      }
      let format =
        bytes(1, 2) + bytes(2, 2) + bytes(44100, 4) + bytes(176_400, 4) + bytes(4, 2) + bytes(16, 2)
      let body =
        Array("WAVEfmt ".utf8) + bytes(16, 4) + format + Array("data".utf8)
        + bytes(samples.count, 4) + samples
      return Array("RIFF".utf8) + bytes(body.count + 12, 4) + body
    }
  #else
    @Test(arguments: [("noise.wav", "wav"), ("noise.aiff", "aiff")])
    func `WAV and AIFF are named where they are not built in`(name: String, codec: String) {
      #expect(throws: DecoderError.unsupported(looksLike: codec)) { try openFixture(name) }
    }
  #endif
}
