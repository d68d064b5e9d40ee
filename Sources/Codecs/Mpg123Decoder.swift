import CMpg123
import PCM

/// MPEG audio (layers 1 to 3) by libmpg123.
///
/// The library only decodes frames; finding, numbering and trimming them is ours (`MPEGFrames`):
/// so a seek is exact, broken bytes become silence of their length, and nothing but the bytes up to
/// the position is ever needed, or even those where frames of one bitrate are found by arithmetic. A file with LAME's tag is trimmed by it (delay in front, padding
/// behind, the decoder's own 529 samples); one without is never trimmed. A stretch of another
/// sample rate is lost bytes, thus silence.
final class Mpg123Decoder: FileDecoder {
  /// The delay of every decoder of layer 3, in samples.
  private static let decoderDelay = 529
  /// Frames decoded ahead of the wanted one after a jump: the bit reservoir reaches back over at
  /// most 9 of the smallest frames, the filters over 2.
  private static let preroll = 16

  private let handle: OpaquePointer
  private var frames: MPEGFrames
  private let samplesPerFrame: Int
  /// Decoded samples in front of the first audible one.
  private let skip: Int
  /// The audible length by the tag.
  private let taggedLength: FrameCount?

  private var pending = FrameBuffer()
  /// The next frame read gives, were `pending` empty.
  private var position: FrameCount = 0
  /// The number of the next frame to decode.
  private var next = 0
  /// Whether the library must forget what came before.
  private var isStale = true
  private var isPastTag = false

  let sampleRate: Int
  let channels: Int
  var codec: String { "mp\(frames.first.layer)" }
  var frameLength: FrameCount? { isPastTag ? nil : taggedLength }

  /// Opens an mp3.
  ///
  /// - Parameters:
  ///   - source: the file.
  ///   - offset: where its first frame is.
  /// - Throws: `DecoderError` when there is no frame, or when the source fails.
  init(_ source: any ByteSource, at offset: Int64) throws(DecoderError) {
    guard
      let found = try reading({ () throws(ByteSourceError) in try MPEGFrames(source, at: offset) })
    else { throw .unsupported(looksLike: nil) }
    var code: Int32 = 0
    guard let handle = mpg123_new(nil, &code) else {
      throw .corrupt(codec: "mp3", detail: String(cString: mpg123_plain_strerror(code)))
    }
    frames = found
    samplesPerFrame = found.first.samplesPerFrame
    sampleRate = found.first.sampleRate
    channels = found.first.channels
    self.handle = handle
    let trim = Self.trim(found)
    skip = trim.skip
    taggedLength = trim.length
    let flags =
      MPG123_QUIET.rawValue | MPG123_FORCE_FLOAT.rawValue | MPG123_FORCE_STEREO.rawValue
      | MPG123_NO_READAHEAD.rawValue | MPG123_IGNORE_INFOFRAME.rawValue
    // Trimming is ours.
    cmpg123_set_flags(handle, Int(flags), Int(MPG123_GAPLESS.rawValue))
    try seek(to: 0)
  }

  deinit {
    mpg123_delete(handle)
  }

  /// What the tag trims: samples in front, and the length that is left.
  private static func trim(_ frames: MPEGFrames) -> (skip: Int, length: FrameCount?) {
    guard let tag = frames.tag else { return (0, nil) }
    let total = tag.frameCount.map { $0 * frames.first.samplesPerFrame }
    guard let delay = tag.delay, let padding = tag.padding else {
      return (0, total.map(FrameCount.init))
    }
    let length = total.map { $0 - delay - padding }
    // A tag that would trim everything is a wrong one.
    if let length, length <= 0 { return (0, total.map(FrameCount.init)) }
    return (delay + decoderDelay, length.map(FrameCount.init))
  }

