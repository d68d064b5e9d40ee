import RoomProtocol

/// Finds the tracks that imports became, where the server does not tell: by what is new in the
/// library, and by title.
///
/// Pure.
struct Arrivals {
  private let tracks: [Track]
  private let earlier: Set<TrackID>

  /// Compares two readings of a library.
  ///
  /// - Parameters:
  ///   - earlier: the ids before the imports began.
  ///   - tracks: the library afterwards.
  init(earlier: Set<TrackID>, now tracks: [Track]) {
    self.earlier = earlier
    self.tracks = tracks
  }

  /// The tracks that imports became, by their places in the list; where it is not sure, none.
  func found(_ items: [ImportWatch.Item]) -> [Int: Track] {
    var found: [Int: Track] = [:]
    let byID = Dictionary(tracks.map { ($0.id, $0) }) { first, _ in first }
    for (index, item) in items.enumerated() {
      found[index] = item.trackID.flatMap { byID[$0] }
    }
    var fresh = tracks.filter { track in
      !earlier.contains(track.id) && !found.values.contains { $0.id == track.id }
    }
    // A new track of that very title, then one whose title or file name has it in it.
    for isLike in [Self.isCalled, Self.contains] {
      for index in items.indices where found[index] == nil {
        let hits = fresh.filter { isLike($0, items[index].title) }
        guard hits.count == 1 else { continue }
        found[index] = hits[0]
        fresh.removeAll { $0.id == hits[0].id }
      }
    }
    let open = items.indices.filter { found[$0] == nil && items[$0].end == .done }
    if open.count == 1, fresh.count == 1 { found[open[0]] = fresh[0] }
    // What the library had before is what came when the server says that something did.
    for index in items.indices where found[index] == nil && items[index].end == .done {
      let hits = tracks.filter { Self.isCalled($0, items[index].title) }
      if hits.count == 1 { found[index] = hits[0] }
    }
    return found
  }

  private static func isCalled(_ track: Track, _ title: String) -> Bool {
    let title = M3U.flat(title).lowercased()
    let artist = track.artist.map { "\($0) - " } ?? ""
    let stem = M3U.Entry(place: track.filename).stem
    return [track.displayTitle, artist + track.displayTitle, stem]
      .contains { M3U.flat($0).lowercased() == title }
  }

  private static func contains(_ track: Track, _ title: String) -> Bool {
    let words = Words(title)
    return words.match(track) || Words(track.displayTitle).match(Track(id: "", title: title))
  }
}
