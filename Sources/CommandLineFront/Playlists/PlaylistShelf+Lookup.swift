import RoomProtocol

/// What people mean by a playlist's name, and how playlists are shown.
extension PlaylistShelf {
  /// All of them, one's own first, each once.
  var all: [Playlist] {
    let own = Set(mine.elements.map(\.id))
    return mine.elements + shared.elements.filter { !own.contains($0.id) }
  }

  /// The playlist by id, name, or a unique beginning of either; one's own goes before another's.
  ///
  /// - Throws: `Diagnostic`: `not_found`, `ambiguous`.
  func playlist(_ text: String) throws(Diagnostic) -> Playlist {
    let quoted = "\"\(Printable.escaped(text))\""
    switch NameLookup(text, in: all, id: { $0.id.rawValue }, name: { $0.name }) {
    case .found(let playlist): return playlist
    case .ambiguous(let hits):
      let own = Set(mine.elements.map(\.id))
      let ours = hits.filter { own.contains($0.id) }
      if ours.count == 1 { return ours[0] }
      let several = ours.isEmpty ? hits : ours
      throw Diagnostic(
        .ambiguous, "\(quoted) fits \(several.count) playlists",
        hint: candidates(several.map { "\(Printable.escaped($0.id.rawValue))  \($0.title)" }))
    case .missing:
      throw Diagnostic(.notFound, "no playlist \(quoted)", hint: hint(near: text))
    }
  }

  /// One's own playlists of a name; letters' case does not count.
  func own(named name: String) -> [Playlist] {
    func folded(_ name: String) -> String { GivenName.trimmed(name).lowercased() }
    return mine.elements.filter { folded($0.name) == folded(name) }
  }

  /// Checks that a playlist may get a name: with two of one name, names would be ambiguous.
  ///
  /// - Parameters:
  ///   - name: the name.
  ///   - id: the playlist that gets it; nil for a new one.
  ///   - hint: what to do where there is one already.
  /// - Throws: `Diagnostic` of the code `usage`.
  func checkName(_ name: String, of id: PlaylistID? = nil, hint: String?) throws(Diagnostic) {
    guard let old = own(named: name).first(where: { $0.id != id }) else { return }
    throw .usage("there is a playlist \(old.quotedName) already", hint: hint)
  }

  private func hint(near text: String) -> String? {
    let near = Spelling.nearest(to: text.lowercased(), among: all.map { $0.name.lowercased() })
    if let meant = all.first(where: { $0.name.lowercased() == near }) {
      return "did you mean \(meant.title)?"
    }
    let names = all.prefix(20).map(\.title).joined(separator: ", ")
    return all.isEmpty ? nil : "playlists are \(names)"
  }
}

extension Playlist {
  /// The name, fit for a terminal.
  var title: String { Printable.escaped(name) }

  /// The name in quotes, fit for a terminal.
  var quotedName: String { "\"\(title)\"" }

  /// What is special about it: who may see it.
  var marks: String {
    [isPublic ? "public" : nil, shareToken == nil ? nil : "shared"].compactMap(\.self)
      .joined(separator: ", ")
  }

  /// What programs read of it; the share token is left out, as it opens the playlist to anybody.
  var members: [JSONValue.Member] {
    [
      .init(key: "id", value: .text(id.rawValue)), .init(key: "name", value: .text(name)),
      .init(key: "description", value: .text(description)),
      .init(key: "owner", value: JSONValue(ownerName)),
      .init(key: "tracks", value: JSONValue(trackIDs.count)),
      .init(key: "public", value: .bool(isPublic)),
      .init(key: "shared", value: .bool(shareToken != nil)),
    ]
  }

  /// What an edit has done, for programs: the playlist as it is now, and more.
  func json(_ more: JSONValue = .object([])) -> JSONValue {
    guard case .object(let others) = more else { return more }
    return .object(members + others)
  }
}
