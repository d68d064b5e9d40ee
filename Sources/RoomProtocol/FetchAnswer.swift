/// What the server found at an address to import from.
package enum FetchAnswer: Equatable, Sendable {
  /// One track, which is on its way.
  case single(id: FetchID?, title: String?, queueType: String?)
  /// A list, of which nothing is fetched before it is confirmed where confirmation is required.
  case playlist(title: String, items: TolerantList<FetchItem>, requiresConfirmation: Bool)
}

/// One entry of a list to import.
package struct FetchItem: WireReadable, WireWritable, Hashable, Sendable {
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

  /// Reads an entry; an address is required.
  ///
  /// - Parameter wire: the object.
  /// - Throws: `WireError` where there is no object with a `url`.
  package init(wire: JSONValue) throws(WireError) {
    let fields = try WireFields(wire)
    self.init(
      id: fields.label("id"), url: try fields.required("url"), title: fields.text("title"))
  }

  /// Writes the entry.
  package var wire: JSONValue {
    JSONValue.fields(["url": url]).adding(["id": id, "title": title])
  }
}

/// Confirms the import of a list.
package struct FetchConfirmation: WireReadable, WireWritable, Hashable, Sendable {
  /// The list's title.
  package var playlistTitle: String
  /// Those entries that are wanted.
  package var items: [FetchItem]

  /// Makes a confirmation.
  package init(playlistTitle: String, items: [FetchItem]) {
    self.playlistTitle = playlistTitle
    self.items = items
  }

  /// Reads a confirmation, strictly.
  ///
  /// - Parameter wire: the object.
  /// - Throws: `WireError` where anything is missing.
  package init(wire: JSONValue) throws(WireError) {
    let fields = try WireFields(wire)
    self.init(
      playlistTitle: try fields.required("playlistTitle"), items: try fields.required("items"))
  }

  /// Writes the confirmation.
  package var wire: JSONValue { .fields(["playlistTitle": playlistTitle, "items": items]) }
}

extension FetchAnswer: WireReadable, WireWritable {
  /// Reads an answer; one without a known type is a single.
  ///
  /// - Parameter wire: the object.
  /// - Throws: `WireError` where there is no object.
  package init(wire: JSONValue) throws(WireError) {
    let fields = try WireFields(wire)
    guard fields.text("type") == "playlist" else {
      // Some tell of the job itself, others of one that they name.
      let jobs = [wire, wire["item"], wire["job"]].compactMap { try? FetchJob(wire: $0) }
      self = .single(
        id: jobs.lazy.compactMap(\.id).first, title: jobs.lazy.compactMap(\.title).first,
        queueType: fields.text("queueType"))
      return
    }
    self = .playlist(
      title: fields.text("title") ?? "Playlist",
      items: fields.list("items") ?? TolerantList([]),
      requiresConfirmation: fields.flag("requiresConfirmation") ?? false)
  }

  /// Writes the answer.
  package var wire: JSONValue {
    switch self {
    case .single(let id, let title, let queueType):
      JSONValue.fields(["type": "single", "title": title])
        .adding(["id": id, "queueType": queueType])
    case .playlist(let title, let items, let requiresConfirmation):
      .fields([
        "type": "playlist", "title": title, "count": items.elements.count, "items": items,
        "requiresConfirmation": requiresConfirmation,
      ])
    }
  }
}
