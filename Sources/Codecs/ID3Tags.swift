/// Reads title, artist, album and ReplayGain from ID3 tags.
///
/// Only the texts wanted are read: pictures are stepped over.
enum ID3Tags {
  private static let longestText = 65536
  private static let mostFrames = 4096
  /// As much of a tag is restored that hides its sync words (ID3v2.3 and older).
  private static let longestHidden: Int64 = 1 << 20

  /// Reads all ID3v2 tags at the start and the ID3v1 tag at the end of a complete source.
  static func read(from source: any ByteSource) throws(ByteSourceError) -> TrackTags {
    var window = ByteWindow(source)
    var tags = TrackTags()
    var offset: Int64 = 0
    while let length = EmbeddedTag.id3v2(try window.view(at: offset, count: 10)) {
      try readVersion2(&window, at: offset, end: offset + length, into: &tags)
      offset += length
    }
    if let length = source.length, length >= 128 {
      tags = tags.completed(by: version1(try window.view(at: length - 128, count: 128)))
    }
    return tags
  }

  private static func readVersion2(
    _ window: inout ByteWindow, at start: Int64, end: Int64, into tags: inout TrackTags
  ) throws(ByteSourceError) {
    let head = Array(try window.view(at: start, count: 20))
    guard head.count == 20 else { return }
    let version = head[3]
    let flags = head[5]
    guard (2...4).contains(version) else { return }
    if version < 4, flags & 0x80 != 0 {
      let count = Int(min(end - start - 10, longestHidden))
      let shown = restore(try window.view(at: start + 10, count: count))
      var copy = ByteWindow(BytesInMemory(shown))
      let skip = extendedHeader(version, flags, shown[...])
      try readFrames(&copy, version, at: skip, end: Int64(shown.count), into: &tags)
    } else {
      let skip = extendedHeader(version, flags, head[10...])
      try readFrames(&window, version, at: start + 10 + skip, end: end, into: &tags)
    }
  }

  private static func extendedHeader(
    _ version: UInt8, _ flags: UInt8, _ bytes: ArraySlice<UInt8>
  ) -> Int64 {
    guard flags & 0x40 != 0, version > 2, bytes.count >= 4 else { return 0 }
    return version == 3 ? 4 + Int64(bytes.bigEndian(4)) : Int64(syncSafe(bytes.prefix(4)))
  }

  private static func readFrames(
    _ window: inout ByteWindow, _ version: UInt8, at start: Int64, end: Int64,
    into tags: inout TrackTags
  ) throws(ByteSourceError) {
    let idLength = version == 2 ? 3 : 4
    let headLength = version == 2 ? 6 : 10
    var offset = start
    for _ in 0..<mostFrames where offset + Int64(headLength) < end {
      let head = Array(try window.view(at: offset, count: headLength))
      guard head.count == headLength, let first = head.first, first != 0 else { return }
      let id = String(decoding: head[..<idLength], as: UTF8.self)
      let digits = head[idLength...].prefix(idLength)
      let size = version == 4 ? syncSafe(digits) : Int(digits.bigEndian(idLength))
      let flags = version == 2 ? 0 : head[9]
      let body = offset + Int64(headLength)
      // Compressed and encrypted frames (other bits in 2.3 and 2.4) are left alone.
      let isPlain = flags & (version == 3 ? 0xC0 : 0x0C) == 0
      if id.hasPrefix("T"), isPlain, size > 1, size <= longestText, body + Int64(size) <= end {
        var text = try window.view(at: body, count: size)
        if version == 4, flags & 1 != 0 { text = text.dropFirst(4) }
        if version == 4, flags & 2 != 0 { text = restore(text)[...] }
        take(id, values(text), into: &tags)
      }
      offset = body + Int64(size)
    }
  }

  private static func take(_ id: String, _ values: [String], into tags: inout TrackTags) {
    guard let first = values.first else { return }
    switch id {
    case "TIT2", "TT2": tags.take(name: "TITLE", value: first)
    case "TPE1", "TP1": tags.take(name: "ARTIST", value: first)
    case "TALB", "TAL": tags.take(name: "ALBUM", value: first)
    case "TXXX", "TXX": if values.count > 1 { tags.take(name: first, value: values[1]) }
    default: break
    }
  }

  /// The texts of a frame: an encoding, then texts with zeros between them.
  private static func values(_ bytes: ArraySlice<UInt8>) -> [String] {
    guard let encoding = bytes.first else { return [] }
    let text = bytes.dropFirst()
    switch encoding {
    case 0: return text.split(separator: 0, omittingEmptySubsequences: false).map(latin1)
    case 1, 2: return wideTexts(text)
    default:
      return text.split(separator: 0, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
    }
  }

  private static func wideTexts(_ bytes: ArraySlice<UInt8>) -> [String] {
    var units: [UInt16] = []
    var isLittle = false
    var rest = bytes
    while rest.count >= 2 {
      let unit = UInt16(rest.bigEndian(2))
      rest = rest.dropFirst(2)
      // A byte order mark stands at the start of each text and holds for those behind it.
      if unit == 0xFFFE {
        isLittle = true
      } else if unit == 0xFEFF {
        isLittle = false
      } else {
        units.append(isLittle ? unit.byteSwapped : unit)
      }
    }
    return units.split(separator: 0, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF16.self) }
  }

  private static func version1(_ bytes: ArraySlice<UInt8>) -> TrackTags {
    var tags = TrackTags()
    guard bytes.count == 128, bytes.starts(with: "TAG") else { return tags }
    for (name, offset) in [("TITLE", 3), ("ARTIST", 33), ("ALBUM", 63)] {
      let field = bytes.dropFirst(offset).prefix(30).prefix { $0 != 0 }
      let end = field.lastIndex { $0 != 0x20 }.map { $0 + 1 } ?? field.startIndex
      tags.take(name: name, value: latin1(field[..<end]))
    }
    return tags
  }

  private static func latin1(_ bytes: ArraySlice<UInt8>) -> String {
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: bytes.lazy.map { Unicode.Scalar($0) })
    return String(scalars)
  }

  private static func syncSafe(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reduce(0) { $0 << 7 | Int($1 & 0x7F) }
  }

  /// Takes out the zeros that were put behind 0xFF bytes, lest they look like frame headers.
  private static func restore(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var follows = false
    for byte in bytes {
      if !(follows && byte == 0) { result.append(byte) }
      follows = byte == 0xFF
    }
    return result
  }
}

/// A byte source over bytes in memory.
private final class BytesInMemory: ByteSource {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var length: Int64? { Int64(bytes.count) }
  var isComplete: Bool { true }

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard offset < Int64(bytes.count) else { return 0 }
    let part = bytes[Int(offset)...].prefix(buffer.count)
    buffer.copyBytes(from: part)
    return part.count
  }

  func cancel() {}
}
