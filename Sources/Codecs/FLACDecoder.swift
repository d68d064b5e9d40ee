import CFLAC
import PCM

/// FLAC, plain or in Ogg, by libFLAC.
///
/// Every FLAC frame carries its sample number: a seek is checked against it, and broken frames become
/// silence up to the next good one's number. Where the library can't seek (a download that gives no
/// parts, a target among broken frames) the stream is decoded forward, from the start if need be.
final class FLACDecoder: ForwardDecoder {
  /// The longest gap believed where the file doesn't tell its length, in seconds.
  private static let longestGap = 600

  private let handle: UnsafeMutablePointer<FLAC__StreamDecoder>
  private let cursor: SourceCursor
  var pending = FrameBuffer()
  private var fold = ChannelMapping(channels: 2, order: .wave)
  private(set) var decoded: FrameCount = 0
  /// The sample number of frame 0, once it is known; not 0 where a stream was cut.
  private var first: FrameCount?
  private var total: FrameCount = 0

  /// The frame that the library came back with last.
  private var landed: FrameCount = 0
  /// Whether a seek went past the end.
  private var isPastEnd = false

  private(set) var tags = TrackTags()
  private(set) var sampleRate = 0
  private(set) var channels = 0
  let codec = "flac"
  var frameLength: FrameCount? { total > 0 ? total : nil }

  /// Opens a FLAC stream.
  ///
  /// - Parameters:
  ///   - source: the file.
  ///   - origin: where it starts: at `fLaC` or at the first Ogg page.
  ///   - isOgg: whether it is wrapped in Ogg.
  /// - Throws: `DecoderError` when the library refuses it or finds no frame.
  init(_ source: any ByteSource, at origin: Int64, isOgg: Bool) throws(DecoderError) {
    guard let handle = FLAC__stream_decoder_new() else {
      throw .corrupt(codec: "flac", detail: "out of memory")
    }
    self.handle = handle
    cursor = SourceCursor(source, origin: origin)
    FLAC__stream_decoder_set_metadata_respond(handle, FLAC__METADATA_TYPE_VORBIS_COMMENT)
    let open = isOgg ? FLAC__stream_decoder_init_ogg_stream : FLAC__stream_decoder_init_stream
    let status = open(
      handle, onRead, onSeek, onTell, onLength, onEnd, onFrame, onMetadata, onError,
      Unmanaged.passUnretained(self).toOpaque())
    guard status == FLAC__STREAM_DECODER_INIT_STATUS_OK else {
      throw .corrupt(codec: "flac", detail: "init status \(status.rawValue)")
    }
    FLAC__stream_decoder_process_until_end_of_metadata(handle)
    try cursor.rethrow()
    if isOgg, total == 0 {
      total = try reading { () throws(ByteSourceError) in
        var window = ByteWindow(source)
        return try OggPage.lastGranule(in: &window) ?? 0
      }
    }
    guard sampleRate > 0, try decodeNext() else {
      throw .corrupt(codec: "flac", detail: state)
    }
  }

  deinit {
    FLAC__stream_decoder_delete(handle)
  }

  private var state: String {
    String(cString: FLAC__stream_decoder_get_resolved_state_string(handle))
  }

  func seek(to target: FrameCount) throws(DecoderError) {
    let frame = max(0, target)
    isPastEnd = frameLength.map { frame >= $0 } ?? false
    let reached = decoded - FrameCount(pending.count)
    if !isPastEnd, frame >= reached, frame < decoded {
      pending.drop(Int(frame - reached))
      return
    }
    pending.removeAll()
    if isPastEnd { return }
    if cursor.source.isWorthAJump(from: decoded, to: frame, rate: sampleRate) {
      if try jump(to: frame) { return }
      try rewind()
    } else if frame < decoded {
      try rewind()
    }
    try decode(to: frame)
  }

  /// Seeks by the library; false where it doesn't find the frame.
  private func jump(to frame: FrameCount) throws(DecoderError) -> Bool {
    decoded = frame
    let sample = FLAC__uint64(frame + (first ?? 0))
    let isThere = FLAC__stream_decoder_seek_absolute(handle, sample) != 0
    try cursor.rethrow()
    if isThere, landed == frame, pending.count > 0 { return true }
    FLAC__stream_decoder_flush(handle)
    return false
  }

  /// Starts again at frame 0.
  private func rewind() throws(DecoderError) {
    pending.removeAll()
    decoded = 0
    _ = cursor.seek(by: 0, from: 0)
    FLAC__stream_decoder_reset(handle)
    FLAC__stream_decoder_process_until_end_of_metadata(handle)
    try cursor.rethrow()
  }

  func decodeNext() throws(DecoderError) -> Bool {
    while pending.count == 0, !isPastEnd {
      let isGoing = FLAC__stream_decoder_process_single(handle) != 0
      try cursor.rethrow()
      let state = FLAC__stream_decoder_get_state(handle)
      if !isGoing || state.rawValue >= FLAC__STREAM_DECODER_END_OF_STREAM.rawValue { break }
    }
    return pending.count > 0
  }

