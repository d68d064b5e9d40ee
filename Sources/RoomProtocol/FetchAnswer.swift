/// What the server found at an address to import from.
package enum FetchAnswer: Equatable, Sendable {
  /// One track, which is on its way.
  case single(id: FetchID?, title: String?, queueType: String?)
  /// A list, of which nothing is fetched before it is confirmed where confirmation is required.
  case playlist(title: String, items: TolerantList<FetchItem>, requiresConfirmation: Bool)
}

/// One entry of a list to import.
package struct FetchItem: Codable, Hashable, Sendable {
  /// The entry's id at its source.
  package var id: String?
  /// Where it is fetched from.
  package var url: String
  /// Its title, nil where not said.
  package var title: String?

  /// Makes an entry.
  package init(id: String? = nil, url: String, title: String? = nil) {
    self.id = id
    self.url = url
    self.title = title
  }
}

/// Confirms the import of a list.
package struct FetchConfirmation: Codable, Hashable, Sendable {
  /// The list's title.
  package var playlistTitle: String
  /// Those entries that are wanted.
  package var items: [FetchItem]

  /// Makes a confirmation.
  package init(playlistTitle: String, items: [FetchItem]) {
    self.playlistTitle = playlistTitle
    self.items = items
  }
}

extension FetchAnswer: Codable {
  /// Reads an answer; one without a known type is a single.
  ///
  /// - Parameter decoder: stands on the object.
  /// - Throws: `DecodingError` where there is no object.
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: WireKey.self)
    guard fields.text("type") == "playlist" else {
      self = .single(
        id: fields.value("id"), title: fields.text("title"), queueType: fields.text("queueType"))
      return
    }
    self = .playlist(
      title: fields.text("title") ?? "Playlist",
      items: fields.list("items") ?? TolerantList([]),
      requiresConfirmation: fields.flag("requiresConfirmation") ?? false)
  }

  /// Writes the answer.
  ///
  /// - Parameter encoder: receives the object.
  /// - Throws: what the encoder throws.
  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: WireKey.self)
    switch self {
    case .single(let id, let title, let queueType):
      try fields.encode("single", forKey: "type")
      try fields.encodeIfPresent(id, forKey: "id")
      try fields.encode(title, forKey: "title")
      try fields.encodeIfPresent(queueType, forKey: "queueType")
    case .playlist(let title, let items, let requiresConfirmation):
      try fields.encode("playlist", forKey: "type")
      try fields.encode(title, forKey: "title")
      try fields.encode(items.elements.count, forKey: "count")
      try fields.encode(items, forKey: "items")
      try fields.encode(requiresConfirmation, forKey: "requiresConfirmation")
    }
  }
}
