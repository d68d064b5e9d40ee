/// The bodies of REST requests that are no shapes of their own.
package enum RequestBody {
  /// Signs up or in. Never log it.
  package struct Credentials: Codable, Sendable {
    package var username: String
    package var password: String

    /// Makes the body.
    package init(username: String, password: String) {
      self.username = username
      self.password = password
    }
  }

  /// Makes or edits a channel or a playlist; what is nil stays as it is.
  package struct Details: Codable, Sendable {
    package var name: String?
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
    package var index: Int

    /// Makes the body.
    package init(index: Int) { self.index = index }
  }

  /// Moves the channel to a position, in seconds.
  package struct Seek: Codable, Sendable {
    package var timestamp: Double

    /// Makes the body.
    package init(timestamp: Double) { self.timestamp = timestamp }
  }

  /// Sets what happens at the end of a track.
  package struct Mode: Codable, Sendable {
    package var mode: PlaybackMode

    /// Makes the body.
    package init(mode: PlaybackMode) { self.mode = mode }
  }

  /// Asks for an import.
  package struct Fetch: Codable, Sendable {
    package var url: String

    /// Makes the body.
    package init(url: String) { self.url = url }
  }
}
