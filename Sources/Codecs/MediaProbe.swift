package import PCM

/// What the library scan keeps of a track.
package struct MediaInfo: Equatable, Sendable {
  /// The codec's name, as `Decoder.codec`.
  package var codec: String
  /// Frames a second, in Hz.
  package var sampleRate: Int
  /// The channels in the file.
  package var channels: Int
  /// The number of audible frames.
  package var frameLength: FrameCount
  /// Title, artist and the like.
  package var tags: TrackTags

  /// The length in seconds.
  package var duration: Double { Double(frameLength) / Double(sampleRate) }
}

/// Looks at a file without playing it.
package enum MediaProbe {
  /// Tells what a file holds.
  ///
  /// The length is exact: an mp3's headers are read to the end (some 10 ms for 10 MB), any other
  /// file is believed where it tells and decoded where it doesn't.
  ///
  /// - Parameter path: a regular file, complete.
  /// - Returns: its codec, format, length and tags.
  /// - Throws: `DecoderError` for what is no audio (`unsupported`), has no frame (`corrupt`) or can't
  ///   be read (`source`).
  package static func probe(path: String) throws(DecoderError) -> MediaInfo {
    let source = try reading { () throws(ByteSourceError) in try FileByteSource(path: path) }
    return try probe(source: source)
  }

  /// Tells what a complete source holds.
  ///
  /// - Parameter source: the bytes.
  /// - Returns: its codec, format, length and tags.
  /// - Throws: as `probe(path:)`.
  package static func probe(source: any ByteSource) throws(DecoderError) -> MediaInfo {
    let decoder = try DecoderRegistry.openFile(source)
    let id3 = try reading { () throws(ByteSourceError) in try ID3Tags.read(from: source) }
    let tags = decoder.tags.completed(by: id3)
    let length = try decoder.countFrames()
    guard length > 0 else { throw .corrupt(codec: decoder.codec, detail: "no frames") }
    return MediaInfo(
      codec: decoder.codec, sampleRate: decoder.sampleRate, channels: decoder.channels,
      frameLength: length, tags: tags)
  }
}
