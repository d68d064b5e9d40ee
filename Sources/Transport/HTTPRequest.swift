/// One request to a server.
package struct HTTPRequest: Sendable {
  /// The method of a request.
  package enum Method: String, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case patch = "PATCH"
    case delete = "DELETE"

    /// Whether a repeated request does no more than one.
    var isIdempotent: Bool { self == .get || self == .head }
  }

  /// The method.
  package var method: Method

  /// Where it goes.
  package var url: NetworkURL

  /// Header lines beside those the client sends by itself (User-Agent, Cookie, Content-Length).
  package var headers = HTTPHeaders()

  /// The body; POST, PATCH and DELETE send a length even without one.
  package var body: [UInt8] = []

  /// A file to send in the place of the body, as `multipart/form-data`; POST only.
  package var upload: FileUpload?

  /// The largest answer taken, in bytes, where it is not the configuration's.
  package var sizeLimit: Int?

  /// Whether the configuration's total timeout holds; never for downloads.
  package var hasTotalTimeout = true

  /// Whether the configuration's idle timeout holds: not where the server has to work for long before
  /// it says a word.
  package var hasIdleTimeout = true

  /// How often a GET or HEAD is tried again after a failed connection or a 502, 503 or 504.
  package var retries = 2

  /// Whether a redirect to another host is followed, without any cookie, instead of reported.
  package var followsToOtherHosts = false

  /// Whether a download may come compressed; its receiver gets plain bytes, of an unknown number.
  package var takesCompression = false

  /// Whether it goes by HTTP/1.1 on a connection it shares with no other request at the same time.
  ///
  /// For requests whose times are measured.
  package var isAlone = false

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - method: the method.
  ///   - url: an `http` or `https` address.
  package init(_ method: Method, _ url: NetworkURL) {
    self.method = method
    self.url = url
  }
}
