import Glibc

/// The factors that samples are multiplied by: volume and ReplayGain.
package enum Gain {
  /// The amplitude of a volume as people set it.
  ///
  /// Loudness as people judge it grows with the 0.6th power of the amplitude (Stevens), so the
  /// amplitude is the volume to the power of 1 / 0.6: volume 50 is 10 dB down and sounds half as
  /// loud.
  ///
  /// - Parameter volume: 0 up to 100; what lies outside is brought to the nearer end.
  /// - Returns: 0 at volume 0, exactly 1 at 100.
  package static func amplitude(volume: Int) -> Float {
    if volume <= 0 { return 0 }
    if volume >= 100 { return 1 }
    return Float(pow(Double(volume) / 100, 1 / 0.6))
  }

  /// The factor that brings a track to the level ReplayGain names, without clipping its peak.
  ///
  /// - Parameters:
  ///   - decibels: the gain; nil or what is no number leaves the track as it is.
  ///   - peak: the largest absolute sample of the track, 1 being full scale; where it is unknown
  ///     (nil, 0 or no number) the track is taken to reach full scale and is never raised.
  /// - Returns: a factor, 0.001 up to 10.
  package static func replayGain(decibels: Double?, peak: Double?) -> Float {
    guard let decibels, decibels.isFinite else { return 1 }
    var highest = 1.0
    if let peak, peak.isFinite, peak > 0 { highest = peak }
    let wanted = pow(10, min(max(decibels, -60), 20) / 20)
    return Float(min(max(min(wanted, 1 / highest), 0.001), 10))
  }
}

/// A gain that moves to its target along a straight line, so that no change clicks.
///
/// Threading: belongs to the thread that applies it. Never blocks, locks or allocates.
package struct GainRamp: Sendable {
  /// The gain the next frame gets.
  package private(set) var current: Float
  /// The gain that is moved to.
  package private(set) var target: Float

  private var start: Float
  private var length = 0
  private var done = 0

  /// Starts at a gain and stays there.
  package init(_ gain: Float = 1) {
    current = gain
    target = gain
    start = gain
  }

  /// Whether the gain still moves.
  package var isMoving: Bool { done < length }

  /// Moves to a gain, from wherever the last move has got to.
  ///
  /// - Parameters:
  ///   - gain: the target; asked for again while it is the target, nothing changes.
  ///   - frames: how many frames the move takes; 0 jumps.
  package mutating func move(to gain: Float, over frames: Int) {
    if gain == target && frames > 0 { return }
    target = gain
    start = current
    length = max(0, frames)
    done = 0
    if length == 0 || gain == current {
      current = gain
      length = 0
    }
  }

  /// Multiplies frames by the gain, in place.
  ///
  /// - Parameters:
  ///   - block: interleaved stereo samples.
  ///   - offset: the first frame to change.
  ///   - frames: how many; nil goes to the end of the block.
  package mutating func apply(
    to block: inout MutableSpan<Float>, at offset: Int = 0, frames: Int? = nil
  ) {
    let count = frames ?? block.count / stereo - offset
    precondition(offset >= 0 && count >= 0 && block.count / stereo - offset >= count)
    block.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      let first = base + offset * stereo
      let moved = min(count, length - done)
      applyMoving(first, frames: moved)
      applyStill(first + moved * stereo, frames: count - moved)
    }
  }

  private mutating func applyMoving(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
    guard frames > 0 else { return }
    // Each frame's gain follows from its number, not from its neighbour's, so that rounding does
    // not add up and the last one is the target itself.
    let slope = (target - start) / Float(length)
    for frame in 0..<frames {
      let gain = start + slope * Float(done + frame)
      samples[frame * stereo] *= gain
      samples[frame * stereo + 1] *= gain
    }
    done += frames
    if done >= length {
      current = target
      start = target
      length = 0
      done = 0
    } else {
      current = start + slope * Float(done)
    }
  }

  private func applyStill(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
    guard frames > 0, current != 1 else { return }
    if current == 0 {
      samples.update(repeating: 0, count: frames * stereo)
      return
    }
    for sample in 0..<(frames * stereo) { samples[sample] *= current }
  }
}
