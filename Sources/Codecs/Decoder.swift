package import PCM

/// Turns the bytes of one track into frames.
///
/// Frames are interleaved Float32 stereo whatever the file holds (mono is doubled, more than two
/// channels are folded down), at one rate from the first to the last. Frame 0 is the first audible
/// one: the encoder's delay is trimmed the same way on every path, so that a frame reached by
/// `seek` is the very frame that decoding from the start would have given (design.md 3.2).
/// A stretch that can't be decoded is given as silence of its length: the timeline stays.
///
/// Threading: one thread at a time (the decode thread); may block in its `ByteSource`.
package protocol Decoder: AnyObject {
  /// The codec's name as shown to people: `mp3`, `vorbis`, `flac`, `opus`, `wav`.
  var codec: String { get }
  /// Frames a second, in Hz.
  var sampleRate: Int { get }
  /// The number of frames in all where the file says so, nil where only decoding would tell.
  var frameLength: FrameCount? { get }

  /// Decodes the next frames.
  ///
  /// - Parameter block: receives interleaved stereo samples (an even count); what lies past the
  ///   frames returned is left as it was.
  /// - Returns: the number of frames written, 0 only at the end of the track.
  /// - Throws: `DecoderError` when nothing more can be had from the track.
  func read(into block: inout MutableSpan<Float>) throws(DecoderError) -> Int

  /// Moves to a frame, exactly.
  ///
  /// - Parameter frame: 0 or more; at or past the end the next `read` returns 0.
  /// - Throws: `DecoderError` when the track can't be read there.
  func seek(to frame: FrameCount) throws(DecoderError)
}

/// Why a track can't be decoded.
package enum DecoderError: Error, Equatable {
  /// No decoder knows these bytes. `looksLike` names the format where it is known (`m4a`, `html`).
  case unsupported(looksLike: String?)
  /// The library refused the data: its own text.
  case corrupt(codec: String, detail: String)
  /// The bytes could not be read.
  case source(ByteSourceError)
}
