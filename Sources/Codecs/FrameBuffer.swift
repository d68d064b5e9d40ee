/// Decoded frames that were not asked for yet: a stretch of silence, then what a codec gave in one
/// go.
///
/// Grows to the longest block of the track and is used again and again; silence takes no room.
struct FrameBuffer {
  private var silence = 0
  private var samples: [Float] = []
  private var next = 0

  /// The number of frames left.
  var count: Int { silence + (samples.count - next) / 2 }

  /// Drops everything.
  mutating func removeAll() {
    silence = 0
    samples.removeAll(keepingCapacity: true)
    next = 0
  }

  /// Drops the first frames.
  mutating func drop(_ frames: Int) {
    let quiet = min(frames, silence)
    silence -= quiet
    next = min(samples.count, next + 2 * (frames - quiet))
  }

  /// Drops the last frames, so that at most `frames` are left.
  mutating func keep(_ frames: Int) {
    guard count > frames else { return }
    let loud = max(0, frames - silence)
    silence = min(silence, frames)
    samples.removeLast(samples.count - next - 2 * loud)
  }

  /// Appends silence; long ones only in front of all else.
  mutating func appendSilence(_ frames: Int) {
    if samples.isEmpty {
      silence += frames
    } else {
      samples.append(contentsOf: repeatElement(0, count: 2 * frames))
    }
  }

  /// Appends frames that are interleaved stereo already.
  mutating func append(_ interleaved: UnsafeBufferPointer<Float>) {
    samples.append(contentsOf: interleaved)
  }

  /// Appends frames that `body` writes: two samples each.
  mutating func append(_ frames: Int, writing body: (UnsafeMutablePointer<Float>) -> Void) {
    let start = samples.count
    samples.append(contentsOf: repeatElement(0, count: 2 * frames))
    samples.withUnsafeMutableBufferPointer { all in
      if let base = all.baseAddress { body(base + start) }
    }
  }

  /// Moves frames to the block, from its sample `offset` on, as many as there are and fit.
  ///
  /// - Returns: the number of frames moved.
  mutating func move(to block: inout MutableSpan<Float>, at offset: Int) -> Int {
    let room = (block.count - offset) / 2
    let quiet = min(silence, room)
    for index in 0..<2 * quiet { block[offset + index] = 0 }
    silence -= quiet
    let loud = min((samples.count - next) / 2, room - quiet)
    let start = offset + 2 * quiet
    for index in 0..<2 * loud { block[start + index] = samples[next + index] }
    next += 2 * loud
    if next == samples.count, silence == 0 { removeAll() }
    return quiet + loud
  }
}
