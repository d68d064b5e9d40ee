import Codecs
import PCM

/// The track on the decode thread: its decoder, what brings it to the device's rate, and how far
/// it is.
///
/// Threading: the decode thread alone.
final class LoadedTrack {
  enum Phase {
    /// Nothing of it is on its way to the ear: paused, or to be aimed.
    case parked
    /// Frames go into the ring.
    case feeding
    /// All its frames are in the ring.
    case drained
    /// Its last frame was heard.
    case over
  }

  /// The placement it was last told.
  var placement: PlacementID
  let source: any ByteSource
  let decoder: any Decoder
  var gain: Float
  var target: PlaybackTarget
  var phase = Phase.parked
  /// What was begun last: the ring's number of its first frame, its place in the track, and the run
  /// of the device it was begun for.
  var start: (ringIndex: FrameCount, trackFrame: FrameCount, deviceRun: Int) = (0, 0, 0)
  /// The decoder's next frame, at the file's rate.
  private(set) var nextFrame: FrameCount = 0
  private var resampler: Resampler?

  init(
    placement: PlacementID, source: any ByteSource, decoder: any Decoder, gain: Float,
    target: PlaybackTarget
  ) {
    self.placement = placement
    self.source = source
    self.decoder = decoder
    self.gain = gain
    self.target = target
  }

  /// Stands on a frame, so that the next one decoded is exactly that one.
  ///
  /// - Parameters:
  ///   - trackFrame: frames of the device's rate from the track's start.
  ///   - deviceRate: in Hz.
  /// - Throws: `DecoderError` when the track can't be read there.
  func begin(at trackFrame: FrameCount, deviceRate: Int) throws(DecoderError) {
    var frame = trackFrame
    if decoder.sampleRate == deviceRate {
      resampler = nil
    } else {
      let current = resampler?.outputRate == deviceRate ? resampler : nil
      let resampler =
        current ?? Resampler(from: decoder.sampleRate, to: deviceRate)
      frame = resampler.start(at: trackFrame)
      self.resampler = resampler
    }
    if frame != nextFrame { try decoder.seek(to: frame) }
    nextFrame = frame
  }

  /// The frames of a block that is decoded at once: fewer than the most where the device's rate is
  /// so much higher than the file's that half the ring would not hold what becomes of them.
  func blockFrames(atMost most: Int, for ring: RingBuffer) -> Int {
    let half = (ring.capacity - ring.keptBehind) / 2
    guard let resampler, mostFrames(from: most) > half else { return most }
    return max(1, (half - 64) * decoder.sampleRate / resampler.outputRate)
  }

  /// The most frames that decoding a block puts into the ring.
  func mostFrames(from blockFrames: Int) -> Int {
    guard let resampler else { return blockFrames }
    return blockFrames * resampler.outputRate / decoder.sampleRate + 64
  }

  /// Decodes a block into the ring, which has room for it.
  ///
  /// - Parameters:
  ///   - frames: the most to decode, at the file's rate.
  ///   - ring: receives the frames at the device's rate.
  ///   - blocks: where the frames pass through.
  /// - Returns: false at the end of the track, with its last frames in the ring.
  /// - Throws: `DecoderError` when nothing more can be had.
  func decode(
    _ frames: Int, into ring: RingBuffer, through blocks: borrowing DecodeBlocks
  ) throws(DecoderError) -> Bool {
    let block = UnsafeMutableBufferPointer(rebasing: blocks.decoded[..<(frames * stereo)])
    var span = block.mutableSpan
    let count = try decoder.read(into: &span)
    nextFrame += FrameCount(count)
    guard count > 0 else {
      flush(into: ring, through: blocks.resampled)
      return false
    }
    if gain != 1 { for sample in 0..<(count * stereo) { block[sample] *= gain } }
    write(
      UnsafeBufferPointer(rebasing: block[..<(count * stereo)]), into: ring,
      through: blocks.resampled)
    return true
  }

  private func write(
    _ frames: UnsafeBufferPointer<Float>, into ring: RingBuffer,
    through resampled: UnsafeMutableBufferPointer<Float>
  ) {
    guard let resampler else {
      _ = ring.write(frames)
      return
    }
    var used = 0
    while used * stereo < frames.count {
      var span = resampled.mutableSpan
      let rest = UnsafeBufferPointer(rebasing: frames[(used * stereo)...])
      let (consumed, produced) = resampler.process(rest.span, into: &span)
      _ = ring.write(UnsafeBufferPointer(rebasing: resampled[..<(produced * stereo)]))
      used += consumed
      if consumed == 0 && produced == 0 { return }
    }
  }

  private func flush(
    into ring: RingBuffer, through resampled: UnsafeMutableBufferPointer<Float>
  ) {
    guard let resampler else { return }
    while true {
      var span = resampled.mutableSpan
      let produced = resampler.finish(into: &span)
      if produced == 0 { return }
      _ = ring.write(UnsafeBufferPointer(rebasing: resampled[..<(produced * stereo)]))
    }
  }
}

/// Room for a block as decoded, and as resampled.
struct DecodeBlocks: ~Copyable {
  private let first: FixedBuffer<Float>
  private let second: FixedBuffer<Float>

  init(frames: Int) {
    first = FixedBuffer(count: frames * stereo)
    second = FixedBuffer(count: frames * stereo)
  }

  var decoded: UnsafeMutableBufferPointer<Float> {
    UnsafeMutableBufferPointer(start: first.base, count: first.count)
  }

  var resampled: UnsafeMutableBufferPointer<Float> {
    UnsafeMutableBufferPointer(start: second.base, count: second.count)
  }
}
