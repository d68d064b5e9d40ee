import PCM

/// Brings a stretch of a track that has another sample rate to the track's own.
///
/// Frames of the stretch go in, frames of the track come out, exactly as many as the stretch lasts.
final class RateBridge {
  /// What is bridged: beyond it (no music has that) the filter would grow without bound.
  private static let ratios = 1.0 / 16...16.0
  /// The longest silence that goes through the filter, in seconds.
  private static let longestSilence = 60

  private let resampler: Resampler
  private var scratch = [Float](repeating: 0, count: 8192)

  /// Makes a bridge; nil where none is needed, or none can be had.
  init?(from rate: Int, to trackRate: Int) {
    guard Self.isBridged(rate, trackRate) else { return nil }
    resampler = Resampler(from: rate, to: trackRate)
  }

  /// The frames that a stretch lasts at the track's rate, rounded up.
  static func length(of frames: FrameCount, at rate: Int, in trackRate: Int) -> FrameCount {
    guard isBridged(rate, trackRate) else { return frames }
    let (whole, part) = frames.quotientAndRemainder(dividingBy: FrameCount(rate))
    let trackRate = FrameCount(trackRate)
    return whole * trackRate + (part * trackRate + FrameCount(rate) - 1) / FrameCount(rate)
  }

  private static func isBridged(_ rate: Int, _ trackRate: Int) -> Bool {
    rate > 0 && trackRate > 0 && rate != trackRate
      && ratios.contains(Double(rate) / Double(trackRate))
  }

  /// Starts at a frame of the track, counted from the start of the stretch.
  ///
  /// - Returns: the frame of the stretch that must be put in next.
  func start(at frame: FrameCount) -> FrameCount {
    resampler.start(at: frame)
  }

  /// Puts interleaved stereo in and appends what comes out.
  func put(_ input: Span<Float>, into pending: inout FrameBuffer) {
    var used = 0
    while used < input.count {
      let rest = input.extracting(used...)
      var output = scratch.mutableSpan
      let moved = resampler.process(rest, into: &output)
      used += 2 * moved.consumed
      append(moved.produced, to: &pending)
    }
  }

  /// Puts silence in.
  func putSilence(_ frames: FrameCount, into pending: inout FrameBuffer) {
    guard frames <= FrameCount(Self.longestSilence * resampler.inputRate) else {
      pending.appendSilence(Int(resampler.outputLength(of: frames)))
      return
    }
    let zeros = [Float](repeating: 0, count: 4096)
    var left = frames
    while left > 0 {
      let count = Int(min(left, 2048))
      put(zeros.span.extracting(first: 2 * count), into: &pending)
      left -= FrameCount(count)
    }
  }

  /// Appends what is left once the stretch is over.
  func finish(into pending: inout FrameBuffer) {
    while true {
      var output = scratch.mutableSpan
      let produced = resampler.finish(into: &output)
      if produced == 0 { return }
      append(produced, to: &pending)
    }
  }

  private func append(_ frames: Int, to pending: inout FrameBuffer) {
    scratch.withUnsafeBufferPointer {
      if let base = $0.baseAddress { pending.append(frames, from: base) }
    }
  }
}
