import Caching
import RoomProtocol

/// Finds the one track of the kept library that an argument means.
struct TrackFinder {
  let listing: LibraryListing
  /// What whole ids stand for: thousands of them may come on standard input.
  private var known: [TrackID: Track] = [:]

  init(listing: LibraryListing) { self.listing = listing }

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
    if let track = known[id] { return track }
    if let track = try await listing.tracks([id])[id] { return track }
    if let digits = Self.hashBeginning(text) {
      let hits = try await listing.tracks(hashBeginning: digits)
      if !hits.isEmpty { return try Self.only(hits, text) }
    }
    let hits = try await listing.search(text)
    let wanted = text.lowercased()
    let exact = hits.filter { $0.displayTitle.lowercased() == wanted }
    return exact.count == 1 ? exact.first : try Self.only(hits, text)
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

  /// An id without the name of its hash, fit for a terminal.
  static func hash(of id: TrackID) -> String {
    let prefix = "sha256:"
    let text = id.rawValue
    return Printable.escaped(text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text)
  }
}
