import Caching
import RoomProtocol
import TestSupport

/// A fetcher that gives a text in pieces, and then ends as it is told.
struct TextFetcher: LibraryFetcher {
  struct Broken: Error {}

  var bytes: [UInt8]
  var pieceLength = 1000
  var tag: String?
  /// Whether the line breaks after the last byte.
  var breaks = false

  init(_ text: String, pieceLength: Int = 1000, tag: String? = nil, breaks: Bool = false) {
    bytes = Array(text.utf8)
    self.pieceLength = pieceLength
    self.tag = tag
    self.breaks = breaks
  }

  init(_ tracks: [Track], tag: String? = nil) throws {
    bytes = try WireJSON.encode(tracks)
    self.tag = tag
  }

  func fetch(unless tag: String?, into feed: ListingFeed) async throws -> LibraryAnswer {
    if let tag, tag == self.tag { return .unchanged }
    for start in stride(from: 0, to: bytes.count, by: pieceLength) {
      let piece = bytes[start..<min(start + pieceLength, bytes.count)]
      guard piece.withUnsafeBytes(feed.receive) else { throw Broken() }
    }
    if breaks { throw Broken() }
    return .whole(tag: self.tag)
  }
}

extension Track {
  /// A track whose id is a hash made of a number.
  static func made(
    _ number: Int, _ title: String? = nil, artist: String? = nil, album: String? = nil,
    file: String? = nil
  ) -> Track {
    let digits = String(0x1_000_000 + number, radix: 16).dropFirst()
    let hash = digits + String(repeating: "0", count: 58)
    return Track(
      id: TrackID("sha256:\(hash)"), filename: file ?? "\(number).mp3", title: title,
      artist: artist, album: album, duration: Double(number) + 0.5)
  }
}
