import RoomProtocol

/// Finds the one track that an argument means (design.md 1).
///
/// Pure.
struct TrackSelector {
  /// The server's library; empty where no argument needs it.
  var library: [Track]
  /// The room's queue.
  var queue: QueueRows

  /// Whether an argument can be understood from the queue alone.
  static func isReference(_ text: String) -> Bool { text.hasPrefix("@") }

  /// The track: by `@` reference, id, unique beginning of its hash, or words that fit only it.
  ///
  /// - Throws: `Diagnostic`: `not_found`, `ambiguous`, `out_of_range`.
  func track(_ text: String) throws(Diagnostic) -> Track {
    if Self.isReference(text) {
      guard let row = try queue.row(text) else {
        throw .usage("\"\(Printable.escaped(text))\" is no row", hint: "@current, @3 or @last is")
      }
      return queue.tracks[row]
    }
    guard let track = try find(text) else {
      throw Diagnostic(.notFound, "no track fits \"\(Printable.escaped(text))\"")
    }
    guard track.available else {
      throw Diagnostic(.notFound, "\(track.quotedName) is not available on the server")
    }
    return track
  }

  private func find(_ text: String) throws(Diagnostic) -> Track? {
    if let track = library.first(where: { $0.id.rawValue == text }) { return track }
    if let digits = Self.hashBeginning(text) {
      let hits = library.filter { Self.hash(of: $0.id).hasPrefix(digits) }
      if !hits.isEmpty { return try only(hits, text) }
    }
    let words = Words(text)
    let hits = library.filter(words.match)
    let wanted = text.lowercased()
    let exact = hits.filter { $0.displayTitle.lowercased() == wanted }
    return try exact.count == 1 ? exact.first : only(hits, text)
  }

  private func only(_ hits: [Track], _ text: String) throws(Diagnostic) -> Track? {
    guard hits.count > 1 else { return hits.first }
    throw Diagnostic(
      .ambiguous, "\"\(Printable.escaped(text))\" fits \(hits.count) tracks",
      hint: candidates(hits.map { "\(Self.hash(of: $0.id).prefix(12))  \($0.printableName)" }))
  }

  /// The digits of a hash's beginning, six at least; nil for other texts.
  private static func hashBeginning(_ text: String) -> String? {
    let digits = hash(of: TrackID(text)).lowercased()
    let isHex = digits.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    return isHex && digits.utf8.count >= 6 ? digits : nil
  }

  /// An id without the name of its hash, fit for a terminal.
  private static func hash(of id: TrackID) -> String {
    let prefix = "sha256:"
    let text = id.rawValue
    return Printable.escaped(text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text)
  }
}
