import Codecs
import PCM
import TestSupport
import Testing

struct DecoderRegistryTests {
  @Test(arguments: [
    ("noise-cbr.mp3", "mp3", 44100, 441_000), ("noise-22k.mp3", "mp3", 22050, 220_500),
    ("noise-mono.mp3", "mp3", 44100, 441_000), ("noise.ogg", "vorbis", 44100, 441_000),
    ("chained.ogg", "vorbis", 44100, 396_900), ("six-channels.ogg", "vorbis", 44100, 176_400),
    ("ruler.flac", "flac", 44100, 2_205_000), ("ruler-48k.flac", "flac", 48000, 960_000),
    ("ruler.oga", "flac", 44100, 441_000),
  ])
  func `a file is known by its bytes`(
    name: String, codec: String, sampleRate: Int, length: Int
  ) throws {
    let decoder = try openFixture(name)
    #expect(decoder.codec == codec)
    #expect(decoder.sampleRate == sampleRate)
    #expect(decoder.frameLength == FrameCount(length))
    #expect(try decoder.allFrames().count / 2 == length)
  }

  static let foreign: [([UInt8], String?)] = [
    ([], "empty"),
    (Array("\0\0\0\u{20}ftypM4A isommp42".utf8), "m4a"),
    (Array("\0\0\0\u{20}ftypisomiso2mp41".utf8), "mp4"),
    ([0xFF, 0xF1, 0x50, 0x80, 0x01, 0x7F, 0xFC, 0, 0, 0, 0], "aac"),
    ([0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11, 0xA6, 0xD9], "wma"),
    ([0x1A, 0x45, 0xDF, 0xA3, 0x9F, 0x42, 0x82, 0x84] + Array("webm".utf8), "webm"),
    ([0x1A, 0x45, 0xDF, 0xA3, 0x9F, 0x42, 0x82, 0x88] + Array("matroska".utf8), "matroska"),
    (Array("\r\n  <!DOCTYPE html><html><body>404".utf8), "html"),
    (Array("<?xml version=\"1.0\"?>".utf8), "xml"),
    (Array("{\"error\": \"x\"}".utf8), "json"),
    (Array("Not found.\n".utf8), "text"),
    ([0, 1, 2, 3, 4, 5, 6, 7], nil),
    (id3Tag(50) + Array("<html>".utf8), "html"),
    (id3Tag(50), "empty"),
  ]

  @Test(arguments: foreign) func `what is no track is named`(bytes: [UInt8], name: String?) {
    #expect(throws: DecoderError.unsupported(looksLike: name)) { try open(bytes) }
  }

  @Test func `noise is refused`() throws {
    var random = SeededGenerator(seed: 5)
    let noise = (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    #expect(throws: DecoderError.self) { try open(noise) }
  }

  @Test func `zeros between the tag and the first frame are skipped`() throws {
    let bytes = try Fixture.bytes("audio/noise-cbr.mp3")
    let padded = id3Tag(64) + [UInt8](repeating: 0, count: 3000) + bytes
    #expect(try open(padded).allFrames() == open(bytes).allFrames())
  }

  @Test(arguments: ["noise.ogg", "ruler.flac", "ruler.oga"])
  func `a header without the rest is refused`(name: String) throws {
    let bytes = try Fixture.bytes("audio/\(name)")
    for count in [5, 27, 60] {
      #expect(throws: DecoderError.self) { try open(Array(bytes[..<count])) }
    }
  }
}
