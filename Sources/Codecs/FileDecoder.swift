import PCM

/// A decoder that can also tell what the library scan wants to know of a file.
protocol FileDecoder: Decoder {
  /// The channels in the file, before mapping to stereo.
  var channels: Int { get }
  /// Title, artist and the like, from the codec's own comments.
  var tags: TrackTags { get }

  /// The number of frames in all, by looking at the whole file where its header doesn't tell.
  ///
  /// The position is lost.
  func countFrames() throws(DecoderError) -> FrameCount
}

extension FileDecoder {
  var tags: TrackTags { TrackTags() }

  func countFrames() throws(DecoderError) -> FrameCount {
    if let frameLength { return frameLength }
    var block = [Float](repeating: 0, count: 8192)
    var total: FrameCount = 0
    try seek(to: 0)
    while true {
      var span = block.mutableSpan
      let frames = try read(into: &span)
      if frames == 0 { return total }
      total += FrameCount(frames)
    }
  }
}
