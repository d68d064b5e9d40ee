import CVorbisFile
import Glibc
import PCM

/// Ogg Vorbis, also chained, by libvorbisfile.
///
/// A complete source is opened seekable. While a download grows it is opened as a stream (the
/// library would read the end first): seeks decode forward, from the start if need be, and once
/// the source is complete, or for a far seek where any byte can be had, it is opened anew. Where pages are lost the library's own
/// position, which it corrects at the end of the next page, says how much silence takes their
/// place. A later link of another rate is resampled to the first one's.
final class VorbisDecoder: ForwardDecoder {
  /// One of the streams that follow each other in a file.
  private struct Link {
    /// Its first frame in the library's count, which knows no rates.
    var libraryStart: FrameCount
    /// Its first frame in ours.
    var start: FrameCount
    var rate: Int
  }

  /// How much a file may make us read before its headers are through, in bytes.
  private static let headerAllowance: Int64 = 64 << 20

  /// A link longer than this (nine months) is a broken number.
  private static let longestLink: FrameCount = 1 << 40
  /// The longest gap believed where nothing tells the length, in seconds.
  private static let longestGap = 600

  /// The library's file; it holds pointers into itself, so it has a place of its own.
  private let file: UnsafeMutablePointer<OggVorbis_File>
  private var cursor: SourceCursor
  private var isSeekable = false
  private var isOpen = false

  var pending = FrameBuffer()
  private(set) var decoded: FrameCount = 0
  private var isPastEnd = false

  /// The links of a seekable file.
  private var links: [Link] = []
  /// The link that frames come from, -1 before the first.
  private var link: Int32 = -1
  private var fold = ChannelMapping(channels: 2, order: .vorbis)
  private var bridge: RateBridge?

  /// Where the library should be next, in its own count of frames.
  private var expected: FrameCount = 0
  /// What the library's position is ahead of `expected` by; 0 in a seekable file.
  private var skew: FrameCount = 0
  /// Whether pages were lost and the library has not corrected its position yet.
  private var hasHole = false

  private(set) var sampleRate = 0
  private(set) var channels = 0
  private(set) var frameLength: FrameCount?
  let codec = "vorbis"

  /// Opens an Ogg Vorbis file.
  ///
  /// - Parameters:
  ///   - source: the file.
  ///   - origin: where its first page is.
  /// - Throws: `DecoderError` when the library refuses it.
  init(_ source: any ByteSource, at origin: Int64) throws(DecoderError) {
    file = .allocate(capacity: 1)
    cursor = SourceCursor(source, origin: origin)
    try open(seekable: source.isComplete)
    guard let info = ov_info(file, 0)?.pointee, info.rate > 0, info.channels > 0 else {
      throw .corrupt(codec: codec, detail: "no stream")
    }
    sampleRate = Int(info.rate)
    channels = Int(info.channels)
  }

  deinit {
    close()
    file.deallocate()
  }

  var tags: TrackTags {
    guard isOpen, let comment = ov_comment(file, 0)?.pointee else { return TrackTags() }
    return TrackTags(
      comments: comment.user_comments, lengths: comment.comment_lengths,
      count: Int(comment.comments))
  }

  func seek(to target: FrameCount) throws(DecoderError) {
    let frame = max(0, target)
    pending.removeAll()
    isPastEnd = frameLength.map { frame >= $0 } ?? false
    if isPastEnd { return }
    if !isSeekable, cursor.source.isWorthAJump(from: decoded, to: frame, rate: sampleRate) {
      try reopen(seekable: true)
    }
    if isSeekable {
      if try jump(to: frame) { return }
      try reopen(seekable: cursor.source.isComplete)
    } else if frame < decoded {
      try reopen(seekable: false)
    }
    try decode(to: frame)
  }

  /// Seeks by the library; false where it fails.
  private func jump(to frame: FrameCount) throws(DecoderError) -> Bool {
    guard let index = links.lastIndex(where: { $0.start <= frame }) else { return false }
    startAnew(at: frame)
    let link = links[index]
    enter(Int32(index), rate: link.rate, channels: ov_info(file, Int32(index))?.pointee.channels)
    let local = bridge?.start(at: frame - link.start) ?? (frame - link.start)
    expected = link.libraryStart + local
    let code = ov_pcm_seek(file, expected)
    try cursor.rethrow()
    return code == 0
  }

  private func startAnew(at frame: FrameCount) {
    decoded = frame
    expected = frame
    skew = 0
    hasHole = false
    link = -1
    bridge = nil
  }

  private func open(seekable: Bool) throws(DecoderError) {
    isSeekable = seekable && cursor.length != nil
    let callbacks = ov_callbacks(
      read_func: onRead, seek_func: isSeekable ? onSeek : nil, close_func: nil,
      tell_func: isSeekable ? onTell : nil)
    cursor.allowance = Self.headerAllowance
    let code = ov_open_callbacks(
      Unmanaged.passUnretained(cursor).toOpaque(), file, nil, 0, callbacks)
    let isTooLong = cursor.allowance ?? 1 <= 0
    cursor.allowance = nil
    isOpen = code == 0
    try cursor.rethrow()
    guard isOpen else {
      throw .corrupt(codec: codec, detail: isTooLong ? "endless headers" : "vorbisfile \(code)")
    }
    startAnew(at: 0)
    if isSeekable { listLinks() }
  }

