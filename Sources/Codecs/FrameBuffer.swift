import PCM

/// Decoded frames that were not asked for yet: a stretch of silence, then what a codec gave in one
/// go.
///
/// Grows to the longest block of the track and is used again and again; silence takes no room.
struct FrameBuffer: ~Copyable {
  private var silence = 0
  private var samples: UnsafeMutablePointer<Float>
  private var capacity = 8192
  private var next = 0
  private var end = 0

  init() {
    samples = .allocate(capacity: capacity)
  }

  deinit {
    samples.deallocate()
  }

  /// The number of frames left.
  var count: Int { silence + (end - next) / stereo }

  /// Drops everything.
  mutating func removeAll() {
    silence = 0
    next = 0
    end = 0
  }

  /// Drops the first frames.
  mutating func drop(_ frames: Int) {
    let quiet = min(frames, silence)
    silence -= quiet
    next = min(end, next + stereo * (frames - quiet))
  }

  /// Drops the last frames, so that at most `frames` are left.
  mutating func keep(_ frames: Int) {
    guard count > frames else { return }
    let loud = max(0, frames - silence)
    silence = min(silence, frames)
    end = next + stereo * loud
  }

  /// Appends silence; a long one only in front of all else.
  mutating func appendSilence(_ frames: Int) {
    if next == end {
      silence += frames
    } else {
      append(frames) { $0.update(repeating: 0, count: stereo * frames) }
    }
  }

  /// Puts silence in front of all else.
  mutating func prependSilence(_ frames: Int) {
    silence += frames
  }

  /// Appends frames that are interleaved stereo already.
  mutating func append(_ frames: Int, from interleaved: UnsafePointer<Float>) {
    append(frames) { $0.update(from: interleaved, count: stereo * frames) }
  }

  /// Appends frames that `body` writes: two samples each.
  ///
  /// - Parameters:
  ///   - frames: how many it writes.
  ///   - skipped: how many of them, from the first on, are not wanted.
  ///   - body: writes the samples.
  mutating func append(
    _ frames: Int, skipping skipped: Int = 0, writing body: (UnsafeMutablePointer<Float>) -> Void
  ) {
    reserve(stereo * frames)
    body(samples + end)
    let kept = stereo * (frames - skipped)
    if skipped > 0 { (samples + end).update(from: samples + end + stereo * skipped, count: kept) }
    end += kept
  }

  /// Moves frames to the block, from its sample `offset` on, as many as there are and fit.
  ///
  /// - Parameters:
  ///   - block: receives them.
  ///   - offset: its first sample that is free.
  /// - Returns: the number of frames moved.
  mutating func move(to block: inout MutableSpan<Float>, at offset: Int) -> Int {
    let room = (block.count - offset) / stereo
    let quiet = min(silence, room)
    let loud = min((end - next) / stereo, room - quiet)
    let source = samples + next
    block.withUnsafeMutableBufferPointer { target in
      guard let base = target.baseAddress else { return }
      (base + offset).update(repeating: 0, count: stereo * quiet)
      (base + offset + stereo * quiet).update(from: source, count: stereo * loud)
    }
    silence -= quiet
    next += stereo * loud
    if next == end {
      next = 0
      end = 0
    }
    return quiet + loud
  }

  /// Makes room behind the last sample.
  private mutating func reserve(_ count: Int) {
    if next > 0 {
      samples.update(from: samples + next, count: end - next)
      end -= next
      next = 0
    }
    guard end + count > capacity else { return }
    let grown = max(2 * capacity, end + count)
    let larger = UnsafeMutablePointer<Float>.allocate(capacity: grown)
    larger.update(from: samples, count: end)
    samples.deallocate()
    samples = larger
    capacity = grown
  }
}
