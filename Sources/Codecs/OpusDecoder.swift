#if Opus
  import COpusFile
  import PCM

  /// Ogg Opus, also chained, by libopusfile; always 48,000 Hz.
  ///
  /// The library trims the encoder's delay, applies the header's gain and mixes down to stereo. As
  /// with Vorbis a growing download is opened as a stream. After a seek the decoder's filters need a
  /// while to come to what decoding from the start gives: more than the 80 ms of the standard is
  /// decoded ahead.
  final class OpusDecoder: ForwardDecoder {
    private static let headerAllowance: Int64 = 64 << 20
    /// Frames decoded ahead of the wanted one.
    private static let preroll: FrameCount = 48_000
    private static let longestGap: FrameCount = 600 * 48_000

    private var file: OpaquePointer
    private var cursor: SourceCursor
    private var isSeekable = false
    var pending = FrameBuffer()
    private(set) var decoded: FrameCount = 0
    /// What the library's position is ahead of ours by; 0 in a seekable file.
    private var skew: FrameCount = 0
    private var hasHole = false
    private var link: Int32 = 0
    private var isPastEnd = false

    let codec = "opus"
    let sampleRate = 48_000
    private(set) var channels = 2
    private(set) var frameLength: FrameCount?

    /// Opens an Ogg Opus file.
    ///
    /// - Parameters:
    ///   - source: the file.
    ///   - origin: where its first page is.
    /// - Throws: `DecoderError` when the library refuses it.
    init(_ source: any ByteSource, at origin: Int64) throws(DecoderError) {
      cursor = SourceCursor(source, origin: origin)
      (file, isSeekable) = try Self.open(cursor, seekable: source.isComplete)
      begin()
      channels = Int(op_channel_count(file, 0))
    }

    deinit {
      op_free(file)
    }

    var tags: TrackTags {
      guard let comment = op_tags(file, 0)?.pointee else { return TrackTags() }
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
        let start = max(0, frame - Self.preroll)
        startAnew(at: start)
        let code = op_pcm_seek(file, start)
        try cursor.rethrow()
        if code != 0 { try reopen(seekable: cursor.source.isComplete) }
      } else if frame < decoded {
        try reopen(seekable: false)
      }
      try decode(to: frame)
    }

    private func startAnew(at frame: FrameCount) {
      decoded = frame
      skew = 0
      hasHole = false
      link = -1
    }

    private static func open(
      _ cursor: SourceCursor, seekable: Bool
    ) throws(DecoderError) -> (file: OpaquePointer, isSeekable: Bool) {
      let isSeekable = seekable && cursor.length != nil
      var callbacks = OpusFileCallbacks(
        read: onRead, seek: isSeekable ? onSeek : nil, tell: isSeekable ? onTell : nil, close: nil)
      var code: Int32 = 0
      cursor.allowance = headerAllowance
      let file = op_open_callbacks(
        Unmanaged.passUnretained(cursor).toOpaque(), &callbacks, nil, 0, &code)
      cursor.allowance = nil
      do {
        try cursor.rethrow()
      } catch {
        if let file { op_free(file) }
        throw error
      }
      guard let file else { throw .corrupt(codec: "opus", detail: "opusfile \(code)") }
      return (file, isSeekable)
    }

    /// Stands at frame 0 of a file just opened.
    private func begin() {
      let total = isSeekable ? op_pcm_total(file, -1) : -1
      frameLength = total >= 0 ? total : nil
      startAnew(at: 0)
    }

    /// Starts again at frame 0.
    private func reopen(seekable: Bool) throws(DecoderError) {
      let anew = SourceCursor(cursor.source, origin: cursor.origin)
      let opened = try Self.open(anew, seekable: seekable)
      op_free(file)
      cursor = anew
      (file, isSeekable) = opened
      begin()
    }

    func decodeNext() throws(DecoderError) -> Bool {
      while pending.count == 0, !isPastEnd {
        let count = try decode()
        if count == 0 { return false }
        if count > 0 { settle(count) } else { hasHole = true }
      }
      return pending.count > 0
    }

    /// Decodes a packet into `pending`.
    ///
    /// - Returns: the frames decoded, 0 at the end, below 0 where data is missing.
    private func decode() throws(DecoderError) -> Int {
      // The longest packet lasts 120 ms.
      let room = 5760
      var count: Int32 = 0
      let file = file
      pending.append(room) { output in
        count = op_read_float_stereo(file, output, Int32(stereo * room))
      }
      pending.keep(max(0, Int(count)))
      try cursor.rethrow()
      let failures = [OP_EREAD, OP_EFAULT, OP_EIMPL, OP_EINVAL, OP_EBADLINK]
      if failures.contains(count) {
        throw .corrupt(codec: codec, detail: "opusfile \(count)")
      }
      return Int(count)
    }

    /// Puts the frames just decoded on the timeline.
    private func settle(_ count: Int) {
      let behind = op_pcm_tell(file)
      let link = op_current_link(file)
      let ahead = behind - FrameCount(count) - decoded
      if link != self.link {
        self.link = link
        if !isSeekable {
          skew = ahead
          hasHole = false
        }
      }
      var lost = isSeekable || hasHole ? ahead - skew : 0
      let longest = frameLength.map { $0 - decoded } ?? Self.longestGap
      if lost > longest { lost = 0 }
      if lost != 0 { hasHole = false }
      if lost > 0 { pending.prependSilence(Int(lost)) }
      if lost < 0 { pending.drop(Int(min(-lost, FrameCount(count)))) }
      decoded += FrameCount(pending.count)
      if !isSeekable { skew = behind - decoded }
    }
  }

  private func onRead(
    context: UnsafeMutableRawPointer?, buffer: UnsafeMutablePointer<UInt8>?, count: Int32
  ) -> Int32 {
    guard let cursor = SourceCursor.lent(context), count > 0 else { return 0 }
    let read = cursor.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(count)))
    return read == 0 && cursor.isBroken ? -1 : Int32(read)
  }

  private func onSeek(
    context: UnsafeMutableRawPointer?, offset: opus_int64, whence: Int32
  ) -> Int32 {
    SourceCursor.lent(context)?.seek(by: offset, from: whence) == true ? 0 : -1
  }

  private func onTell(context: UnsafeMutableRawPointer?) -> opus_int64 {
    SourceCursor.lent(context)?.position ?? -1
  }
#endif
