/// Turns the frames of a track at its own rate into frames at the device's.
///
/// The two rates stand in a fixed ratio, and all positions are fractions of integers: output frame
/// `n` is the input's signal at the time `n * input / output`, in frames, exactly, however long the
/// track. There is no delay to be known or trimmed: the filter looks as far ahead as back, and
/// before the first frame and behind the last there is silence. `L` frames of input make
/// `L * output / input` frames, rounded up.
///
/// Started in the middle it gives the very samples it would have given there from the beginning.
///
/// ```swift
/// let resampler = Resampler(from: 48_000, to: 44_100)
/// try decoder.seek(to: resampler.start(at: outputFrame))
/// // read a block, `process` it until it is consumed, and so on; then `finish` until it gives 0
/// ```
///
/// The pass band ends at 0.907 of half the lower rate (20 kHz for 44.1 kHz); ripple and what is
/// stopped are 100 dB down.
///
/// Threading: belongs to one thread. Never blocks, locks or allocates after `init`.
package final class Resampler {
  /// Frames a second that go in.
  package let inputRate: Int
  /// Frames a second that come out.
  package let outputRate: Int

  // Output frame n lies at n * numerator / denominator frames of input.
  private let numerator: Int64
  private let denominator: Int64
  private let bank: FilterBank
  private let window: FixedBuffer<Float>
  private let windowFrames: Int

  /// The input frame at the start of the window; negative before the track's beginning.
  private var windowStart: FrameCount = 0
  /// The frames in the window.
  private var filled = 0
  /// Where the next output frame lies: a whole input frame, and a rest in 1 / denominator.
  private var position: FrameCount = 0
  private var rest: Int64 = 0
  /// The input frames fed, counted from the track's start; silence behind them begins here.
  private var fed: FrameCount = 0
  private var isFinishing = false

  /// Computes the filter for two rates and stands at the beginning.
  ///
  /// - Parameters:
  ///   - inputRate: Hz, above 0.
  ///   - outputRate: Hz, above 0.
  package init(from inputRate: Int, to outputRate: Int) {
    precondition(inputRate > 0 && outputRate > 0, "a rate is above 0")
    self.inputRate = inputRate
    self.outputRate = outputRate
    let divisor = greatestCommonDivisor(inputRate, outputRate)
    numerator = Int64(inputRate / divisor)
    denominator = Int64(outputRate / divisor)
    let cutoff = 0.5 * min(1, Double(outputRate) / Double(inputRate))
    bank = FilterBank(
      taps: Self.taps(cutoff: cutoff), cutoff: cutoff, attenuation: Self.attenuation)
    windowFrames = 2048 + bank.taps
    window = FixedBuffer(count: windowFrames * stereo)
    _ = start(at: 0)
  }

  /// Makes the next output frame a given one.
  ///
  /// - Parameter outputFrame: 0 or more.
  /// - Returns: the first input frame that must be fed from now on, 0 or more.
  package func start(at outputFrame: FrameCount) -> FrameCount {
    precondition(outputFrame >= 0, "before the first frame there is silence")
    (position, rest) = place(of: outputFrame)
    windowStart = position - FrameCount(bank.reach - 1)
    // What the window would hold from before the track's beginning is silence.
    filled = Int(max(0, -windowStart))
    window.base.update(repeating: 0, count: filled * stereo)
    fed = max(0, windowStart)
    isFinishing = false
    return fed
  }

  /// Takes frames in and gives frames out, until one of the blocks is used up.
  ///
  /// - Parameters:
  ///   - input: interleaved samples that follow those consumed before.
  ///   - output: receives interleaved samples; the rest of it is left as it was.
  /// - Returns: the input frames used, to be skipped next time, and the output frames written.
  package func process(
    _ input: Span<Float>, into output: inout MutableSpan<Float>
  ) -> (consumed: Int, produced: Int) {
    input.withUnsafeBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        let available = source.count / stereo
        let room = target.count / stereo
        var consumed = 0
        var produced = 0
        while true {
          if let base = target.baseAddress {
            produced += produce(into: base + produced * stereo, frames: room - produced)
          }
          guard produced < room, consumed < available, let base = source.baseAddress else { break }
          consumed += take(base + consumed * stereo, frames: available - consumed)
        }
        return (consumed, produced)
      }
    }
  }

  /// Gives the frames that are left once all input is fed.
  ///
  /// - Parameter output: receives interleaved samples; the rest of it is left as it was.
  /// - Returns: the frames written; called again until it is 0.
  package func finish(into output: inout MutableSpan<Float>) -> Int {
    isFinishing = true
    return output.withUnsafeMutableBufferPointer { target in
      guard let base = target.baseAddress else { return 0 }
      let room = target.count / stereo
      var produced = 0
      while true {
        produced += produce(into: base + produced * stereo, frames: room - produced)
        guard produced < room, position < fed else { return produced }
        takeSilence()
      }
    }
  }

  /// The output frames that a number of input frames makes.
  ///
  /// - Parameter inputFrames: counted from the track's start, 0 or more.
  /// - Returns: `inputFrames * outputRate / inputRate`, rounded up.
  package func outputLength(of inputFrames: FrameCount) -> FrameCount {
    // In two steps, so that no product leaves 64 bits.
    let (whole, part) = inputFrames.quotientAndRemainder(dividingBy: numerator)
    return whole * denominator + (part * denominator + numerator - 1) / numerator
  }
}

