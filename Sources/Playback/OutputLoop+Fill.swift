import PCM
import Synchronization

extension OutputLoop {
  /// Fills a block with what is due, frame by frame of the output, and silence where nothing is.
  mutating func fill(_ block: inout MutableSpan<Float>) {
    var filled = 0
    while filled < self.frames {
      takeMarkers()
      let wanted = self.frames - filled
      let count = advance(&block, at: filled, frames: wanted)
      if count < 0 { break }
      filled += count
    }
    silence(&block, from: filled, frames: self.frames - filled)
  }

  /// Does the next piece of a block.
  ///
  /// - Returns: the frames done, 0 when only the state moved on, -1 when the rest is silence.
  private mutating func advance(
    _ block: inout MutableSpan<Float>, at offset: Int, frames: Int
  ) -> Int {
    guard var current = stretch else { return -1 }
    defer { if stretch != nil { stretch = current } }
    let place = written + FrameCount(offset)
    if current.generation < shared.generation.load(ordering: .acquiring) {
      return fadeOut(&current, &block, at: offset, frames: frames)
    }
    if case .waiting = current.phase {
      let early = current.hasSounded || current.isJoined ? 0 : current.outputFrame - place
      if early > 0 {
        let count = Int(min(early, FrameCount(frames)))
        silence(&block, from: offset, frames: count)
        return count
      }
      guard start(&current, at: place) else {
        // Time passes without sound; what is due moves on all the same, where it keeps time.
        if current.hasSounded, !current.isJoined { current.due += FrameCount(frames) }
        silence(&block, from: offset, frames: frames)
        return frames
      }
    }
    return play(&current, &block, at: offset, frames: frames)
  }

  /// Starts a stretch whose time has come, or gives it up when it is over.
  ///
  /// - Returns: false while its frames are not there yet.
  private mutating func start(_ current: inout Stretch, at place: FrameCount) -> Bool {
    let ring = shared.ring
    if !current.hasSounded, !current.isJoined {
      current.due = max(current.due, current.ringIndex + (place - current.outputFrame))
    }
    ring.discard(upTo: current.due)
    // An older stretch may have been played on into this one's frames before it was stopped.
    let ahead = ring.readIndex - current.due
    if ahead > 0 { _ = ring.rewind(by: Int(ahead)) }
    let isComplete = current.end.map { $0 <= ring.writeIndex } ?? false
    let waiting = FrameCount(ring.readableFrames)
    guard isComplete || waiting >= Self.startFrames(rate: format.rate) else { return false }
    interpolator.reset()
    // A track's own beginning is played as it is; what begins inside it fades in.
    if current.dueTrackFrame != 0 {
      current.ramp = GainRamp(0)
      current.ramp.move(to: 1, over: Self.fadeFrames(rate: format.rate))
    }
    current.phase = .playing
    return true
  }

  private mutating func play(
    _ current: inout Stretch, _ block: inout MutableSpan<Float>, at offset: Int, frames: Int
  ) -> Int {
    let ring = shared.ring
    let place = written + FrameCount(offset)
    let before = ring.readIndex
    let count = interpolator.read(
      into: &block, at: offset, frames: frames, from: ring, limit: current.end ?? .max,
      beyond: current.end == nil ? .sound : .silence)
    if count > 0 {
      trail.add(
        HeardTrail.Entry(
          outputFrame: place, generation: current.generation,
          placement: current.placement, trackFrame: current.dueTrackFrame, isMoving: true,
          isFirst: !current.hasSounded))
      if !current.hasSounded { current.landing = Landing(rate: format.rate) }
      current.hasSounded = true
      if current.splice > 0 { mixSplice(&current, &block, at: offset, frames: count) }
      current.ramp.apply(to: &block, at: offset, frames: count)
      current.due += ring.readIndex - before
      return count
    }
    if let end = current.end, ring.readIndex >= end {
      trail.add(
        HeardTrail.Entry(
          outputFrame: place, generation: current.generation, placement: current.placement,
          trackFrame: current.dueTrackFrame, isMoving: false, isFirst: !current.hasSounded,
          isLast: true))
      stretch = nil
      return 0
    }
    // The ring ran empty inside the track.
    current.phase = .waiting
    trail.add(
      HeardTrail.Entry(
        outputFrame: place, generation: current.generation, placement: current.placement,
        trackFrame: current.dueTrackFrame, isMoving: false))
    tell(.starved, of: current)
    return 0
  }

  /// Ends a stretch of an older generation under a short fade.
  private mutating func fadeOut(
    _ current: inout Stretch, _ block: inout MutableSpan<Float>, at offset: Int, frames: Int
  ) -> Int {
    let left: Int
    switch current.phase {
    case .waiting: left = 0
    case .fading(let frames): left = frames
    case .playing:
      left = Self.fadeFrames(rate: format.rate)
      current.ramp.move(to: 0, over: left)
    }
    let wanted = min(left, frames)
    let count = interpolator.read(
      into: &block, at: offset, frames: wanted, from: shared.ring, limit: current.end ?? .max,
      beyond: .silence)
    current.ramp.apply(to: &block, at: offset, frames: count)
    current.phase = .fading(left - count)
    if left - count <= 0 || count < wanted {
      trail.add(
        HeardTrail.Entry(
          outputFrame: written + FrameCount(offset + count), generation: current.generation,
          placement: current.placement, trackFrame: current.dueTrackFrame, isMoving: false))
      stretch = nil
    }
    return count
  }

  private func silence(_ block: inout MutableSpan<Float>, from offset: Int, frames: Int) {
    for sample in (offset * stereo)..<((offset + frames) * stereo) { block[sample] = 0 }
  }

  /// Takes the markers that have come: the start of a new stretch, the end of this one.
  private mutating func takeMarkers() {
    while let marker = shared.markers.peek() {
      // Looked at after the marker, which came after its generation: an older look would take a
      // new marker for a stale one.
      if marker.generation == shared.generation.load(ordering: .acquiring) {
        switch marker.kind {
        case .start:
          // The older stretch fades out first, and not into the frames of this one.
          if let older = stretch {
            stretch?.end = min(older.end ?? .max, marker.ringIndex)
            return
          }
          shared.ring.discard(upTo: marker.ringIndex)
          stretch = Stretch(marker)
        case .end:
          stretch?.end = marker.ringIndex
        }
      }
      _ = shared.markers.pop()
    }
  }
}
