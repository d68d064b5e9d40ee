/// Why a request, a download or a WebSocket failed below the level of answers.
///
/// An answer with an error status is no transport error: it is an answer. The exception is a refused
/// WebSocket, which has no other way to tell its status.
package struct TransportError: Error, Equatable, Sendable {
  /// What was attempted: an HTTP method such as `GET`, or `WebSocket`.
  package var operation: String

  /// The address it was about, without user name, query and fragment.
  package var url: String

  /// What went wrong.
  package var cause: Cause

  /// Whether the request had left: the server may have obeyed it, and only its answer is lost.
  package var wasSent: Bool

  /// Joins the facts of a failure.
  package init(operation: String, url: String, cause: Cause, wasSent: Bool = false) {
    self.operation = operation
    self.url = url
    self.cause = cause
    self.wasSent = wasSent
  }

  /// What went wrong; texts named `detail` are the libraries' own.
  package enum Cause: Equatable, Sendable {
    /// The host's name has no address.
    case unknownHost(String)
    /// Nobody answers there: refused, no route, network down.
    case unreachable(detail: String)
    /// It took too long, to connect or to go on.
    case timeout(detail: String)
    /// The server's certificate is not trusted or bears another name.
    case untrusted(host: String, detail: String)
    /// The file of trusted certificates can't be used.
    case certificateFile(path: String)
    /// The handshake of a WebSocket was answered with this status instead.
    case http(status: Int)
    /// The answer points to another place, which is not followed: the place.
    case redirected(to: String)
    /// The answer or message is larger than the limit, in bytes.
    case tooLarge(limit: Int)
    /// The file that was to be sent can't be read, or no longer to its end.
    case unreadable(path: String)
    /// The connection broke in the middle.
    case interrupted(detail: String)
    /// The other side does not speak the protocol.
    case protocolViolation(detail: String)
    /// The receiver of a download wanted no more.
    case aborted
    /// The task was cancelled.
    case cancelled
    /// The client was shut down.
    case stopped
  }
}
