import RoomProtocol

/// Finds the tracks of a library that the lines of a playlist file mean.
///
/// Pure. By id first; then by title, with the length within 2 s where both are known; then by the
/// name of the file.
struct M3UMatcher {
  /// What a line means.
  enum Answer: Equatable {
    case track(Track)
    case nothing
    /// Several tracks fit, in the library's order.
    case several([Track])
  }

  /// How far two lengths of one recording may lie apart, in seconds.
  static let tolerance = 2.0

  private var byID: [TrackID: Track] = [:]
  private var byTitle: [String: [Track]] = [:]
  private var byFile: [String: [Track]] = [:]

  private let server: String

  /// Prepares a library's tracks for the search.
  ///
  /// - Parameters:
  ///   - library: all tracks.
  ///   - server: the address of the server that has them.
  init(_ library: [Track], of server: String) {
    self.server = server
    for track in library {
      byID[track.id] = byID[track.id] ?? track
      for key in Self.titles(of: track) { byTitle[key, default: []].append(track) }
      let file = track.filename.split(separator: "/").last.map(String.init) ?? ""
      let key = Self.folded(M3U.Entry(place: file).stem)
      if !key.isEmpty { byFile[key, default: []].append(track) }
    }
  }

  /// The track that a line means.
  func answer(_ entry: M3U.Entry) -> Answer {
    if let id = entry.id, means(id, entry.server), let track = byID[id] { return .track(track) }
    for candidates in [titled(entry), filed(entry)] {
      let all = candidates.filter { Self.fits($0, entry) }
      // What can be played goes before what can't.
      let playable = all.filter(\.available)
      let fitting = playable.isEmpty ? all : playable
      if let only = fitting.first { return fitting.count == 1 ? .track(only) : .several(fitting) }
    }
    return .nothing
  }

  /// Whether an id means the same here: one of this server's, or a hash, which is the same anywhere.
  private func means(_ id: TrackID, _ origin: String?) -> Bool {
    if origin == server { return true }
    let text = id.rawValue
    return text.hasPrefix("sha256:") && text.utf8.count == 71
  }

  private func titled(_ entry: M3U.Entry) -> [Track] {
    entry.title.flatMap { byTitle[Self.folded($0)] } ?? []
  }

  /// By the name of the file: that of the library's file, or a title that somebody gave to one.
  private func filed(_ entry: M3U.Entry) -> [Track] {
    let key = Self.folded(entry.stem)
    // An address of a room server's track ends in an id, which is nobody's title.
    guard entry.id == nil, !key.isEmpty else { return [] }
    if let tracks = byFile[key] ?? byTitle[key] { return tracks }
    // Some write a path as an address has it.
    let decoded = PathSegment.decode(entry.stem).map { Self.folded($0) }
    return decoded.flatMap { byFile[$0] ?? byTitle[$0] } ?? []
  }

  private static func fits(_ track: Track, _ entry: M3U.Entry) -> Bool {
    guard let wanted = entry.duration, let length = track.duration else { return true }
    return abs(wanted - length) <= tolerance
  }

  /// The forms in which a track's title may stand in a file, each once.
  private static func titles(of track: Track) -> Set<String> {
    let title = track.displayTitle
    let whole = track.artist.map { "\($0) - \(title)" } ?? title
    return [folded(title), folded(whole)].filter { !$0.isEmpty }.reduce(into: []) { $0.insert($1) }
  }

  /// A text as it is compared: without case, and with one blank where several are.
  private static func folded(_ text: String) -> String {
    M3U.flat(text).lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
