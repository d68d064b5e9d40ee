/// Reads a ring a little faster or slower than it was written, to follow another clock.
///
/// It stands between the ring and the gain on the output thread. The position read next is the
/// ring's `readIndex` plus `phase`; each frame of output moves it on by `ratio`. Both are kept in
/// integers (whole frames, and 2^-64 of a frame), so that nothing is lost over the hours: after
/// n frames at one ratio the position has moved by n times the ratio, as rounded to 2^-64 once.
///
/// Around each position it weighs 32 frames of the ring: 15 behind, the frame itself, 16 ahead; the
/// ring must keep `reach` frames behind. At ratio 1 and phase 0 it is a bit-exact copy.
///
/// Threading: belongs to the output thread. Never blocks, locks or allocates after `init`.
package final class DriftInterpolator {
  /// What lies behind the limit, or behind the last frame written.
  package enum Beyond: Sendable {
    /// More of the same sound: frames that must be there, or come, to be weighed.
    case sound
    /// Silence: the sound ends there, and its last frames are given without waiting for more.
    case silence
  }

  /// The frames it looks ahead, and that a ring must at least keep behind.
  package static let reach = 16

  private static let blockFrames = 512
  private static let widest = 2.0
  private let bank: FilterBank
  private let window: FixedBuffer<Float>
  private var fraction: UInt64 = 0
  private var stepWhole = 1
  private var stepFraction: UInt64 = 0

  /// Computes the filter and stands at ratio 1 and phase 0.
  package init() {
    bank = FilterBank(taps: 2 * Self.reach, cutoff: 0.5, attenuation: 100)
    let span = Int(Double(Self.blockFrames) * Self.widest) + 2 + 2 * Self.reach
    window = FixedBuffer(count: span * stereo)
  }

  /// How many frames of the ring go by for one of the output; 1.0002 is 200 ppm faster.
  ///
  /// Takes effect with the next frame read; the phase goes on, so a change makes no click. Values
  /// outside 0.5...2 are brought to the nearer end, and what is no number to 1.
  package var ratio: Double = 1 {
    didSet { setStep() }
  }

  /// How far behind `readIndex` the next frame lies, 0 up to but not 1, in frames.
  package var phase: Double { Double(fraction >> 11) * 0x1p-53 }

  /// The phase itself, in 2^-64 of a frame.
  package var phaseBits: UInt64 { fraction }

  /// Stands exactly on `readIndex` again.
  package func reset() {
    fraction = 0
  }

  /// Reads frames and moves the ring's read index on by the whole frames that went by.
  ///
  /// With `beyond` at `.sound` it stops where a frame would need one not written yet, 16 frames
  /// before the end of what was written; frames at and behind the limit are looked at, never
  /// stood on. With `.silence` it goes to the end, and having reached it stands exactly on it,
  /// at phase 0.
  ///
  /// - Parameters:
  ///   - block: receives interleaved samples; the rest of it is left as it was.
  ///   - offset: the frame of the block to begin at.
  ///   - frames: how many are wanted; the block must have room for them.
  ///   - ring: where to read.
  ///   - limit: the ring's number of the first frame that must not be read.
  ///   - beyond: what lies from the limit on, or from the end of what was written.
  /// - Returns: the frames given, fewer than wanted only at the limit or for want of frames.
  package func read(
    into block: inout MutableSpan<Float>, at offset: Int = 0, frames: Int, from ring: RingBuffer,
    limit: FrameCount = .max, beyond: Beyond = .sound
  ) -> Int {
    precondition(
      offset >= 0 && frames >= 0 && block.count / stereo - offset >= frames,
      "the block is too small")
    let end = min(limit, ring.writeIndex)
    if fraction == 0 && stepWhole == 1 && stepFraction == 0 {
      let count = min(FrameCount(frames), max(0, end - ring.readIndex))
      return ring.read(into: &block, at: offset, frames: Int(count))
    }
    return block.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return 0 }
      var done = 0
      while done < frames {
        let count = interpolate(
          into: base + (offset + done) * stereo, frames: min(frames - done, Self.blockFrames),
          from: ring, limit: limit, beyond: beyond)
        done += count
        if count == 0 { break }
      }
      return done
    }
  }

  /// Gives up to `blockFrames` frames out of one copy of the ring's frames around them.
  private func interpolate(
    into target: UnsafeMutablePointer<Float>, frames: Int, from ring: RingBuffer,
    limit: FrameCount, beyond: Beyond
  ) -> Int {
    let start = ring.readIndex
    let written = ring.writeIndex
    let known = beyond == .silence ? min(limit, written) : written
    let end = beyond == .silence ? known : min(limit, written - FrameCount(bank.reach))
    guard start < end else { return 0 }
    fillWindow(from: ring, start: start, frames: frames, known: known)
    let room = Int(clamping: end - start)
    var index = 0
    var count = 0
    while count < frames && index < room {
      let phase = Int(truncatingIfNeeded: fraction >> UInt64(64 - FilterBank.phaseBits))
      let rest = (fraction << UInt64(FilterBank.phaseBits)) >> 40
      let blend = Float(Int32(truncatingIfNeeded: rest)) * 0x1p-24
      let sum = bank.weigh(window.base + index * stereo, phase: phase, blend: blend)
      target[count * stereo] = sum.x
      target[count * stereo + 1] = sum.y
      count += 1
      let (next, carried) = fraction.addingReportingOverflow(stepFraction)
      fraction = next
      index += stepWhole + (carried ? 1 : 0)
    }
    if beyond == .silence && FrameCount(index) >= end - start {
      index = Int(end - start)
      fraction = 0
    }
    ring.advance(by: index)
    return count
  }

  /// Copies the frames that may be weighed, with zeros where nothing is known.
  private func fillWindow(from ring: RingBuffer, start: FrameCount, frames: Int, known: FrameCount)
  {
    let first = start - FrameCount(bank.reach - 1)
    let wanted = frames * (stepWhole + 1) + bank.taps
    let span = min(wanted, window.count / stereo)
    let held = Int(max(0, min(FrameCount(span), known - first)))
    ring.copy(from: first, count: held, into: window.base)
    (window.base + held * stereo).update(repeating: 0, count: (span - held) * stereo)
  }

  private func setStep() {
    let wanted = ratio.isFinite ? min(max(ratio, 0.5), Self.widest) : 1
    let whole = wanted.rounded(.down)
    stepWhole = Int(whole)
    stepFraction = UInt64((wanted - whole) * 0x1p64)
  }
}
