import Codecs
import PCM
import Synchronization
import TestSupport
import Testing

/// A seek in a track of which any byte can be had, with a wait.
struct JumpingTests {
  static let files = [
    "noise-cbr.mp3", "noise-untagged.mp3", "noise-untagged-vbr.mp3", "noise-vbr.mp3", "noise.ogg",
    "chained.ogg", "chained-rates.ogg", "ruler-no-table.flac", "ruler.flac", "ruler.oga",
  ]

  @Test(arguments: files) func `it gives the frames that the whole file gives`(name: String) throws
  {
    let bytes = try Fixture.bytes("audio/\(name)")
    let whole = try open(bytes).allFrames()
    let length = whole.count / stereo
    let decoder = try DecoderRegistry.open(source: JumpingByteSource(bytes))
    for share in [0.95, 0.5, 0.97, 0.1, 0, 0.93, 0.8, 0.3] {
      let target = Int(Double(length) * share)
      try decoder.seek(to: FrameCount(target))
      #expect(try difference(decoder.frames(500), whole, at: target) < 2e-6, "\(target)")
    }
    try decoder.seek(to: FrameCount(length - 1000))
    #expect(try decoder.allFrames().count == stereo * 1000)
    try decoder.seek(to: 0)
    #expect(try decoder.allFrames().count == whole.count)
  }

  @Test(arguments: [
    ("ruler.flac", 0.5, 0.2), ("ruler-no-table.flac", 0.7, 0.8), ("noise-cbr.mp3", 0.96, 0.55),
    ("noise-untagged.mp3", 0.96, 0.55),
  ])
  func `what lies between is not read`(name: String, place: Double, share: Double) throws {
    let bytes = try Fixture.bytes("audio/\(name)")
    let length = try open(bytes).allFrames().count / stereo
    let source = JumpingByteSource(bytes)
    let decoder = try DecoderRegistry.open(source: source)
    try decoder.seek(to: FrameCount(Double(length) * place))
    _ = try decoder.frames(500)
    #expect(source.share < share)
  }

  @Test func `frames of many bitrates are walked`() throws {
    let bytes = try Fixture.bytes("audio/noise-untagged-vbr.mp3")
    let length = try open(bytes).allFrames().count / stereo
    let source = JumpingByteSource(bytes)
    let decoder = try DecoderRegistry.open(source: source)
    try decoder.seek(to: FrameCount(length * 9 / 10))
    #expect(source.share > 0.85)
  }
}

/// Bytes in memory that come as those of a download do that goes where it is read.
private final class JumpingByteSource: ByteSource {
  private let bytes: [UInt8]
  private let blocks = Mutex(Set<Int>())
  private static let block = 1024

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The share of the bytes that was read.
  var share: Double {
    Double(blocks.withLock { $0.count } * Self.block) / Double(bytes.count)
  }

  var length: Int64? { Int64(bytes.count) }
  var isComplete: Bool { false }
  var canJump: Bool { true }

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard offset < Int64(bytes.count) else { return 0 }
    let part = bytes[Int(offset)...].prefix(buffer.count)
    buffer.copyBytes(from: part)
    let read = Int(offset) / Self.block...(Int(offset) + part.count - 1) / Self.block
    blocks.withLock { $0.formUnion(read) }
    return part.count
  }

  func cancel() {}
}
