/// Every REST path of the protocol, once: its method and its template.
///
/// A template has at most one variable segment, written `:name`.
package enum Endpoint: String, CaseIterable, Sendable {
  case status = "GET /api/status"
  case signup = "POST /api/auth/signup"
  case login = "POST /api/auth/login"
  case logout = "POST /api/auth/logout"
  case me = "GET /api/auth/me"
  case kickOthers = "POST /api/auth/kick-others"
  case channels = "GET /api/channels"
  case createChannel = "POST /api/channels"
  case channel = "GET /api/channels/:id"
  case editChannel = "PATCH /api/channels/:id"
  case deleteChannel = "DELETE /api/channels/:id"
  case jump = "POST /api/channels/:id/jump"
  case seek = "POST /api/channels/:id/seek"
  case setMode = "POST /api/channels/:id/mode"
  case editQueue = "PATCH /api/channels/:id/queue"
  case socket = "GET /api/channels/:id/ws"
  case library = "GET /api/library"
  case track = "GET /api/tracks/:id"
  case upload = "POST /api/upload"
  case playlists = "GET /api/playlists"
  case createPlaylist = "POST /api/playlists"
  case sharedPlaylist = "GET /api/playlists/shared/:token"
  case copySharedPlaylist = "POST /api/playlists/shared/:token"
  case playlist = "GET /api/playlists/:id"
  case editPlaylist = "PATCH /api/playlists/:id"
  case deletePlaylist = "DELETE /api/playlists/:id"
  case editPlaylistTracks = "PATCH /api/playlists/:id/tracks"
  case sharePlaylist = "POST /api/playlists/:id/share"
  case unsharePlaylist = "DELETE /api/playlists/:id/share"
  case fetch = "POST /api/fetch"
  case confirmFetch = "POST /api/fetch/confirm"
  case fetchJobs = "GET /api/fetch"
  case cancelAllFetches = "DELETE /api/fetch"
  case cancelFetch = "DELETE /api/fetch/:id"

  /// The HTTP method, in capitals.
  package var method: String { String(rawValue.prefix { $0 != " " }) }

  /// The template's segments, such as `["api", "tracks", ":id"]`.
  package var segments: [Substring] {
    rawValue.drop { $0 != "/" }.split(separator: "/")
  }

  /// Whether a request with another method may follow a failure without harm.
  package var isIdempotent: Bool { method != "POST" && method != "PATCH" }
}