  /// Takes a decoded block: what lies in front of the timeline is dropped, what is missing is
  /// silence.
  fileprivate func take(_ header: FLAC__FrameHeader, _ planes: UnsafePointer<UnsafePointer<Int32>?>)
  {
    let count = FrameCount(header.blocksize)
    let sample = FrameCount(clamping: header.number.sample_number)
    let origin = first ?? (total > 0 && sample < total ? 0 : sample)
    first = origin
    landed = sample - origin
    let gap = landed - decoded
    let before = pending.count
    let isBelievable =
      total > 0 ? sample < total + origin : gap <= FrameCount(Self.longestGap * sampleRate)
    if gap > 0 {
      if isBelievable { pending.appendSilence(Int(gap)) } else { first = origin + gap }
    }
    if fold.channels != Int(header.channels) {
      fold = ChannelMapping(channels: Int(header.channels), order: .wave)
    }
    // The library may call several times for one step: it fills short gaps with silence itself.
    let skipped = min(count, max(0, -gap))
    pending.append(Int(count), skipping: Int(skipped)) { output in
      fold.fold(
        planar: planes, bits: Int(header.bits_per_sample), frames: Int(count), into: output)
    }
    decoded += FrameCount(pending.count - before)
  }

  fileprivate func take(_ metadata: FLAC__StreamMetadata) {
    switch metadata.type {
    case FLAC__METADATA_TYPE_STREAMINFO:
      let info = metadata.data.stream_info
      sampleRate = Int(info.sample_rate)
      channels = Int(info.channels)
      total = FrameCount(clamping: info.total_samples)
    case FLAC__METADATA_TYPE_VORBIS_COMMENT:
      let comment = metadata.data.vorbis_comment
      for index in 0..<Int(comment.num_comments) {
        let entry = comment.comments[index]
        let bytes = UnsafeBufferPointer(start: entry.entry, count: Int(entry.length))
        tags.take(comment: String(decoding: bytes, as: UTF8.self))
      }
    default: break
    }
  }

  fileprivate func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = cursor.read(into: buffer)
    isAtEnd = count == 0
    return count
  }

  fileprivate func seekBytes(to offset: UInt64) -> Bool {
    isAtEnd = false
    return cursor.seek(by: Int64(clamping: offset), from: 0)
  }

  fileprivate var bytePosition: Int64 { cursor.position }
  fileprivate var byteCount: Int64? { cursor.length }
  fileprivate private(set) var isAtEnd = false
}

private func decoder(_ context: UnsafeMutableRawPointer?) -> FLACDecoder? {
  context.map { Unmanaged<FLACDecoder>.fromOpaque($0).takeUnretainedValue() }
}

private func onRead(
  _: UnsafePointer<FLAC__StreamDecoder>?, buffer: UnsafeMutablePointer<FLAC__byte>?,
  count: UnsafeMutablePointer<Int>?, context: UnsafeMutableRawPointer?
) -> FLAC__StreamDecoderReadStatus {
  guard let decoder = decoder(context), let count else {
    return FLAC__STREAM_DECODER_READ_STATUS_ABORT
  }
  count.pointee = decoder.read(
    into: UnsafeMutableRawBufferPointer(start: buffer, count: count.pointee))
  return count.pointee == 0
    ? FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM : FLAC__STREAM_DECODER_READ_STATUS_CONTINUE
}

private func onSeek(
  _: UnsafePointer<FLAC__StreamDecoder>?, offset: FLAC__uint64, context: UnsafeMutableRawPointer?
) -> FLAC__StreamDecoderSeekStatus {
  decoder(context)?.seekBytes(to: offset) == true
    ? FLAC__STREAM_DECODER_SEEK_STATUS_OK : FLAC__STREAM_DECODER_SEEK_STATUS_ERROR
}

private func onTell(
  _: UnsafePointer<FLAC__StreamDecoder>?, offset: UnsafeMutablePointer<FLAC__uint64>?,
  context: UnsafeMutableRawPointer?
) -> FLAC__StreamDecoderTellStatus {
  guard let decoder = decoder(context) else { return FLAC__STREAM_DECODER_TELL_STATUS_ERROR }
  offset?.pointee = FLAC__uint64(decoder.bytePosition)
  return FLAC__STREAM_DECODER_TELL_STATUS_OK
}

private func onLength(
  _: UnsafePointer<FLAC__StreamDecoder>?, length: UnsafeMutablePointer<FLAC__uint64>?,
  context: UnsafeMutableRawPointer?
) -> FLAC__StreamDecoderLengthStatus {
  guard let count = decoder(context)?.byteCount else {
    return FLAC__STREAM_DECODER_LENGTH_STATUS_UNSUPPORTED
  }
  length?.pointee = FLAC__uint64(count)
  return FLAC__STREAM_DECODER_LENGTH_STATUS_OK
}

private func onEnd(
  _: UnsafePointer<FLAC__StreamDecoder>?, context: UnsafeMutableRawPointer?
) -> FLAC__bool {
  decoder(context)?.isAtEnd == false ? 0 : 1
}

private func onFrame(
  _: UnsafePointer<FLAC__StreamDecoder>?, frame: UnsafePointer<FLAC__Frame>?,
  planes: UnsafePointer<UnsafePointer<FLAC__int32>?>?, context: UnsafeMutableRawPointer?
) -> FLAC__StreamDecoderWriteStatus {
  guard let frame, let planes else { return FLAC__STREAM_DECODER_WRITE_STATUS_ABORT }
  decoder(context)?.take(frame.pointee.header, planes)
  return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE
}

private func onMetadata(
  _: UnsafePointer<FLAC__StreamDecoder>?, metadata: UnsafePointer<FLAC__StreamMetadata>?,
  context: UnsafeMutableRawPointer?
) {
  if let metadata { decoder(context)?.take(metadata.pointee) }
}

/// Broken data shows in the next good frame's number; there is nothing to do here.
private func onError(
  _: UnsafePointer<FLAC__StreamDecoder>?, _: FLAC__StreamDecoderErrorStatus,
  _: UnsafeMutableRawPointer?
) {}
