/// The tags that taggers put in front of, between and behind audio data.
enum EmbeddedTag {
  /// The length of the tag that starts at `offset`, nil where none does.
  ///
  /// Only its header is read, whatever the size of the picture in it.
  static func length(in window: inout ByteWindow, at offset: Int64) throws(ByteSourceError)
    -> Int64?
  {
    let head = try window.view(at: offset, count: 32)
    return id3v2(head) ?? ape(head) ?? (head.starts(with: "TAG") ? 128 : nil)
  }

  /// The offset of the first byte after all ID3v2 tags at the start of a source.
  static func endOfLeadingID3(in window: inout ByteWindow) throws(ByteSourceError) -> Int64 {
    var offset: Int64 = 0
    while let length = id3v2(try window.view(at: offset, count: 10)) { offset += length }
    return offset
  }

  /// The length in all of an ID3v2 tag, from its header.
  static func id3v2(_ head: ArraySlice<UInt8>) -> Int64? {
    guard head.count >= 10, head.starts(with: "ID3") else { return nil }
    let bytes = Array(head.prefix(10))
    guard bytes[3] != 0xFF, bytes[4] != 0xFF, bytes[6...].allSatisfy({ $0 < 0x80 }) else {
      return nil
    }
    let size = bytes[6...].reduce(Int64(0)) { $0 << 7 | Int64($1) }
    let footer: Int64 = bytes[3] >= 4 && bytes[5] & 0x10 != 0 ? 10 : 0
    return 10 + size + footer
  }

  /// The length in all of an APEv2 tag that starts with its header.
  private static func ape(_ head: ArraySlice<UInt8>) -> Int64? {
    guard head.count == 32, head.starts(with: "APETAGEX") else { return nil }
    let isHeader = head.dropFirst(20).littleEndian(4) & 0x2000_0000 != 0
    return isHeader ? 32 + Int64(head.dropFirst(12).littleEndian(4)) : nil
  }
}
