import Codecs
import PCM
import TestSupport

extension Decoder {
  /// Reads up to so many frames.
  func frames(_ limit: Int, block: Int = 4096) throws(DecoderError) -> [Float] {
    var all: [Float] = []
    var buffer = [Float](repeating: 0, count: 2 * block)
    while all.count < 2 * limit {
      let room = min(buffer.count, 2 * limit - all.count)
      if room < buffer.count { buffer.removeLast(buffer.count - room) }
      var span = buffer.mutableSpan
      let count = try read(into: &span)
      if count == 0 { break }
      all += buffer[..<(2 * count)]
    }
    return all
  }

  /// Reads to the end.
  func allFrames(limit: Int = 10_000_000) throws(DecoderError) -> [Float] {
    try frames(limit)
  }
}

/// Opens a fixture from memory.
func openFixture(_ name: String) throws -> any Decoder {
  try DecoderRegistry.open(source: MemoryByteSource(Fixture.bytes("audio/\(name)")))
}

/// Opens bytes.
func open(_ bytes: [UInt8]) throws -> any Decoder {
  try DecoderRegistry.open(source: MemoryByteSource(bytes))
}

/// The largest difference between frames and what the whole decode has at a place; infinite where the
/// lengths differ.
func difference(_ part: [Float], _ whole: [Float], at frame: Int) -> Float {
  let start = 2 * frame
  guard start + part.count <= whole.count else { return .infinity }
  return part.withUnsafeBufferPointer { part in
    whole.withUnsafeBufferPointer { whole in
      var largest: Float = 0
      var index = 0
      while index < part.count {
        largest = max(largest, abs(part[index] - whole[start + index]))
        index += 1
      }
      return largest
    }
  }
}

/// The shift (in frames, from `-reach` to `reach`) at which a part of one decode fits another best.
func shift(of part: [Float], in whole: [Float], near frame: Int, reach: Int) -> Int? {
  part.withUnsafeBufferPointer { part in
    whole.withUnsafeBufferPointer { whole in
      var best: (shift: Int, error: Float)?
      for shift in -reach...reach {
        let start = 2 * (frame + shift)
        guard start >= 0, start + part.count <= whole.count else { continue }
        var error: Float = 0
        var index = 0
        while index < part.count, best.map({ error < $0.error }) ?? true {
          error += abs(part[index] - whole[start + index])
          index += 2
        }
        if best.map({ error < $0.error }) ?? true { best = (shift, error) }
      }
      return best?.shift
    }
  }
}

/// An ID3v2.4 tag of so many bytes of content.
func id3Tag(_ size: Int) -> [UInt8] {
  let digits = [21, 14, 7, 0].map { UInt8(size >> $0 & 0x7F) }
  return Array("ID3".utf8) + [4, 0, 0] + digits + [UInt8](repeating: 0xFF, count: size)
}
