/// An HTTP answer before it is written.
struct ServerResponse {
  /// What follows the headers.
  enum Body {
    case bytes([UInt8])
    case file(FileRegion)

    /// The bytes in all.
    var count: Int64 {
      switch self {
      case .bytes(let bytes): Int64(bytes.count)
      case .file(let region): region.range.upperBound - region.range.lowerBound
      }
    }
  }

  var status: Int
  var headers: [(name: String, value: String)] = []
  var body: Body = .bytes([])
  /// False leaves Content-Length out; the connection then ends with the body.
  var announcesLength = true
  /// Ends the connection after the answer.
  var endsConnection = false
  /// Where a fault cuts the body off.
  var cut: Int64?
  /// Where a fault holds the body back, in bytes a second.
  var bytesPerSecond: Int?

  init(status: Int, body: Body = .bytes([])) {
    self.status = status
    self.body = body
  }

  /// A JSON answer.
  init(status: Int = 200, json: [UInt8]) {
    self.init(status: status, body: .bytes(json))
    headers.append(("Content-Type", "application/json; charset=utf-8"))
  }

  /// The same answer, after which the connection ends.
  func closing() -> ServerResponse {
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
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    if announcesLength { text += "Content-Length: \(body.count)\r\n" }
    if !announcesLength || endsConnection { text += "Connection: close\r\n" }
    return Array((text + "\r\n").utf8)
  }

  private static let reasons = [
    200: "OK", 201: "Created", 204: "No Content", 206: "Partial Content", 301: "Moved Permanently",
    302: "Found", 304: "Not Modified", 308: "Permanent Redirect", 400: "Bad Request",
    401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    409: "Conflict", 411: "Length Required", 413: "Content Too Large", 416: "Range Not Satisfiable",
    426: "Upgrade Required", 429: "Too Many Requests", 500: "Internal Server Error",
    502: "Bad Gateway", 503: "Service Unavailable",
  ]

  /// The reason phrase of a status.
  static func reason(of status: Int) -> String { reasons[status] ?? "Status" }
}
