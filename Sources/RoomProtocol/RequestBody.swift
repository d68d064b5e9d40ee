/// The bodies of REST requests that are no shapes of their own.
package enum RequestBody {
  /// Signs up or in.
  ///
  /// Never log it.
  package struct Credentials: WireReadable, WireWritable, Sendable {
    /// The account's name.
    package var username: String
    /// The account's password.
    package var password: String

    /// Makes the body.
    package init(username: String, password: String) {
      self.username = username
      self.password = password
    }

    /// Reads the body, strictly.
    ///
    /// - Parameter wire: the object.
    /// - Throws: `WireError` where a name or a password is missing.
    package init(wire: JSONValue) throws(WireError) {
      let fields = try WireFields(wire)
      self.init(
        username: try fields.required("username"), password: try fields.required("password"))
    }

    /// Writes the body.
    package var wire: JSONValue { .fields(["username": username, "password": password]) }
  }

  /// Makes or edits a channel or a playlist; what is nil stays as it is.
  package struct Details: WireReadable, WireWritable, Sendable {
    /// The new name.
    package var name: String?
    /// The new description.
    package var description: String?
    /// For playlists alone.
    package var isPublic: Bool?

    /// Makes the body.
    package init(name: String? = nil, description: String? = nil, isPublic: Bool? = nil) {
      self.name = name
      self.description = description
      self.isPublic = isPublic
    }

    /// Reads the body, strictly.
    ///
    /// - Parameter wire: the object.
    /// - Throws: `WireError` where a field has another type.
    package init(wire: JSONValue) throws(WireError) {
      let fields = try WireFields(wire)
      self.init(
        name: try fields.optional("name"), description: try fields.optional("description"),
        isPublic: try fields.optional("isPublic"))
    }

    /// Writes the body.
    package var wire: JSONValue {
      JSONValue.object([]).adding([
        "name": name, "description": description, "isPublic": isPublic,
      ])
    }
  }

  /// Starts a row of the queue, from 0.
  package struct Jump: WireReadable, WireWritable, Sendable {
    /// The row, from 0.
    package var index: Int

    /// Makes the body.
    package init(index: Int) { self.index = index }

    /// Reads the body, strictly.
    ///
    /// - Parameter wire: the object.
    /// - Throws: `WireError` where it is missing.
    package init(wire: JSONValue) throws(WireError) {
      let fields = try WireFields(wire)
      self.init(index: try fields.required("index"))
    }

    /// Writes the body.
    package var wire: JSONValue { .fields(["index": index]) }
  }

  /// Moves the channel to a position, in seconds.
  package struct Seek: WireReadable, WireWritable, Sendable {
    /// The position in seconds.
    package var timestamp: Double

    /// Makes the body.
    package init(timestamp: Double) { self.timestamp = timestamp }

    /// Reads the body, strictly.
    ///
    /// - Parameter wire: the object.
    /// - Throws: `WireError` where it is missing.
    package init(wire: JSONValue) throws(WireError) {
      let fields = try WireFields(wire)
      self.init(timestamp: try fields.required("timestamp"))
    }

    /// Writes the body.
    package var wire: JSONValue { .fields(["timestamp": timestamp]) }
  }

  /// Sets what happens at the end of a track.
  package struct Mode: WireReadable, WireWritable, Sendable {
    /// The new mode.
    package var mode: PlaybackMode

    /// Makes the body.
    package init(mode: PlaybackMode) { self.mode = mode }

    /// Reads the body, strictly.
    ///
    /// - Parameter wire: the object.
    /// - Throws: `WireError` where it is missing.
    package init(wire: JSONValue) throws(WireError) {
      let fields = try WireFields(wire)
      self.init(mode: try fields.required("mode"))
    }

    /// Writes the body.
    package var wire: JSONValue { .fields(["mode": mode]) }
  }

  /// Asks for an import.
  package struct Fetch: WireReadable, WireWritable, Sendable {
    /// The address to import from.
    package var url: String

    /// Makes the body.
    package init(url: String) { self.url = url }

    /// Reads the body, strictly.
    ///
    /// - Parameter wire: the object.
    /// - Throws: `WireError` where it is missing.
    package init(wire: JSONValue) throws(WireError) {
      let fields = try WireFields(wire)
      self.init(url: try fields.required("url"))
    }

    /// Writes the body.
    package var wire: JSONValue { .fields(["url": url]) }
  }
}
