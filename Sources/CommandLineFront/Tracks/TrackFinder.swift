import Caching
import RoomProtocol

/// Finds the one track of the kept library, or of the cache, that an argument means.
struct TrackFinder {
  let listing: LibraryListing
  /// What is kept of the server's tracks; their ids are known whether the library has them or not.
  private let cached: CachedIDs?
  /// What whole ids stand for: thousands of them may come on standard input.
  private var known: [TrackID: Track] = [:]

  init(listing: LibraryListing, cached: CachedIDs? = nil) {
    self.listing = listing
    self.cached = cached
  }

  /// Looks all arguments up that are whole ids, at once.
  mutating func learn(_ texts: [String]) async throws {
    known = try await listing.tracks(texts.map { TrackID($0) })
  }

  /// The track of an id, of a unique beginning of its hash, or of words that fit only it.
  ///
  /// - Returns: nil where there is none.
  /// - Throws: `Diagnostic` of the code `ambiguous`, with the candidates; what the disk throws.
  func track(_ text: String) async throws -> Track? {
    let id = TrackID(text)
    if let track = try await whole(id) { return track }
    if let digits = Self.hashBeginning(text) {
      let hits = try await beginning(digits)
      if !hits.isEmpty { return try Self.only(hits, text) }
    }
    let hits = within(try await listing.search(text))
    let wanted = text.lowercased()
    let exact = hits.filter { $0.displayTitle.lowercased() == wanted }
    return exact.count == 1 ? exact.first : try Self.only(hits, text)
  }

  /// What to say where no track fits a text.
  ///
  /// - Parameters:
  ///   - text: the words.
  ///   - hint: what to do where nothing is near them either.
  /// - Returns: a failure of the code `not_found`, with the nearest name.
  /// - Throws: what reading the listing throws.
  func unknown(_ text: String, orElse hint: String? = nil) async throws -> Diagnostic {
    let near = try await suggestion(for: text).map { "did you mean \(Printable.escaped($0))?" }
    return Diagnostic(
      .notFound, "no track fits \"\(Printable.escaped(text))\"", hint: near ?? hint)
  }

  /// A title, an artist or a word of them that is nearly the text, of those that begin as its words do.
  private func suggestion(for text: String) async throws -> String? {
    let words = text.lowercased().split(whereSeparator: \.isWhitespace)
    // The beginnings find few; where they are what is mistyped, one letter of each must do.
    for length in [3, 1] {
      let beginnings = words.map { String($0.prefix(length)) }.joined(separator: " ")
      let hits = within(try await listing.search(beginnings, limit: 500))
      let whole = hits.flatMap { [$0.displayTitle, $0.artist].compactMap(\.self) }
      let names = Set(whole + whole.flatMap { $0.split(separator: " ").map(String.init) })
      let near = Spelling.nearest(to: text.lowercased(), among: names.map { $0.lowercased() })
      if let near { return names.first { $0.lowercased() == near } }
    }
    return nil
  }

  private func whole(_ id: TrackID) async throws -> Track? {
    if let cached, cached.isOnly, !cached.ids.contains(id) { return nil }
    if let track = known[id] { return track }
    if let track = try await listing.tracks([id])[id] { return track }
    return cached?.ids.contains(id) == true ? Track(id: id) : nil
  }

  private func beginning(_ digits: String) async throws -> [Track] {
    let hits = within(try await listing.tracks(hashBeginning: digits))
    guard hits.isEmpty, let cached else { return hits }
    return cached.ids.filter { Self.hash(of: $0).hasPrefix(digits) }.map { Track(id: $0) }
  }

  private func within(_ tracks: [Track]) -> [Track] {
    guard let cached, cached.isOnly else { return tracks }
    return tracks.filter { cached.ids.contains($0.id) }
  }

  private static func only(_ hits: [Track], _ text: String) throws(Diagnostic) -> Track? {
    guard hits.count > 1 else { return hits.first }
    throw Diagnostic(
      .ambiguous, "\"\(Printable.escaped(text))\" fits \(hits.count) tracks",
      hint: candidates(hits.map { "\(hash(of: $0.id).prefix(12))  \($0.printableName)" }))
  }

  /// The digits of a hash's beginning, six at least; nil for other texts.
  static func hashBeginning(_ text: String) -> String? {
    let digits = hash(of: TrackID(text)).lowercased()
    let isHex = digits.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    return isHex && digits.utf8.count >= 6 ? digits : nil
  }

  /// Whether a text is an id of the usual form: `sha256:` and 64 digits.
  static func isWholeHash(_ text: String) -> Bool {
    text.hasPrefix("sha256:") && hashBeginning(text)?.utf8.count == 64
  }

  /// An id without the name of its hash, fit for a terminal.
  static func hash(of id: TrackID) -> String {
    let prefix = "sha256:"
    let text = id.rawValue
    return Printable.escaped(text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text)
  }
}

/// The tracks of a server that the cache has something of.
struct CachedIDs: Sendable {
  var ids: Set<TrackID>
  /// Whether no others can be meant.
  var isOnly: Bool
}
