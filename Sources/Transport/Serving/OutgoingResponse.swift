/// An HTTP answer before it is written.
package struct OutgoingResponse {
  /// What follows the headers.
  package enum Body {
    /// Bytes in memory.
    case bytes([UInt8])
    /// Bytes read piece by piece as they go out.
    case source(any BodySource)

    /// The bytes in all.
    package var count: Int64 {
      switch self {
      case .bytes(let bytes): Int64(bytes.count)
      case .source(let source): source.count
      }
    }
  }

  /// The status code.
  package var status: Int

  /// Lines beside those of the server itself (Server, Content-Length, Connection).
  package var headers = HTTPHeaders()

  /// What follows the headers; HEAD gets its length alone.
  package var body: Body

  /// False leaves Content-Length out; the connection then ends with the body.
  package var announcesLength = true

  /// Ends the connection after the answer.
  package var endsConnection = false

  /// Breaks the connection off after so many bytes of the body.
  package var cut: Int64?

  /// Holds the body back to so many bytes a second.
  package var bytesPerSecond: Int?

  /// Makes an answer.
  package init(status: Int, body: Body = .bytes([])) {
    self.status = status
    self.body = body
  }

  /// Makes an answer of JSON.
  package init(status: Int = 200, json: [UInt8]) {
    self.init(status: status, body: .bytes(json))
    headers.add("Content-Type", "application/json; charset=utf-8")
  }

  /// The same answer, after which the connection ends.
  func closing() -> OutgoingResponse {
    var response = self
    response.endsConnection = true
    return response
  }

  /// Whether the connection goes on after this answer.
  var keepsAlive: Bool { announcesLength && cut == nil && !endsConnection }

  /// The head as it goes over the line.
  func head(server: String) -> [UInt8] {
    var text = "HTTP/1.1 \(status) \(Self.reason(of: status))\r\n"
    text += "Server: \(server)\r\n"
    text += headers.lines
    // Those two never have a body, and no length of it either.
    if announcesLength, status != 204, status != 304 { text += "Content-Length: \(body.count)\r\n" }
    if !announcesLength || endsConnection { text += "Connection: close\r\n" }
    return Array((text + "\r\n").utf8)
  }

  private static let reasons = [
    200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 206: "Partial Content",
    301: "Moved Permanently",
    302: "Found", 304: "Not Modified", 308: "Permanent Redirect", 400: "Bad Request",
    401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    409: "Conflict", 411: "Length Required", 413: "Content Too Large", 416: "Range Not Satisfiable",
    422: "Unprocessable Content",
    426: "Upgrade Required", 429: "Too Many Requests", 500: "Internal Server Error",
    502: "Bad Gateway", 503: "Service Unavailable", 507: "Insufficient Storage",
  ]

  /// The reason phrase of a status.
  static func reason(of status: Int) -> String { reasons[status] ?? "Status" }
}
