import CVorbisFile
import Glibc
import PCM

/// Ogg Vorbis, also chained, by libvorbisfile.
///
/// A complete source is opened seekable. While a download grows it is opened as a stream (the
/// library would read the end first): seeks decode forward, from the start if need be, and once
/// the source is complete the next seek opens it anew. Where pages are lost the library's own
/// position, which it corrects at the end of the next page, says how much silence takes their
/// place. A later link of another rate is resampled to the first one's.
final class VorbisDecoder: FileDecoder {
  /// How much a file may make us read before its headers are through, in bytes.
  private static let headerAllowance: Int64 = 64 << 20

  /// The library's file; it holds pointers into itself, so it has a place of its own.
  private let file: UnsafeMutablePointer<OggVorbis_File>
  private var cursor: SourceCursor
  private var isSeekable = false
  private var isOpen = false

  private var pending = FrameBuffer()
  private var fold = ChannelMapping(channels: 2, order: .vorbis)
  /// The frame behind the last one in `pending`.
  private var decoded: FrameCount = 0
  /// What the library's position is ahead of ours by.
  private var skew: FrameCount = 0
  /// Whether pages were lost and the library has not corrected its position yet.
  private var hasHole = false
  private var link: Int32 = 0
  private var isPastEnd = false

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
    try open()
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
    var tags = TrackTags()
    guard isOpen, let comment = ov_comment(file, 0)?.pointee else { return tags }
    for index in 0..<Int(comment.comments) {
      guard let text = comment.user_comments[index] else { continue }
      let bytes = UnsafeRawBufferPointer(start: text, count: Int(comment.comment_lengths[index]))
      tags.take(comment: String(decoding: bytes, as: UTF8.self))
    }
    return tags
  }

  func read(into block: inout MutableSpan<Float>) throws(DecoderError) -> Int {
    let wanted = block.count / 2
    var written = 0
    while written < wanted {
      if pending.count == 0, try !decodeNext() { break }
      written += pending.move(to: &block, at: 2 * written)
    }
    return written
  }

  func seek(to frame: FrameCount) throws(DecoderError) {
    pending.removeAll()
    isPastEnd = frameLength.map { frame >= $0 } ?? false
    if isPastEnd { return }
    if !isSeekable, cursor.source.isComplete { try reopen() }
    if isSeekable {
      if ov_pcm_seek(file, frame) == 0 {
        try cursor.rethrow()
        return startAnew(at: frame)
      }
      try cursor.rethrow()
      try reopen()
    } else if frame < decoded {
      try reopen()
    }
    while decoded <= frame, try decodeNext() {
      let surplus = decoded - frame
      pending.drop(surplus > 0 ? pending.count - Int(surplus) : pending.count)
    }
  }

  private func startAnew(at frame: FrameCount) {
    decoded = frame
    skew = 0
    hasHole = false
    link = -1
  }

  private func open() throws(DecoderError) {
    isSeekable = cursor.source.isComplete && cursor.length != nil
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
    if isSeekable {
      let total = ov_pcm_total(file, -1)
      frameLength = total >= 0 ? total : nil
    }
    startAnew(at: 0)
  }

  private func close() {
    if isOpen { ov_clear(file) }
    isOpen = false
  }

  /// Starts again at frame 0, seekable where that is possible now.
  private func reopen() throws(DecoderError) {
    close()
    cursor = SourceCursor(cursor.source, origin: cursor.origin)
    try open()
  }

  /// Decodes until there is something; false at the end.
  private func decodeNext() throws(DecoderError) -> Bool {
    while pending.count == 0, !isPastEnd {
      var planes: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>?
      var link: Int32 = 0
      let count = ov_read_float(file, &planes, 4096, &link)
      try cursor.rethrow()
      switch count {
      case 1...:
        if let planes { take(count, planes, link) }
      case 0:
        return false
      case Int(OV_HOLE):
        hasHole = true
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
    let ahead = behind - FrameCount(count) - decoded
    if link != self.link {
      self.link = link
      fold = ChannelMapping(channels: Int(ov_info(file, -1)?.pointee.channels ?? 2), order: .vorbis)
      if !isSeekable {
        // A stream's positions start anew with each link, anywhere.
        skew = ahead
        hasHole = false
      }
    }
    var lost: FrameCount = isSeekable || hasHole ? ahead - skew : 0
    if lost != 0 { hasHole = false }
    if let frameLength, decoded + lost > frameLength { lost = 0 }
    if lost > 0 { pending.appendSilence(Int(lost)) }
    pending.append(count) { output in
      fold.fold(planar: planes, frames: count, into: output)
    }
    if lost < 0 { pending.drop(Int(min(-lost, FrameCount(count)))) }
    decoded += FrameCount(pending.count)
    if !isSeekable { skew = behind - decoded }
  }
}

private func cursor(_ context: UnsafeMutableRawPointer?) -> SourceCursor? {
  context.map { Unmanaged<SourceCursor>.fromOpaque($0).takeUnretainedValue() }
}

private func onRead(
  buffer: UnsafeMutableRawPointer?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
  guard let cursor = cursor(context), size > 0 else { return 0 }
  // The library takes 0 with an errno of old for an error.
  errno = 0
  return cursor.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count)) / size
}

private func onSeek(
  context: UnsafeMutableRawPointer?, offset: ogg_int64_t, whence: Int32
) -> Int32 {
  cursor(context)?.seek(by: offset, from: whence) == true ? 0 : -1
}

private func onTell(context: UnsafeMutableRawPointer?) -> Int {
  Int(cursor(context)?.position ?? -1)
}
