/// A name the server gives to one of its things, opaque to us.
///
/// Any string may be one: it is compared, stored and percent-encoded, never taken apart and never
/// used as a file name. On the wire it is a bare string; a number is read as its digits.
package struct Identifier<Thing>: RawRepresentable, Hashable, Sendable {
  /// The server's string, unchanged.
  package let rawValue: String

  /// Wraps the server's string.
  package init(rawValue: String) { self.rawValue = rawValue }

  /// Wraps the server's string.
  package init(_ text: String) { rawValue = text }
}

/// The id of a track: by design a hash of its first 64 KB, to us any string.
///
/// It names the track in every machine operation: audio path, queue, playlists, cache key.
package typealias TrackID = Identifier<Track>

/// The id of a channel.
package typealias ChannelID = Identifier<ChannelInfo>

/// The id of a playlist.
package typealias PlaylistID = Identifier<Playlist>

/// The id of an import job.
package typealias FetchID = Identifier<FetchUpdate>

extension Identifier: ExpressibleByStringLiteral, CustomStringConvertible, Comparable {
  /// Wraps a literal, for tests and constants.
  package init(stringLiteral text: String) { rawValue = text }

  /// The server's string.
  ///
  /// It may hold control characters: escape it before it reaches a terminal.
  package var description: String { rawValue }

  /// Orders identifiers by their text.
  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension Identifier: WireReadable, WireWritable {
  /// Reads a bare string or whole number.
  ///
  /// - Parameter wire: the value.
  /// - Throws: `WireError` for anything else, and for an empty string.
  package init(wire: JSONValue) throws(WireError) {
    guard let text = wire.text ?? wire.integer.map(String.init), !text.isEmpty else {
      throw .unreadable(path: [])
    }
    rawValue = text
  }

  /// Writes the bare string.
  package var wire: JSONValue { .text(rawValue) }
}
