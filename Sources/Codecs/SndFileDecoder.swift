#if SndFile
  import CSndFile
  import PCM

  /// WAV and AIFF by libsndfile.
  final class SndFileDecoder: FileDecoder {
    /// While a download grows, chunks are looked for up to here: the ones behind the audio can wait.
    private static let horizon: Int64 = 1 << 20

    private let handle: OpaquePointer
    private let cursor: SourceCursor
    private let fold: ChannelMapping
    private var scratch: [Float]
    private var isPastEnd = false

    let codec: String
    let sampleRate: Int
    let frameLength: FrameCount?
    var channels: Int { fold.channels }

    /// Opens a WAV or AIFF file.
    ///
    /// - Parameters:
    ///   - source: the file.
    ///   - origin: where its header is.
    ///   - codec: its name.
    /// - Throws: `DecoderError` when the library refuses it.
    init(_ source: any ByteSource, at origin: Int64, codec: String) throws(DecoderError) {
      let cursor = SourceCursor(source, origin: origin)
      if !source.isComplete { cursor.horizon = Self.horizon }
      var callbacks = SF_VIRTUAL_IO(
        get_filelen: onLength, seek: onSeek, read: onRead, write: nil, tell: onTell)
      var info = SF_INFO()
      let handle = sf_open_virtual(
        &callbacks, Int32(SFM_READ), &info, Unmanaged.passUnretained(cursor).toOpaque())
      cursor.horizon = nil
      try cursor.rethrow()
      guard let handle else {
        throw .corrupt(codec: codec, detail: String(cString: sf_strerror(nil)))
      }
      self.handle = handle
      self.cursor = cursor
      self.codec = codec
      sampleRate = Int(info.samplerate)
      frameLength = max(0, info.frames)
      fold = ChannelMapping(channels: max(1, Int(info.channels)), order: .wave)
      scratch = [Float](repeating: 0, count: 2048 * fold.channels)
    }

    deinit {
      sf_close(handle)
    }

    var tags: TrackTags {
      var tags = TrackTags()
      for (name, kind) in [
        ("TITLE", SF_STR_TITLE), ("ARTIST", SF_STR_ARTIST), ("ALBUM", SF_STR_ALBUM),
      ] {
        if let text = sf_get_string(handle, Int32(kind)) {
          tags.take(name: name, value: String(cString: text))
        }
      }
      return tags
    }

    func read(into block: inout MutableSpan<Float>) throws(DecoderError) -> Int {
      let wanted = block.count / stereo
      var written = 0
      while written < wanted, !isPastEnd {
        let room = min(wanted - written, scratch.count / fold.channels)
        let count = Int(sf_readf_float(handle, &scratch, sf_count_t(room)))
        try cursor.rethrow()
        if count <= 0 { break }
        block.withUnsafeMutableBufferPointer { target in
          guard let base = target.baseAddress else { return }
          fold.fold(interleaved: scratch, frames: count, into: base + stereo * written)
        }
        written += count
      }
      return written
    }

    func seek(to target: FrameCount) throws(DecoderError) {
      let frame = max(0, target)
      isPastEnd = frameLength.map { frame >= $0 } ?? false
      if isPastEnd { return }
      let reached = sf_seek(handle, frame, SEEK_SET)
      try cursor.rethrow()
      guard reached == frame else {
        throw .corrupt(codec: codec, detail: String(cString: sf_strerror(handle)))
      }
    }
  }

  private func onLength(context: UnsafeMutableRawPointer?) -> sf_count_t {
    SourceCursor.lent(context)?.length ?? sf_count_t.max / 2
  }

  private func onSeek(
    offset: sf_count_t, whence: Int32, context: UnsafeMutableRawPointer?
  ) -> sf_count_t {
    guard let cursor = SourceCursor.lent(context), cursor.seek(by: offset, from: whence) else {
      return -1
    }
    return cursor.position
  }

  private func onRead(
    buffer: UnsafeMutableRawPointer?, count: sf_count_t, context: UnsafeMutableRawPointer?
  ) -> sf_count_t {
    guard let cursor = SourceCursor.lent(context), count > 0 else { return 0 }
    let bytes = UnsafeMutableRawBufferPointer(start: buffer, count: Int(count))
    return sf_count_t(cursor.fill(bytes))
  }

  private func onTell(context: UnsafeMutableRawPointer?) -> sf_count_t {
    SourceCursor.lent(context)?.position ?? -1
  }
#endif
