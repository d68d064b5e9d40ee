/// The bodies of REST requests that are no shapes of their own.
package enum RequestBody {
  /// Signs up or in.
  ///
  /// Never log it.
  package struct Credentials: Codable, Sendable {
    /// The account's name.
    package var username: String
    /// The account's password.
    package var password: String

    /// Makes the body.
    package init(username: String, password: String) {
      self.username = username
      self.password = password
    }
  }

  /// Makes or edits a channel or a playlist; what is nil stays as it is.
  package struct Details: Codable, Sendable {
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
  }

  /// Starts a row of the queue, from 0.
  package struct Jump: Codable, Sendable {
    /// The row, from 0.
    package var index: Int

    /// Makes the body.
    package init(index: Int) { self.index = index }
  }

  /// Moves the channel to a position, in seconds.
  package struct Seek: Codable, Sendable {
    /// The position in seconds.
    package var timestamp: Double

    /// Makes the body.
    package init(timestamp: Double) { self.timestamp = timestamp }
  }

  /// Sets what happens at the end of a track.
  package struct Mode: Codable, Sendable {
    /// The new mode.
    package var mode: PlaybackMode

    /// Makes the body.
    package init(mode: PlaybackMode) { self.mode = mode }
  }

  /// Asks for an import.
  package struct Fetch: Codable, Sendable {
    /// The address to import from.
    package var url: String

    /// Makes the body.
    package init(url: String) { self.url = url }
  }
}
