package import Transport

/// Why a server did not do what it was asked.
///
/// Messages are the server's own words, at most 300 characters; they may hold control characters:
/// escape them before they reach a terminal. `operation` is method and path, such as
/// `GET /api/channels`.
package enum RoomError: Error, Equatable, Sendable {
  /// 401: the session is gone, or user and password don't fit.
  case notSignedIn(operation: String, message: String)
  /// 403: no permission.
  case forbidden(operation: String, message: String)
  /// 404: there is no such thing, or no such server at this address.
  case notFound(operation: String, message: String)
  /// Any other status that is no success.
  case server(operation: String, status: Int, message: String)
  /// An answer outside the protocol: what it is instead.
  case unexpected(operation: String, what: String)
  /// There was no answer.
  case transport(TransportError)
}
