/// One resource of a server: an endpoint and the id in its path.
///
/// The client builds its paths from it and the server finds its handler with it, so that a path is
/// written down once.
///
/// ```swift
/// Route.track("sha256:ab/c").path      // "/api/tracks/sha256%3Aab%2Fc"
/// Route(method: "GET", path: "/api/tracks/sha256%3Aab%2Fc")?.endpoint    // .track
/// ```
package struct Route: Hashable, Sendable {
  /// Which of the protocol's paths it is.
  package let endpoint: Endpoint
  /// The variable segment, not encoded; empty where the path has none.
  package let parameter: String

  private init(_ endpoint: Endpoint, _ parameter: String = "") {
    self.endpoint = endpoint
    self.parameter = parameter
  }

  /// The HTTP method, in capitals.
  package var method: String { endpoint.method }

  /// The path, percent-encoded, to be appended to the server's address as it stands.
  ///
  /// No software on the way may normalise it again: an id can hold `/` or `..`.
  package var path: String {
    endpoint.segments
      .map { "/" + ($0.hasPrefix(":") ? PathSegment.encode(parameter) : String($0)) }
      .joined()
  }

  /// Finds the route of a request, as a server does.
  ///
  /// - Parameters:
  ///   - method: the HTTP method, in capitals.
  ///   - path: the path below the server's prefix; a query is ignored.
  ///   - isEncoded: false where the server's library has decoded the path already; an id with a
  ///     `/` can't be told then.
  package init?(method: String, path: String, isEncoded: Bool = true) {
    let matching = Self.matching(path: path, isEncoded: isEncoded)
    guard let route = matching.first(where: { $0.method == method }) else { return nil }
    self = route
  }

  /// The methods a path knows, for the answers 404 (none) and 405.
  package static func methods(of path: String, isEncoded: Bool = true) -> [String] {
    matching(path: path, isEncoded: isEncoded).map(\.method)
  }

  private static func matching(path: String, isEncoded: Bool) -> [Route] {
    let bare = isEncoded ? path.prefix { $0 != "?" } : path[...]
    let parts = bare.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    let segments = isEncoded ? parts.map { PathSegment.decode($0) } : parts.map(String.init)
    let fixed = Endpoint.allCases.compactMap { match($0, segments) }
    // A path that is written out goes before one with a variable: /api/fetch/confirm is no job.
    let literal = fixed.filter { $0.parameter.isEmpty }
    return literal + fixed.filter { !$0.parameter.isEmpty }
  }

  private static func match(_ endpoint: Endpoint, _ segments: [String?]) -> Route? {
    let template = endpoint.segments
    guard template.count == segments.count else { return nil }
    var parameter = ""
    for (expected, segment) in zip(template, segments) {
      guard let segment, !segment.isEmpty else { return nil }
      if expected.hasPrefix(":") {
        parameter = segment
      } else if expected != segment {
        return nil
      }
    }
    return Route(endpoint, parameter)
  }
}

extension Route {
  /// What the server is and offers.
  package static let status = Route(.status)
  /// Makes an account and signs in.
  package static let signup = Route(.signup)
  /// Signs in.
  package static let login = Route(.login)
  /// Signs out.
  package static let logout = Route(.logout)
  /// Who the session belongs to; makes a guest where guests are allowed.
  package static let me = Route(.me)
  /// Ends one's other sessions.
  package static let kickOthers = Route(.kickOthers)
  /// Lists the channels.
  package static let channels = Route(.channels)
  /// Makes a channel.
  package static let createChannel = Route(.createChannel)
  /// Lists the library.
  package static let library = Route(.library)
  /// Adds a file to the library.
  package static let upload = Route(.upload)
  /// Lists the playlists.
  package static let playlists = Route(.playlists)
  /// Makes a playlist.
  package static let createPlaylist = Route(.createPlaylist)
  /// Asks for an import.
  package static let fetch = Route(.fetch)
  /// Confirms the import of a list.
  package static let confirmFetch = Route(.confirmFetch)
  /// Lists the imports.
  package static let fetchJobs = Route(.fetchJobs)
  /// Cancels all imports.
  package static let cancelAllFetches = Route(.cancelAllFetches)

  /// Reads a channel's state, without its queue.
  package static func channel(_ id: ChannelID) -> Route { Route(.channel, id.rawValue) }
  /// Renames a channel.
  package static func editChannel(_ id: ChannelID) -> Route { Route(.editChannel, id.rawValue) }
  /// Deletes a channel.
  package static func deleteChannel(_ id: ChannelID) -> Route {
    Route(.deleteChannel, id.rawValue)
  }
  /// Starts a row of a channel's queue.
  package static func jump(_ id: ChannelID) -> Route { Route(.jump, id.rawValue) }
  /// Moves a channel within its track.
  package static func seek(_ id: ChannelID) -> Route { Route(.seek, id.rawValue) }
  /// Sets a channel's mode.
  package static func setMode(_ id: ChannelID) -> Route { Route(.setMode, id.rawValue) }
  /// Changes a channel's queue.
  package static func editQueue(_ id: ChannelID) -> Route { Route(.editQueue, id.rawValue) }
  /// A channel's WebSocket.
  package static func socket(_ id: ChannelID) -> Route { Route(.socket, id.rawValue) }
  /// The bytes of a track.
  package static func track(_ id: TrackID) -> Route { Route(.track, id.rawValue) }
  /// Reads a playlist.
  package static func playlist(_ id: PlaylistID) -> Route { Route(.playlist, id.rawValue) }
  /// Renames or publishes a playlist.
  package static func editPlaylist(_ id: PlaylistID) -> Route {
    Route(.editPlaylist, id.rawValue)
  }
  /// Deletes a playlist.
  package static func deletePlaylist(_ id: PlaylistID) -> Route {
    Route(.deletePlaylist, id.rawValue)
  }
  /// Changes a playlist's tracks.
  package static func editPlaylistTracks(_ id: PlaylistID) -> Route {
    Route(.editPlaylistTracks, id.rawValue)
  }
  /// Makes a playlist's share token.
  package static func sharePlaylist(_ id: PlaylistID) -> Route {
    Route(.sharePlaylist, id.rawValue)
  }
  /// Takes a playlist's share token away.
  package static func unsharePlaylist(_ id: PlaylistID) -> Route {
    Route(.unsharePlaylist, id.rawValue)
  }
  /// Reads a playlist by its share token.
  package static func sharedPlaylist(token: String) -> Route { Route(.sharedPlaylist, token) }
  /// Copies a playlist, by its share token, to one's own.
  package static func copySharedPlaylist(token: String) -> Route {
    Route(.copySharedPlaylist, token)
  }
  /// Cancels an import.
  package static func cancelFetch(_ id: FetchID) -> Route { Route(.cancelFetch, id.rawValue) }
}
