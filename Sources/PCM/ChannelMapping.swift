/// Folds any number of channels down to stereo.
///
/// The coefficients are those of ITU-R BS.775: front channels as they are, the centre, the sides
/// and the backs 3 dB down, a single back channel 3 dB down once more as it goes to both sides, no
/// low-frequency effects. From three channels on, all are divided by their sum, so that no signal
/// clips. Mono is doubled as it is.
///
/// Threading: a value. Folding never blocks, locks or allocates.
package struct ChannelMapping: Sendable {
  /// In which order a codec gives its channels.
  package enum Order: Sendable {
    /// WAVE, FLAC, AIFF: left, right, centre, LFE, back, side.
    case wave
    /// Ogg Vorbis and Opus: left, centre, right, side or back, LFE last.
    case vorbis
  }

  /// The channels folded.
  package let channels: Int
  private var left = InlineArray<8, Float>(repeating: 0)
  private var right = InlineArray<8, Float>(repeating: 0)

  /// Prepares to fold.
  ///
  /// - Parameters:
  ///   - channels: 1 and up; beyond 8, where no order is agreed upon, all are heard from the
  ///     middle.
  ///   - order: in which order they come; the same for one, two and four.
  package init(channels: Int, order: Order) {
    precondition(channels > 0, "no channel, no sound")
    self.channels = channels
    guard channels <= 8 else { return }
    let places = Self.places(channels: channels, order: order)
    var sum: Float = 0
    for (channel, place) in places.enumerated() {
      let weight = Self.weight(of: place)
      left[channel] = weight.left
      right[channel] = weight.right
      sum += weight.left
    }
    guard channels > 2 else { return }
    for channel in 0..<channels {
      left[channel] /= sum
      right[channel] /= sum
    }
  }

  /// What a channel contributes.
  ///
  /// - Parameter channel: 0 up to, not including, `channels`.
  /// - Returns: its factor on the left and on the right.
  package func weights(of channel: Int) -> (left: Float, right: Float) {
    guard channels <= 8 else { return (1 / Float(channels), 1 / Float(channels)) }
    return (left[channel], right[channel])
  }

  /// Folds interleaved frames.
  ///
  /// - Parameters:
  ///   - interleaved: `frames * channels` samples; may be the target itself for two channels.
  ///   - frames: how many.
  ///   - target: receives `frames * 2` samples.
  package func fold(
    interleaved: UnsafePointer<Float>, frames: Int, into target: UnsafeMutablePointer<Float>
  ) {
    for frame in 0..<frames {
      var sums = SIMD2<Float>()
      for channel in 0..<channels {
        let weight = weights(of: channel)
        sums += SIMD2(weight.left, weight.right) * interleaved[frame * channels + channel]
      }
      target[frame * stereo] = sums.x
      target[frame * stereo + 1] = sums.y
    }
  }

  /// Folds frames whose channels lie apart, as Vorbis gives them.
  ///
  /// - Parameters:
  ///   - planar: `channels` pointers to `frames` samples each; a null one is silent.
  ///   - frames: how many.
  ///   - target: receives `frames * 2` samples.
  package func fold(
    planar: UnsafePointer<UnsafeMutablePointer<Float>?>, frames: Int,
    into target: UnsafeMutablePointer<Float>
  ) {
    fold(frames, into: target) {
      planar[$0].map { UnsafePointer($0) }
    } converting: {
      $0
    }
  }

  /// Folds integer frames whose channels lie apart, as FLAC gives them.
  ///
  /// - Parameters:
  ///   - planar: `channels` pointers to `frames` samples each; a null one is silent.
  ///   - bits: bits a sample: full scale is 2^(bits - 1).
  ///   - frames: how many.
  ///   - target: receives `frames * 2` samples.
  package func fold(
    planar: UnsafePointer<UnsafePointer<Int32>?>, bits: Int, frames: Int,
    into target: UnsafeMutablePointer<Float>
  ) {
    let scale = Float(sign: .plus, exponent: 1 - bits, significand: 1)
    fold(frames, into: target) {
      planar[$0]
    } converting: {
      Float($0) * scale
    }
  }

  @inline(__always)
  private func fold<Sample>(
    _ frames: Int, into target: UnsafeMutablePointer<Float>,
    plane: (Int) -> UnsafePointer<Sample>?, converting convert: (Sample) -> Float
  ) {
    if channels == 2, let left = plane(0), let right = plane(1) {
      for frame in 0..<frames {
        target[frame * stereo] = convert(left[frame])
        target[frame * stereo + 1] = convert(right[frame])
      }
      return
    }
    target.update(repeating: 0, count: frames * stereo)
    for channel in 0..<channels {
      guard let samples = plane(channel) else { continue }
      let weight = weights(of: channel)
      for frame in 0..<frames {
        let sample = convert(samples[frame])
        target[frame * stereo] += weight.left * sample
        target[frame * stereo + 1] += weight.right * sample
      }
    }
  }
}

// MARK: - Where the channels are

extension ChannelMapping {
  private enum Place {
    case middle, left, right, centre, lowFrequency, sideLeft, sideRight, back
  }

  private static func weight(of place: Place) -> (left: Float, right: Float) {
    let half = Float(0.5).squareRoot()
    return switch place {
    case .middle: (1, 1)
    case .left: (1, 0)
    case .right: (0, 1)
    case .centre: (half, half)
    case .lowFrequency: (0, 0)
    case .sideLeft: (half, 0)
    case .sideRight: (0, half)
    case .back: (0.5, 0.5)
    }
  }

  /// The places of 1 up to 8 channels; side and back pairs weigh the same and share a name.
  private static func places(channels: Int, order: Order) -> [Place] {
    switch (channels, order) {
    case (1, _): [.middle]
    case (2, _): [.left, .right]
    case (3, .wave): [.left, .right, .centre]
    case (3, .vorbis): [.left, .centre, .right]
    case (4, _): [.left, .right, .sideLeft, .sideRight]
    case (5, .wave): [.left, .right, .centre, .sideLeft, .sideRight]
    case (5, .vorbis): [.left, .centre, .right, .sideLeft, .sideRight]
    case (6, .wave): [.left, .right, .centre, .lowFrequency, .sideLeft, .sideRight]
    case (6, .vorbis): [.left, .centre, .right, .sideLeft, .sideRight, .lowFrequency]
    case (7, .wave): [.left, .right, .centre, .lowFrequency, .back, .sideLeft, .sideRight]
    case (7, .vorbis): [.left, .centre, .right, .sideLeft, .sideRight, .back, .lowFrequency]
    case (_, .wave):
      [.left, .right, .centre, .lowFrequency, .sideLeft, .sideRight, .sideLeft, .sideRight]
    case (_, .vorbis):
      [.left, .centre, .right, .sideLeft, .sideRight, .sideLeft, .sideRight, .lowFrequency]
    }
  }
}