  func read(into block: inout MutableSpan<Float>) throws(DecoderError) -> Int {
    let wanted = block.count / 2
    var written = 0
    while written < wanted {
      if pending.count == 0, try !decodeNext() { break }
      let moved = pending.move(to: &block, at: 2 * written)
      written += moved
      position += FrameCount(moved)
    }
    return written
  }

  func seek(to target: FrameCount) throws(DecoderError) {
    let frame = max(0, target)
    pending.removeAll()
    position = frame
    let (sample, overflow) = frame.addingReportingOverflow(FrameCount(skip))
    let number = Int(overflow ? .max : sample) / samplesPerFrame
    isStale = true
    try reading { () throws(ByteSourceError) in try frames.leap(to: max(0, number - Self.preroll)) }
    // Asking for it makes the walk learn of gaps up to there.
    guard case .frame = try slot(number) else {
      next = number
      return try cutFront(of: number, sample)
    }
    next = max(frames.startOfRun(before: number), number - Self.preroll)
    while next < number, try decodeNext() { pending.removeAll() }
    try cutFront(of: number, sample)
  }

  func countFrames() throws(DecoderError) -> FrameCount {
    let total = try reading { () throws(ByteSourceError) in try frames.count() }
    let samples = FrameCount(total * samplesPerFrame - skip)
    guard let taggedLength, total <= frames.tag?.frameCount ?? 0 else { return max(0, samples) }
    return max(0, min(samples, taggedLength))
  }

  /// Decodes the frame at `number` and drops what is in front of `sample`.
  private func cutFront(of number: Int, _ sample: FrameCount) throws(DecoderError) {
    guard try decodeNext(cut: false) else { return }
    pending.drop(Int(sample - FrameCount(number * samplesPerFrame)))
    try cutEnd()
  }

  /// Puts the next frame, or the silence in its place, into `pending`; false at the end.
  private func decodeNext(cut: Bool = true) throws(DecoderError) -> Bool {
    switch try slot(next) {
    case nil: return false
    case .lost:
      isStale = true
      pending.appendSilence(samplesPerFrame)
    case .frame(let offset, let count):
      decode(
        try reading { () throws(ByteSourceError) in try frames.bytes(at: offset, count: count) })
    }
    next += 1
    if cut { try cutEnd() }
    return pending.count > 0
  }

  /// Drops what lies past the tagged end, unless the file goes on behind it.
  private func cutEnd() throws(DecoderError) {
    guard let taggedLength, !isPastTag, position + FrameCount(pending.count) > taggedLength,
      let count = frames.tag?.frameCount
    else { return }
    isPastTag = try slot(count) != nil
    if !isPastTag { pending.keep(Int(max(0, taggedLength - position))) }
  }

  private func slot(_ number: Int) throws(DecoderError) -> MPEGFrames.Slot? {
    try reading { () throws(ByteSourceError) in try frames.slot(number) }
  }

  /// Decodes one whole frame, in silence where the library gives nothing.
  private func decode(_ bytes: ArraySlice<UInt8>) {
    if isStale {
      mpg123_open_feed(handle)
      isStale = false
    }
    bytes.withUnsafeBufferPointer { _ = mpg123_feed(handle, $0.baseAddress, $0.count) }
    let before = pending.count
    while true {
      var number: off_t = 0
      var audio: UnsafeMutablePointer<UInt8>?
      var size = 0
      let result = mpg123_decode_frame(handle, &number, &audio, &size)
      if let audio, size > 0 { append(audio, size) }
      if result != MPG123_OK.rawValue, result != MPG123_NEW_FORMAT.rawValue { break }
    }
    let given = pending.count - before
    if given > samplesPerFrame {
      pending.keep(before + samplesPerFrame)
    } else {
      pending.appendSilence(samplesPerFrame - given)
    }
  }

  private func append(_ audio: UnsafeMutablePointer<UInt8>, _ size: Int) {
    let count = size / MemoryLayout<Float>.size
    audio.withMemoryRebound(to: Float.self, capacity: count) {
      pending.append(count / stereo, from: $0)
    }
  }
}