// MARK: - The window

extension Resampler {
  private static let attenuation = 100.0

  /// The row length that Kaiser's formula asks for, with the transition centred on the cut-off.
  private static func taps(cutoff: Double) -> Int {
    let transition = 2 * .pi * 2 * (1 - 0.907) * cutoff
    let taps = (attenuation - 7.95) / (2.285 * transition) + 1
    return (Int(taps.rounded(.up)) + 7) / 8 * 8
  }

  private func place(of outputFrame: FrameCount) -> (whole: FrameCount, rest: Int64) {
    let (periods, part) = outputFrame.quotientAndRemainder(dividingBy: denominator)
    let (whole, rest) = (part * numerator).quotientAndRemainder(dividingBy: denominator)
    return (periods * numerator + whole, rest)
  }

  /// Gives as many frames as the window allows.
  private func produce(into target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    let last = windowStart + FrameCount(filled - bank.reach)
    let end = isFinishing ? min(last, fed) : last
    let (stepWhole, stepRest) = numerator.quotientAndRemainder(dividingBy: denominator)
    let scale = Double(FilterBank.phases) / Double(denominator)
    var count = 0
    while count < frames && position < end {
      let first = Int(position - windowStart) - (bank.reach - 1)
      let exact = Double(rest) * scale
      let phase = Int(exact)
      let sum = bank.weigh(
        window.base + first * stereo, phase: phase, blend: Float(exact - Double(phase)))
      target[count * stereo] = sum.x
      target[count * stereo + 1] = sum.y
      count += 1
      position += stepWhole
      rest += stepRest
      if rest >= denominator {
        rest -= denominator
        position += 1
      }
    }
    return count
  }

  private func take(_ source: UnsafePointer<Float>, frames: Int) -> Int {
    makeRoom()
    let count = min(frames, windowFrames - filled)
    (window.base + filled * stereo).update(from: source, count: count * stereo)
    filled += count
    fed += FrameCount(count)
    return count
  }

  private func takeSilence() {
    makeRoom()
    let count = windowFrames - filled
    (window.base + filled * stereo).update(repeating: 0, count: count * stereo)
    filled += count
  }

  /// Moves what is still needed to the front of a full window.
  private func makeRoom() {
    guard filled == windowFrames else { return }
    let needed = position - FrameCount(bank.reach - 1)
    let gone = min(filled, Int(max(0, needed - windowStart)))
    window.base.update(
      from: window.base + gone * stereo, count: (filled - gone) * stereo)
    filled -= gone
    windowStart += FrameCount(gone)
  }
}

private func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
  b == 0 ? a : greatestCommonDivisor(b, a % b)
}
