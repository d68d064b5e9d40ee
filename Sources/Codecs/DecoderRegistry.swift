import PCM

/// Chooses the decoder of a track by its bytes.
package enum DecoderRegistry {
  /// Opens a track.
  ///
  /// Reads the start of the source only (and its end where it is complete and the format wants that);
  /// blocks as the source does. ID3v2 tags in front are skipped by their headers, whatever pictures
  /// they hold.
  ///
  /// - Parameter source: the bytes; the decoder keeps it.
  /// - Returns: a decoder that stands at frame 0.
  /// - Throws: `DecoderError.unsupported` with the name of what it is instead, `.corrupt` when the
  ///   library refuses it, `.source` when the bytes can't be had.
  package static func open(source: any ByteSource) throws(DecoderError) -> any Decoder {
    try openFile(source)
  }

  static func openFile(_ source: any ByteSource) throws(DecoderError) -> any FileDecoder {
    let found = try reading { () throws(ByteSourceError) in
      var window = ByteWindow(source)
      let origin = try EmbeddedTag.endOfLeadingID3(in: &window)
      return try TrackFormat.sniff(&window, origin: origin)
    }
    let decoder = try make(found.format, source, at: found.offset)
    // A rate nobody uses is a broken header, and would make resampling filters without bound.
    guard (1000...768_000).contains(decoder.sampleRate) else {
      throw .corrupt(codec: decoder.codec, detail: "sample rate \(decoder.sampleRate)")
    }
    return decoder
  }

  private static func make(
    _ format: TrackFormat, _ source: any ByteSource, at offset: Int64
  ) throws(DecoderError) -> any FileDecoder {
    switch format {
    case .mp3: return try Mpg123Decoder(source, at: offset)
    case .vorbis: return try VorbisDecoder(source, at: offset)
    case .flac: return try FLACDecoder(source, at: offset, isOgg: false)
    case .oggFLAC: return try FLACDecoder(source, at: offset, isOgg: true)
    case .opus: return try makeOpus(source, at: offset)
    case .wav: return try makePlain(source, at: offset, codec: "wav")
    case .aiff: return try makePlain(source, at: offset, codec: "aiff")
    case .other(let name): throw .unsupported(looksLike: name)
    }
  }

  private static func makeOpus(
    _ source: any ByteSource, at offset: Int64
  ) throws(DecoderError) -> any FileDecoder {
    #if Opus
      return try OpusDecoder(source, at: offset)
    #else
      throw .unsupported(looksLike: "opus")
    #endif
  }

  private static func makePlain(
    _ source: any ByteSource, at offset: Int64, codec: String
  ) throws(DecoderError) -> any FileDecoder {
    #if SndFile
      return try SndFileDecoder(source, at: offset, codec: codec)
    #else
      throw .unsupported(looksLike: codec)
    #endif
  }
}