  /// Lays the links on our timeline.
  private func listLinks() {
    links = []
    var libraryStart: FrameCount = 0
    var start: FrameCount = 0
    let first = Int(ov_info(file, 0)?.pointee.rate ?? 0)
    for index in 0..<Int32(clamping: ov_streams(file)) {
      let rate = Int(ov_info(file, index)?.pointee.rate ?? 0)
      let length = min(max(0, ov_pcm_total(file, index)), Self.longestLink)
      links.append(Link(libraryStart: libraryStart, start: start, rate: rate))
      libraryStart += length
      start += RateBridge.length(of: length, at: rate, in: first)
    }
    frameLength = start
  }

  private func close() {
    if isOpen { ov_clear(file) }
    isOpen = false
  }

  /// Starts again at frame 0.
  private func reopen(seekable: Bool) throws(DecoderError) {
    close()
    cursor = SourceCursor(cursor.source, origin: cursor.origin)
    try open(seekable: seekable)
  }

  func decodeNext() throws(DecoderError) -> Bool {
    while pending.count == 0, !isPastEnd {
      var planes: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>?
      var link: Int32 = 0
      let count = ov_read_float(file, &planes, 4096, &link)
      try cursor.rethrow()
      switch count {
      case 1...:
        if let planes { take(count, planes, link) }
      case 0:
        leave()
        return pending.count > 0
      case Int(OV_EBADLINK):
        throw .corrupt(codec: codec, detail: "bad link")
      default:
        hasHole = true
      }
    }
    return pending.count > 0
  }

  /// Takes frames the library gave; its position is behind them.
  private func take(
    _ count: Int, _ planes: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>, _ link: Int32
  ) {
    let behind = ov_pcm_tell(file)
    if link != self.link {
      leave()
      let info = ov_info(file, isSeekable ? link : -1)?.pointee
      enter(link, rate: Int(info?.rate ?? 0), channels: info?.channels)
      if !isSeekable {
        // A stream's positions start anew with each link, anywhere.
        skew = behind - FrameCount(count) - expected
        hasHole = false
      }
    }
    var lost: FrameCount = 0
    if isSeekable || hasHole {
      lost = behind - FrameCount(count) - expected - skew
      let longest = frameLength.map { $0 - decoded } ?? FrameCount(Self.longestGap * sampleRate)
      if lost > longest { lost = 0 }
    }
    if lost != 0 { hasHole = false }
    let skipped = Int(min(max(0, -lost), FrameCount(count)))
    if lost > 0 { appendSilence(lost) }
    append(count, planes, from: skipped)
    expected += max(0, lost) + FrameCount(count - skipped)
    // In a seekable file the library is right even where it can't be followed.
    if isSeekable { expected = behind } else { skew = behind - expected }
  }

  /// Begins a link.
  private func enter(_ link: Int32, rate: Int, channels: Int32?) {
    self.link = link
    fold = ChannelMapping(channels: max(1, Int(channels ?? 2)), order: .vorbis)
    bridge = RateBridge(from: rate, to: sampleRate)
  }

  /// Ends a link: gives what its bridge still holds.
  private func leave() {
    let before = pending.count
    bridge?.finish(into: &pending)
    bridge = nil
    decoded += FrameCount(pending.count - before)
  }

  private func appendSilence(_ frames: FrameCount) {
    let before = pending.count
    if let bridge {
      bridge.putSilence(frames, into: &pending)
    } else {
      pending.appendSilence(Int(frames))
    }
    decoded += FrameCount(pending.count - before)
  }

  private func append(
    _ count: Int, _ planes: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>, from first: Int
  ) {
    if first > 0 {
      for channel in 0..<fold.channels { planes[channel]? += first }
    }
    let frames = count - first
    let before = pending.count
    if let bridge {
      var block = [Float](repeating: 0, count: 2 * frames)
      block.withUnsafeMutableBufferPointer {
        if let base = $0.baseAddress { fold.fold(planar: planes, frames: frames, into: base) }
      }
      bridge.put(block.span, into: &pending)
    } else {
      pending.append(frames) { fold.fold(planar: planes, frames: frames, into: $0) }
    }
    decoded += FrameCount(pending.count - before)
  }
}

private func onRead(
  buffer: UnsafeMutableRawPointer?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
  guard let cursor = SourceCursor.lent(context), size > 0 else { return 0 }
  let bytes = UnsafeMutableRawBufferPointer(start: buffer, count: size * count)
  let read = cursor.read(into: bytes)
  // 0 with an errno is an error, without one the end. An end where the length has none would make
  // the library look for the last page for ever.
  errno = read == 0 && cursor.isBroken ? EIO : 0
  return read / size
}

private func onSeek(
  context: UnsafeMutableRawPointer?, offset: ogg_int64_t, whence: Int32
) -> Int32 {
  SourceCursor.lent(context)?.seek(by: offset, from: whence) == true ? 0 : -1
}

private func onTell(context: UnsafeMutableRawPointer?) -> Int {
  Int(SourceCursor.lent(context)?.position ?? -1)
}
