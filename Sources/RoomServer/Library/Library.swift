import RoomProtocol
import Storage

/// The tracks the server has, and their JSON, encoded once.
///
/// Threading: service thread only.
final class Library {
  /// In the order of their paths.
  private(set) var tracks: [TrackID] = []
  private var entries: [TrackID: LibraryEntry] = [:]
  private var json: [TrackID: [UInt8]] = [:]
  private var listing: (text: [UInt8], mark: String)?

  /// A track by its id.
  subscript(id: TrackID) -> LibraryEntry? { entries[id] }

  /// Whether a track is here and may be added to queues.
  func has(_ id: TrackID) -> Bool { entries[id] != nil }

  /// A track's length in whole milliseconds, rounded up so that the end is never before the end.
  func duration(of id: TrackID?) -> Int64? {
    guard let seconds = id.flatMap({ entries[$0]?.track.duration }) else { return nil }
    return Int64((min(seconds, 1e12) * 1000).rounded(.up))
  }

  /// A track as queues show it: one that is gone stays, marked as not available.
  func track(_ id: TrackID) -> Track {
    entries[id]?.track ?? Track(id: id, available: false)
  }

  /// Replaces everything; the first of several entries with one id counts.
  func replace(_ new: [LibraryEntry]) {
    tracks.removeAll(keepingCapacity: true)
    var kept: [TrackID: [UInt8]] = [:]
    var found: [TrackID: LibraryEntry] = [:]
    for entry in new where found[entry.track.id] == nil {
      let id = entry.track.id
      found[id] = entry
      tracks.append(id)
      if entries[id]?.track == entry.track { kept[id] = json[id] }
    }
    entries = found
    json = kept
    listing = nil
  }

  /// The JSON array of tracks.
  func encode(_ ids: [TrackID]) -> [UInt8] {
    var text: [UInt8] = [UInt8(ascii: "[")]
    text.reserveCapacity(ids.count * 320 + 2)
    for (index, id) in ids.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text += encode(id)
    }
    text.append(UInt8(ascii: "]"))
    return text
  }

  /// The JSON array of the whole library, and its mark for `ETag`.
  func encodeAll() -> (text: [UInt8], mark: String) {
    if let listing { return listing }
    let text = encode(tracks)
    let new = (text, "\"\(ContentHash.digest(of: text).hex.prefix(32))\"")
    listing = new
    return new
  }

  private func encode(_ id: TrackID) -> [UInt8] {
    if let text = json[id] { return text }
    // A track is texts and finite numbers: encoding it can't fail.
    let text = (try? WireJSON.encode(track(id))) ?? []
    if entries[id] != nil { json[id] = text }
    return text
  }
}
