import PCM

/// A block of frames in a device's encoding: room allocated once, filled again and again.
///
/// Threading: the output thread alone. `encode` neither allocates nor locks.
struct EncodedBlock: ~Copyable {
  private var converter: SampleConverter
  private let room: FixedBuffer<UInt8>

  /// Makes room.
  ///
  /// - Parameters:
  ///   - encoding: the device's.
  ///   - frames: the most that are encoded at a time.
  init(_ encoding: SampleEncoding, frames: Int) {
    converter = SampleConverter(to: encoding)
    room = FixedBuffer(count: frames * stereo * encoding.bytesPerSample)
  }

  /// The bytes of one frame.
  var bytesPerFrame: Int { stereo * converter.encoding.bytesPerSample }

  /// All the room, as bytes.
  var bytes: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: room.base, count: room.count)
  }

  /// Encodes frames, at most as many as there is room for.
  ///
  /// - Returns: the bytes, good until the next call.
  mutating func encode(_ samples: UnsafePointer<Float>, frames: Int) -> UnsafeRawBufferPointer {
    let input = UnsafeBufferPointer(start: samples, count: frames * stereo)
    let count = converter.convert(input.span, into: bytes)
    return UnsafeRawBufferPointer(start: room.base, count: count)
  }
}
