import Codecs
import PCM
import TestSupport
import Testing

struct MediaProbeTests {
  @Test(arguments: [
    ("noise-cbr.mp3", "mp3", 44100, 2, 441_000), ("noise-mono.mp3", "mp3", 44100, 1, 441_000),
    ("noise-untagged.mp3", "mp3", 44100, 2, 442_368), ("noise.ogg", "vorbis", 44100, 2, 441_000),
    ("six-channels.ogg", "vorbis", 44100, 6, 176_400), ("ruler.flac", "flac", 44100, 2, 2_205_000),
    ("ruler-96k-24.flac", "flac", 96000, 2, 384_000), ("ruler.oga", "flac", 44100, 2, 441_000),
  ])
  func `a file is told by its headers`(
    name: String, codec: String, sampleRate: Int, channels: Int, length: Int
  ) throws {
    let info = try MediaProbe.probe(path: Fixture.path("audio/\(name)"))
    #expect(info.codec == codec)
    #expect(info.sampleRate == sampleRate)
    #expect(info.channels == channels)
    #expect(info.frameLength == FrameCount(length))
    #expect(info.duration == Double(length) / Double(sampleRate))
  }

  @Test(arguments: ["noise-untagged.mp3", "noise-untagged-vbr.mp3", "noise-22k.mp3"])
  func `the length told is the length played`(name: String) throws {
    let info = try MediaProbe.probe(path: Fixture.path("audio/\(name)"))
    #expect(try FrameCount(openFixture(name).allFrames().count / 2) == info.frameLength)
  }

  @Test func `a truncated mp3 has the length of what is left`() throws {
    let bytes = try Fixture.bytes("audio/noise-cbr.mp3")
    let cut = Array(bytes[..<(bytes.count / 2)])
    let info = try MediaProbe.probe(source: MemoryByteSource(cut))
    #expect(try FrameCount(open(cut).allFrames().count / 2) == info.frameLength)
    #expect((4.8...5.2).contains(info.duration))
  }

  @Test(arguments: ["noise-cbr.mp3", "noise-vbr.mp3", "noise.ogg"])
  func `title, artist and album come from the file's tags`(name: String) throws {
    let tags = try MediaProbe.probe(path: Fixture.path("audio/\(name)")).tags
    #expect(tags.title == "Noise" && tags.artist == "Blastoise" && tags.album == "Fixtures")
  }

  @Test func `ReplayGain comes from FLAC comments`() throws {
    let tags = try MediaProbe.probe(path: Fixture.path("audio/ruler.flac")).tags
    #expect(tags.title == "Ruler" && tags.replayGain == -6.2 && tags.replayPeak == 0.988)
  }

  /// One text frame, by version.
  static func frame(_ version: UInt8, _ id: String, _ body: [UInt8]) -> [UInt8] {
    let size = body.count
    let digits: [UInt8] =
      switch version {
      case 2: [16, 8, 0].map { UInt8(size >> $0 & 0xFF) }
      case 3: [24, 16, 8, 0].map { UInt8(size >> $0 & 0xFF) }
      default: [21, 14, 7, 0].map { UInt8(size >> $0 & 0x7F) }
      }
    return Array(id.utf8) + digits + (version == 2 ? [] : [0, 0]) + body
  }

  static func tag(_ version: UInt8, flags: UInt8 = 0, _ body: [UInt8]) -> [UInt8] {
    let digits = [21, 14, 7, 0].map { UInt8(body.count >> $0 & 0x7F) }
    return Array("ID3".utf8) + [version, 0, flags] + digits + body
  }

  static let wide: [UInt8] = [1, 0xFF, 0xFE, 0x54, 0, 0xEF, 0, 0x74, 0]
  static let picture = [UInt8](repeating: 0x41, count: 300_000)
  static let titled: [(String, [UInt8])] = [
    ("2.2 Latin-1", tag(2, frame(2, "PIC", picture) + frame(2, "TT2", [0, 0x54, 0xEF, 0x74]))),
    ("2.3 UTF-16", tag(3, frame(3, "APIC", picture) + frame(3, "TIT2", wide))),
    (
      "2.3 unsynchronised",
      tag(3, flags: 0x80, frame(3, "TIT2", wide).flatMap { $0 == 0xFF ? [0xFF, 0] : [$0] })
    ),
    ("2.4 UTF-8", tag(4, frame(4, "APIC", picture) + frame(4, "TIT2", [3] + Array("Tït".utf8)))),
    ("2.4 UTF-16BE", tag(4, frame(4, "TIT2", [2, 0, 0x54, 0, 0xEF, 0, 0x74]))),
    ("two values", tag(4, frame(4, "TIT2", [3] + Array("Tït\0Other".utf8)))),
    ("second tag", tag(4, frame(4, "TPE1", [3])) + tag(3, frame(3, "TIT2", wide))),
  ]

  @Test(arguments: titled) func `ID3v2 texts of every version are read`(
    name: String, tag: [UInt8]
  ) throws {
    let bytes = try tag + Fixture.bytes("audio/noise-mono.mp3")
    #expect(try MediaProbe.probe(source: MemoryByteSource(bytes)).tags.title == "Tït")
  }

  @Test func `an ID3v1 tag is read where nothing better is`() throws {
    var end = Array("TAG".utf8) + [UInt8](repeating: 0, count: 125)
    end.replaceSubrange(3..<8, with: Array("Old  ".utf8))
    let bytes = try Fixture.bytes("audio/noise-mono.mp3") + end
    let info = try MediaProbe.probe(source: MemoryByteSource(bytes))
    #expect(info.tags.title == "Old")
    #expect(info.frameLength == 441_000)
  }

  @Test func `what is no audio, or not there, is an error`() {
    let folder = Fixture.path("audio")
    #expect(throws: DecoderError.unsupported(looksLike: "text")) {
      try MediaProbe.probe(path: "\(folder)/README.md")
    }
    #expect(
      throws: DecoderError.source(.system(operation: "open", subject: folder, code: 21))
    ) { try MediaProbe.probe(path: folder) }
    #expect(
      throws: DecoderError.source(.system(operation: "open", subject: "/nowhere", code: 2))
    ) { try MediaProbe.probe(path: "/nowhere") }
  }
}
