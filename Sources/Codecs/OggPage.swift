/// The few facts of an Ogg page that sniffing and lengths need; libogg does the rest.
enum OggPage {
  /// The first packet of the page that starts the bytes, as far as they hold it.
  static func firstPacket(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard bytes.count > 27, bytes.starts(with: "OggS") else { return [] }
    let segments = Int(bytes[bytes.startIndex + 26])
    return bytes.dropFirst(27 + segments)
  }

  /// The granule position of the last page of a complete source, nil where none is found.
  ///
  /// Looks at the last 128 KiB: a page has at most 65,307 bytes.
  static func lastGranule(in window: inout ByteWindow) throws(ByteSourceError) -> Int64? {
    guard window.source.isComplete, let length = window.source.length else { return nil }
    let tail = Array(try window.view(at: max(0, length - 131_072), count: 131_072))
    var index = tail.count - 27
    while index >= 0 {
      let page = tail[index...]
      if page.starts(with: "OggS"), page[index + 4] == 0 {
        let granule = Int64(bitPattern: page.dropFirst(6).littleEndian(8))
        if granule >= 0 { return granule }
      }
      index -= 1
    }
    return nil
  }
}
