import RoomProtocol

/// A track of the library and the file it comes from.
struct LibraryEntry: Sendable {
  var track: Track
  /// The absolute path; nil for a track that has no file (its bytes are a 404).
  var path: String?
}

/// A file as the last scan found it, and what it was.
struct ScannedFile: Sendable, Equatable {
  /// Relative to the music folder.
  var path: String
  var size: Int64
  /// The modification time, in nanoseconds since 1970.
  var modified: Int64
  var track: Track
}
