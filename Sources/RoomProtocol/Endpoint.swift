/// Every REST path of the protocol, once: its method and its template.
///
/// A template has at most one variable segment, written `:name`.
package enum Endpoint: String, CaseIterable, Sendable {
  /// What the server is and offers.
  case status = "GET /api/status"
  /// Makes an account and signs in.
  case signup = "POST /api/auth/signup"
  /// Signs in.
  case login = "POST /api/auth/login"
  /// Signs out.
  case logout = "POST /api/auth/logout"
  /// Who the session belongs to; makes a guest where guests are allowed.
  case me = "GET /api/auth/me"
  /// Ends one's other sessions.
  case kickOthers = "POST /api/auth/kick-others"
  /// Lists the channels.
  case channels = "GET /api/channels"
  /// Makes a channel.
  case createChannel = "POST /api/channels"
  /// Reads a channel's state, without its queue.
  case channel = "GET /api/channels/:id"
  /// Renames a channel.
  case editChannel = "PATCH /api/channels/:id"
  /// Deletes a channel.
  case deleteChannel = "DELETE /api/channels/:id"
  /// Starts a row of a channel's queue.
  case jump = "POST /api/channels/:id/jump"
  /// Moves a channel within its track.
  case seek = "POST /api/channels/:id/seek"
  /// Sets a channel's mode.
  case setMode = "POST /api/channels/:id/mode"
  /// Changes a channel's queue.
  case editQueue = "PATCH /api/channels/:id/queue"
  /// Opens a channel's WebSocket.
  case socket = "GET /api/channels/:id/ws"
  /// Lists the library.
  case library = "GET /api/library"
  /// Reads the bytes of a track; ranges are supported.
  case track = "GET /api/tracks/:id"
  /// Adds a file to the library.
  case upload = "POST /api/upload"
  /// Lists the playlists.
  case playlists = "GET /api/playlists"
  /// Makes a playlist.
  case createPlaylist = "POST /api/playlists"
  /// Reads a playlist by its share token.
  case sharedPlaylist = "GET /api/playlists/shared/:token"
  /// Copies a playlist, by its share token, to one's own.
  case copySharedPlaylist = "POST /api/playlists/shared/:token"
  /// Reads a playlist.
  case playlist = "GET /api/playlists/:id"
  /// Renames or publishes a playlist.
  case editPlaylist = "PATCH /api/playlists/:id"
  /// Deletes a playlist.
  case deletePlaylist = "DELETE /api/playlists/:id"
  /// Changes a playlist's tracks.
  case editPlaylistTracks = "PATCH /api/playlists/:id/tracks"
  /// Makes a playlist's share token.
  case sharePlaylist = "POST /api/playlists/:id/share"
  /// Takes a playlist's share token away.
  case unsharePlaylist = "DELETE /api/playlists/:id/share"
  /// Asks for an import.
  case fetch = "POST /api/fetch"
  /// Confirms the import of a list.
  case confirmFetch = "POST /api/fetch/confirm"
  /// Lists the imports.
  case fetchJobs = "GET /api/fetch"
  /// Cancels all imports.
  case cancelAllFetches = "DELETE /api/fetch"
  /// Cancels an import.
  case cancelFetch = "DELETE /api/fetch/:id"

  /// The HTTP method, in capitals.
  package var method: String { String(rawValue.prefix { $0 != " " }) }

  /// The template's segments, such as `["api", "tracks", ":id"]`.
  package var segments: [Substring] {
    rawValue.drop { $0 != "/" }.split(separator: "/")
  }
}
