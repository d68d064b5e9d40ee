/// What the bytes of a track are: the content decides, never a file name or a Content-Type.
enum TrackFormat: Equatable {
  case mp3
  case vorbis
  case opus
  case flac
  case oggFLAC
  /// RIFF, RIFX or RF64 WAVE.
  case wav
  /// FORM AIFF or AIFC.
  case aiff
  /// Something else, with its name where it is known.
  case other(String?)

  /// How far into a file the first mp3 frame is looked for, in bytes.
  private static let mp3SearchLength: Int64 = 65536

  /// Names the format of what starts at `origin`.
  ///
  /// - Parameters:
  ///   - window: a view of the source.
  ///   - origin: the first byte behind the leading ID3v2 tags.
  /// - Returns: the format and the offset its first byte has: `origin`, but for an mp3 with junk in
  ///   front.
  /// - Throws: `ByteSourceError` when the source fails.
  static func sniff(
    _ window: inout ByteWindow, origin: Int64
  ) throws(ByteSourceError) -> (format: Self, offset: Int64) {
    let head = Array(try window.view(at: origin, count: 512))
    if let format = byMagic(head[...]) { return (format, origin) }
    if let name = foreignName(head[...]) { return (.other(name), origin) }
    if let offset = try firstMP3Frame(in: &window, from: origin) { return (.mp3, offset) }
    return (.other(proseName(head[...])), origin)
  }

  private static func byMagic(_ head: ArraySlice<UInt8>) -> Self? {
    if head.starts(with: "fLaC") { return .flac }
    if head.starts(with: "OggS") { return byFirstPacket(OggPage.firstPacket(head)) }
    let form = head.dropFirst(8)
    if head.starts(with: "RIFF") || head.starts(with: "RIFX") || head.starts(with: "RF64") {
      return form.starts(with: "WAVE") ? .wav : .other("riff")
    }
    if head.starts(with: "FORM") {
      return form.starts(with: "AIFF") || form.starts(with: "AIFC") ? .aiff : .other("iff")
    }
    return nil
  }

  private static func byFirstPacket(_ packet: ArraySlice<UInt8>) -> Self {
    if packet.starts(with: "\u{1}vorbis") { return .vorbis }
    if packet.starts(with: "OpusHead") { return .opus }
    if packet.starts(with: "\u{7f}FLAC") { return .oggFLAC }
    if packet.starts(with: "Speex   ") { return .other("speex") }
    if packet.dropFirst().starts(with: "theora") { return .other("theora") }
    return .other("ogg")
  }

  /// An offset where frames of one stream follow each other: two at the very start, three after junk
  /// (taggers leave zeros; noise has headers by chance).
  private static func firstMP3Frame(
    in window: inout ByteWindow, from origin: Int64
  ) throws(ByteSourceError) -> Int64? {
    if try MPEGFrames.isStart(in: &window, at: origin, frames: 2) { return origin }
    var offset = origin
    while let sync = try MPEGFrames.nextSync(in: &window, from: offset),
      sync < origin + mp3SearchLength
    {
      if try MPEGFrames.isStart(in: &window, at: sync, frames: 3) { return sync }
      offset = sync + 1
    }
    return nil
  }

  /// The names of formats that other programs write.
  private static func foreignName(_ head: ArraySlice<UInt8>) -> String? {
    if head.dropFirst(4).starts(with: "ftyp") {
      let brand = head.dropFirst(8)
      if brand.starts(with: "M4A") || brand.starts(with: "M4B") { return "m4a" }
      return brand.starts(with: "qt  ") ? "mov" : "mp4"
    }
    if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
      let doctype = Array(head.prefix(128))
      let webm = Array("webm".utf8)
      return doctype.indices.contains { doctype[$0...].starts(with: webm) } ? "webm" : "matroska"
    }
    if isADTS(head) || head.starts(with: "ADIF") { return "aac" }
    return signatures.first { head.starts(with: $0.bytes) }?.name
  }

  /// ADTS has mp3's sync word with layer 0, and its own length field.
  private static func isADTS(_ head: ArraySlice<UInt8>) -> Bool {
    func length(_ bytes: ArraySlice<UInt8>) -> Int? {
      let word = bytes.bigEndian(7)
      guard bytes.count >= 7, word >> 44 == 0xFFF, word >> 41 & 3 == 0 else { return nil }
      let length = Int(word >> 13 & 0x1FFF)
      return length >= 7 ? length : nil
    }
    guard let first = length(head) else { return false }
    return head.count < first + 7 || length(head.dropFirst(first)) != nil
  }

  private static let signatures: [(bytes: [UInt8], name: String)] = [
    ([0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11], "wma"),
    (Array("MAC ".utf8), "ape"),
    (Array("wvpk".utf8), "wavpack"),
    (Array("MPCK".utf8), "musepack"),
    (Array("MP+".utf8), "musepack"),
    (Array("TTA1".utf8), "tta"),
    (Array("DSD ".utf8), "dsf"),
    (Array("FRM8".utf8), "dff"),
    (Array("caff".utf8), "caf"),
    (Array(".snd".utf8), "au"),
    (Array(".RMF".utf8), "realmedia"),
    (Array("MThd".utf8), "midi"),
    (Array("#!AMR".utf8), "amr"),
    (Array("FLV\u{1}".utf8), "flv"),
    (Array("PK\u{3}\u{4}".utf8), "zip"),
    ([0x1F, 0x8B], "gzip"),
    (Array("%PDF".utf8), "pdf"),
    ([0x89, 0x50, 0x4E, 0x47], "png"),
    ([0xFF, 0xD8, 0xFF], "jpeg"),
    (Array("GIF8".utf8), "gif"),
    ([0x7F, 0x45, 0x4C, 0x46], "elf"),
  ]

  /// The name of what is text, or empty; nil for bytes nobody knows.
  private static func proseName(_ head: ArraySlice<UInt8>) -> String? {
    if head.isEmpty { return "empty" }
    var text = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head.dropFirst(3) : head
    text = text.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
    let isText = text.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }
    guard isText else { return nil }
    let lowered = text.prefix(64).map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    if lowered.starts(with: "<!doctype html") || lowered.starts(with: "<html") { return "html" }
    if lowered.starts(with: "<") { return "xml" }
    if lowered.starts(with: "{") || lowered.starts(with: "[") { return "json" }
    // A last byte above 0x7F may be a character cut in half; a first one can't tell.
    return String(validating: text.dropLast(min(3, text.count - 1)), as: UTF8.self) == nil
      && text.contains { $0 >= 0x80 } ? nil : "text"
  }
}
