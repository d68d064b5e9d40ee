/// A track as the server describes it.
package struct Track: Hashable, Sendable, Identifiable {
  /// Names the track in every machine operation.
  package var id: TrackID
  /// The name of the file on the server, for display only; empty where the server gave none.
  package var filename: String
  /// The title from the tags.
  package var title: String?
  /// The artist from the tags.
  package var artist: String?
  /// The album from the tags.
  package var album: String?
  /// The length in seconds, above 0 and finite; nil is *unknown*: no clamp, no end.
  package var duration: Double?
  /// The gain that brings the track to the reference loudness, in dB.
  package var replayGainDB: Double?
  /// The largest sample, 1 being full scale.
  package var replayPeak: Double?
  /// False where the server can't serve the track: not played, not added, not cached.
  package var available: Bool

  /// Makes a track; a duration of 0 or less, or one that is not finite, becomes unknown.
  package init(
    id: TrackID, filename: String = "", title: String? = nil, artist: String? = nil,
    album: String? = nil, duration: Double? = nil, replayGainDB: Double? = nil,
    replayPeak: Double? = nil, available: Bool = true
  ) {
    self.id = id
    self.filename = filename
    self.title = title
    self.artist = artist
    self.album = album
    self.duration = duration.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
    self.replayGainDB = replayGainDB
    self.replayPeak = replayPeak
    self.available = available
  }

  /// The length as a duration, nil where it is unknown.
  package var length: Duration? { duration.map { Duration(wireSeconds: $0) } }

  /// What people read: the title, else the file name without its extension, else the id.
  ///
  /// It may hold control characters: escape it before it reaches a terminal.
  package var displayTitle: String {
    if let title, !title.isBlank { return title }
    let stem = filename.withoutExtension
    return stem.isBlank ? id.rawValue : stem
  }
}

extension Track: WireReadable, WireWritable {
  /// Reads a track; only an id is required.
  ///
  /// - Parameter wire: the object.
  /// - Throws: `WireError` where there is no object with an id.
  package init(wire: JSONValue) throws(WireError) {
    let fields = try WireFields(wire)
    self.init(
      id: try fields.required("id", as: TrackID.self),
      filename: fields.text("filename") ?? "",
      title: fields.text("title"),
      artist: fields.text("artist"),
      album: fields.text("album"),
      duration: fields.number("duration"),
      replayGainDB: fields.number("replayGainDb"),
      replayPeak: fields.number("replayPeak"),
      available: fields.flag("available") ?? true)
  }

  /// Writes the track; an unknown duration is 0, as the shape demands a number.
  package var wire: JSONValue {
    JSONValue.fields([
      "id": id,
      "filename": filename,
      "title": title,
      "duration": duration ?? 0,
      "available": available,
    ]).adding([
      "artist": artist,
      "album": album,
      "replayGainDb": replayGainDB,
      "replayPeak": replayPeak,
    ])
  }
}

extension String {
  /// Whether there is nothing to read in it.
  var isBlank: Bool { allSatisfy(\.isWhitespace) }

  /// A file name without its last extension; a name that only is one keeps it.
  var withoutExtension: String {
    guard let dot = lastIndex(of: "."), dot != startIndex, index(after: dot) != endIndex else {
      return self
    }
    return String(self[..<dot])
  }
}
