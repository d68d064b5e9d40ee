/// A position in, or a number of, frames (one sample a channel).
///
/// Positions count from the track's
/// first audible frame, after the encoder's delay is trimmed.
package typealias FrameCount = Int64

/// The channels of everything between a decoder and a sink: interleaved Float32 stereo.
package let stereo = 2

/// The format of a stream of interleaved Float32 samples.
package struct AudioFormat: Equatable, Sendable {
  /// Frames a second, in Hz.
  package var sampleRate: Int
  /// Samples a frame.
  package var channels: Int

  /// Names a format.
  package init(sampleRate: Int, channels: Int = stereo) {
    self.sampleRate = sampleRate
    self.channels = channels
  }
}
