/// The four bytes in front of every MPEG audio frame.
struct MPEGFrameHeader: Equatable {
  enum Version: Int {
    case mpeg25 = 0
    case mpeg2 = 2
    case mpeg1 = 3
  }

  var version: Version
  /// 1, 2 or 3.
  var layer: Int
  /// Bits a second.
  var bitrate: Int
  /// Hz.
  var sampleRate: Int
  /// 1 or 2.
  var channels: Int
  private var isPadded: Bool

  /// Reads a header; nil where these bytes are none (or a free-format one, whose length nothing
  /// tells).
  init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count >= 4 else { return nil }
    let word = Int(bytes.bigEndian(4))
    guard word >> 21 == 0x7FF, let version = Version(rawValue: word >> 19 & 3) else { return nil }
    let layer = 4 - (word >> 17 & 3)
    let rateIndex = word >> 10 & 3
    let bitrateIndex = word >> 12 & 15
    // Emphasis 2 is reserved: one more chance to tell noise from a header.
    guard layer != 4, rateIndex != 3, bitrateIndex != 0, bitrateIndex != 15, word & 3 != 2 else {
      return nil
    }
    self.version = version
    self.layer = layer
    bitrate = Self.bitrates(version, layer)[bitrateIndex - 1] * 1000
    let rate = [44100, 48000, 32000][rateIndex]
    sampleRate = version == .mpeg1 ? rate : version == .mpeg2 ? rate / 2 : rate / 4
    channels = word >> 6 & 3 == 3 ? 1 : 2
    isPadded = word >> 9 & 1 == 1
  }

  /// The number of bytes from this header to the next.
  var byteCount: Int {
    let padding = isPadded ? 1 : 0
    return layer == 1
      ? (12 * bitrate / sampleRate + padding) * 4
      : samplesPerFrame / 8 * bitrate / sampleRate + padding
  }

  /// The mean of `byteCount` over a stretch of constant bitrate, padding included.
  var meanByteCount: Double {
    Double(samplesPerFrame / 8 * bitrate) / Double(sampleRate)
  }

  /// The number of frames (samples a channel) it decodes to.
  var samplesPerFrame: Int {
    switch layer {
    case 1: 384
    case 2: 1152
    default: version == .mpeg1 ? 1152 : 576
    }
  }

  /// Where a Xing or Info tag would be, in bytes from the start of the frame.
  var tagOffset: Int {
    switch (version, channels) {
    case (.mpeg1, 2): 36
    case (.mpeg1, _), (_, 2): 21
    default: 13
    }
  }

  /// Whether the other may follow in the same stream (bitrate and channel mode may change).
  func isCompatible(with other: Self) -> Bool {
    version == other.version && layer == other.layer && sampleRate == other.sampleRate
  }

  private static func bitrates(_ version: Version, _ layer: Int) -> [Int] {
    switch (version, layer) {
    case (.mpeg1, 1): [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448]
    case (.mpeg1, 2): [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384]
    case (.mpeg1, _): [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    case (_, 1): [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256]
    default: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
    }
  }
}

/// What the first frame of an mp3 file may say of the rest: the Xing (VBR) or Info (CBR) tag, with
/// LAME's count of padding samples.
struct XingTag: Equatable {
  /// The number of frames after the tag's own.
  var frameCount: Int?
  /// Whether the tag says that all frames have one bitrate.
  var isConstant: Bool
  /// Samples the encoder put in front of the audio, without the decoder's own delay.
  var delay: Int?
  /// Samples the encoder put behind the audio.
  var padding: Int?

  /// Reads the tag from a whole frame; nil where there is none.
  init?(header: MPEGFrameHeader, frame: ArraySlice<UInt8>) {
    let body = frame.dropFirst(header.tagOffset)
    guard header.layer == 3, body.count >= 8,
      body.starts(with: "Xing") || body.starts(with: "Info"),
      // Between the checksum and a tag there are only zeros: a frame with sound is no tag.
      frame.dropFirst(6).prefix(header.tagOffset - 6).allSatisfy({ $0 == 0 })
    else { return nil }
    isConstant = body.starts(with: "Info")
    let flags = body.dropFirst(4).bigEndian(4)
    var rest = body.dropFirst(8)
    if flags & 1 != 0 {
      let count = Int(rest.bigEndian(4))
      frameCount = rest.count >= 4 && count > 0 ? count : nil
      rest = rest.dropFirst(4)
    }
    if flags & 2 != 0 { rest = rest.dropFirst(4) }
    if flags & 4 != 0 { rest = rest.dropFirst(100) }
    if flags & 8 != 0 { rest = rest.dropFirst(4) }
    guard rest.count >= 24, let first = rest.first, first != 0 else { return }
    let counts = Int(rest.dropFirst(21).bigEndian(3))
    delay = counts >> 12
    padding = counts & 0xFFF
  }
}
