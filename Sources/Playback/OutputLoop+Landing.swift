import PCM
import Synchronization

extension OutputLoop {
  /// Frames of the cross-fade over a skip or a repeat: 20 ms.
  static func spliceFrames(rate: Int) -> Int { rate / 50 }

  /// Frames the playing stretch is late by the device's clock, negative when it is early; nil while
  /// nothing plays that keeps time, or the clock has not settled.
  var lateness: FrameCount? {
    guard let stretch, case .playing = stretch.phase, !stretch.isJoined, clock.isSettled,
      let origin = clock.origin
    else { return nil }
    let heardAt = ((origin - shared.epoch) + .frames(written, rate: format.rate)).wholeNanoseconds
    let due = Duration.nanoseconds(heardAt - stretch.dueAt).nearestFrame(rate: format.rate)
    return due - (stretch.due - stretch.ringIndex)
  }

  /// Puts sound that is heard at the wrong moment in its place, where that is worth a splice.
  mutating func land() {
    guard shared.landsExactly.load(ordering: .relaxed), let late = lateness else { return }
    let shift = stretch?.landing?.correction(error: late, at: written) ?? 0
    guard shift != 0 else { return }
    let isDone = splice(by: shift)
    guard let stretch else { return }
    if isDone { tell(.spliced, of: stretch, value: shift) } else { tell(.misplaced, of: stretch) }
  }

  /// Goes on at another frame of the ring under a cross-fade: the next frames written are a mix.
  ///
  /// - Parameter shift: frames to skip, or to repeat when negative.
  /// - Returns: false where the ring does not hold what is needed.
  private mutating func splice(by shift: FrameCount) -> Bool {
    guard var current = stretch else { return false }
    let ring = shared.ring
    let fade = Self.spliceFrames(rate: format.rate)
    let from = ring.readIndex
    let target = from + shift
    let end = min(current.end ?? .max, ring.writeIndex)
    guard target >= current.ringIndex, target + FrameCount(fade) < end,
      from + FrameCount(fade) < end
    else { return false }
    ring.copy(from: from, count: fade, into: crossfade.base)
    if shift > 0 {
      ring.advance(by: Int(shift))
    } else if !ring.rewind(by: Int(-shift)) {
      return false
    }
    current.due += shift
    current.splice = fade
    stretch = current
    return true
  }

  /// Mixes what would have come without the splice into the frames after it, fading out.
  func mixSplice(
    _ current: inout Stretch, _ block: inout MutableSpan<Float>, at offset: Int, frames: Int
  ) {
    let total = Self.spliceFrames(rate: format.rate)
    let count = min(current.splice, frames)
    for frame in 0..<count {
      let place = total - current.splice + frame
      let weight = Float(place) / Float(total)
      for channel in 0..<stereo {
        let sample = (offset + frame) * stereo + channel
        let old = crossfade.base[place * stereo + channel]
        block[sample] = block[sample] * weight + old * (1 - weight)
      }
    }
    current.splice -= count
  }
}
