import PCM

/// A decoder whose codec gives frames in blocks of its own size, one after the other.
protocol ForwardDecoder: FileDecoder {
  /// What was decoded and not asked for yet.
  var pending: FrameBuffer { get set }
  /// The frame behind the last one in `pending`.
  var decoded: FrameCount { get }

  /// Decodes until there is something in `pending`; false at the end.
  func decodeNext() throws(DecoderError) -> Bool
}

extension ForwardDecoder {
  func read(into block: inout MutableSpan<Float>) throws(DecoderError) -> Int {
    let wanted = block.count / stereo
    var written = 0
    while written < wanted {
      if pending.count == 0, try !decodeNext() { break }
      written += pending.move(to: &block, at: stereo * written)
    }
    return written
  }

  /// Decodes on until the next frame to be read is `frame`; what lies before it is dropped.
  func decode(to frame: FrameCount) throws(DecoderError) {
    while decoded <= frame, try decodeNext() {
      let surplus = decoded - frame
      pending.drop(surplus > 0 ? pending.count - Int(surplus) : pending.count)
    }
  }
}
