/// A channel in the list of channels.
package struct ChannelInfo: Hashable, Sendable, Identifiable {
  /// Names the channel in every operation.
  package var id: ChannelID
  /// The name people read; "Room" where the server gave none.
  package var name: String
  /// What the channel is for, in its maker's words.
  package var description: String
  /// The number of tracks in its queue.
  package var trackCount: Int
  /// The number of sockets that listen.
  package var listenerCount: Int
  /// The names of those who listen.
  package var listeners: [String]
  /// Whether newcomers land here.
  package var isDefault: Bool
  /// The id of the user who made it, nil for the server's own.
  package var createdBy: Int?

  /// Makes a channel's entry.
  package init(
    id: ChannelID, name: String = "Room", description: String = "", trackCount: Int = 0,
    listenerCount: Int = 0, listeners: [String] = [], isDefault: Bool = false,
    createdBy: Int? = nil
  ) {
    self.id = id
    self.name = name
    self.description = description
    self.trackCount = trackCount
    self.listenerCount = listenerCount
    self.listeners = listeners
    self.isDefault = isDefault
    self.createdBy = createdBy
  }
}

extension ChannelInfo: WireReadable, WireWritable {
  /// Reads an entry; only an id is required.
  ///
  /// - Parameter wire: the object.
  /// - Throws: `WireError` where there is no object with an id.
  package init(wire: JSONValue) throws(WireError) {
    let fields = try WireFields(wire)
    self.init(
      id: try fields.required("id", as: ChannelID.self),
      name: fields.text("name") ?? "Room",
      description: fields.text("description") ?? "",
      trackCount: fields.integer("trackCount") ?? 0,
      listenerCount: fields.integer("listenerCount") ?? 0,
      listeners: fields.list("listeners")?.elements ?? [],
      isDefault: fields.flag("isDefault") ?? false,
      createdBy: fields.integer("createdBy"))
  }

  /// Writes the entry.
  package var wire: JSONValue {
    .fields([
      "id": id,
      "name": name,
      "description": description,
      "trackCount": trackCount,
      "listenerCount": listenerCount,
      "listeners": listeners,
      "isDefault": isDefault,
      "createdBy": createdBy,
    ])
  }
}
