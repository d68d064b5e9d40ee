import RoomProtocol
import Storage
import Transport

/// Who a request or a socket belongs to.
struct Session {
  /// The hash of the cookie's token: what the database knows the session by.
  var key: [UInt8]
  var user: User

  /// Whom a listener is counted as: a person once, whatever the number of their sockets.
  var listenerName: String { user.username }
}

/// The cookie of a session.
enum SessionCookie {
  static let name = "blastoise_session"
  /// How long a session lasts, in seconds.
  static let lifetime: Int64 = 30 * 24 * 3600

  /// A fresh token: 256 random bits.
  static func makeToken() -> String { Hex.string(SecureRandom.bytes(32)) }

  /// What a token is stored as.
  static func key(of token: String) -> [UInt8] { ContentHash.digest(of: token.utf8).bytes }

  /// The `Set-Cookie` header of a new session, or, without a token, of one that ended.
  static func header(token: String?, pathPrefix: String, isSecure: Bool) -> HTTPHeaders {
    var value = "\(name)=\(token ?? ""); Path=\(pathPrefix)/; HttpOnly; SameSite=Lax"
    value += "; Max-Age=\(token == nil ? 0 : lifetime)"
    if isSecure { value += "; Secure" }
    return HTTPHeaders(["Set-Cookie": value])
  }
}
