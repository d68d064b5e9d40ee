import Codecs
import Dispatch
import PCM
import TestSupport
import Testing

/// A track that is played while it downloads.
struct GrowingTests {
  static let files = [
    "noise-cbr.mp3", "noise-untagged-vbr.mp3", "noise.ogg", "chained.ogg", "chained-rates.ogg",
    "ruler-no-table.flac", "ruler.oga",
  ]

  @Test(arguments: files, [true, false])
  func `the start plays before the end is there`(name: String, knowsLength: Bool) throws {
    let bytes = try Fixture.bytes("audio/\(name)")
    let whole = try open(bytes).allFrames()
    let source = GrowingByteSource(bytes, knowsLength: knowsLength)
    // Were anything behind it wanted, the test would wait for ever: cancel instead.
    let arrived = bytes.count * 6 / 10
    source.grow(to: arrived)
    DispatchQueue.global().asyncAfter(deadline: .now() + 20) { source.cancel() }
    let decoder = try DecoderRegistry.open(source: source)
    let part = try decoder.frames(whole.count / 8)
    #expect(difference(part, whole, at: 0) < 2e-6)
    for target in [whole.count / 6, 100, whole.count / 5, 0] {
      try decoder.seek(to: FrameCount(target))
      #expect(try difference(decoder.frames(500), whole, at: target) < 2e-6, "\(target)")
    }
    #expect(source.highestRead <= arrived)
    source.grow(to: bytes.count)
    for target in [whole.count / 2 * 9 / 10, 50, whole.count / 4] {
      try decoder.seek(to: FrameCount(target))
      #expect(try difference(decoder.frames(500), whole, at: target) < 2e-6, "\(target)")
    }
    try decoder.seek(to: 0)
    #expect(try decoder.allFrames().count == whole.count)
  }

  @Test(arguments: files) func `cancelling ends a read that waits`(name: String) throws {
    let bytes = try Fixture.bytes("audio/\(name)")
    let source = GrowingByteSource(bytes)
    source.grow(to: bytes.count / 2)
    DispatchQueue.global().async {
      while !source.isWaiting { Pause.nanoseconds(1_000_000) }
      source.cancel()
    }
    let decoder = try DecoderRegistry.open(source: source)
    #expect(throws: DecoderError.source(.cancelled)) { try decoder.allFrames() }
  }

  @Test(arguments: files) func `a failing read is told as it is, wherever it happens`(
    name: String
  ) throws {
    let bytes = try Fixture.bytes("audio/\(name)")
    let lost = ByteSourceError.lost("the line went dead")
    for reads in [0, 1, 2, 3, 5, 8, 13, 21] {
      let source = FailingByteSource(bytes, after: reads, with: lost)
      let error = #expect(throws: DecoderError.self) {
        let decoder = try DecoderRegistry.open(source: source)
        for _ in 0..<50 {
          _ = try decoder.allFrames()
          try decoder.seek(to: 0)
        }
      }
      #expect(error == .source(lost), "after \(reads) reads")
    }
  }
}
