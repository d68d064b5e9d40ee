import CWebSockets

/// One HTTP request, or the request of a WebSocket's upgrade, as read from the library.
package struct IncomingRequest: Sendable {
  /// The method, such as `GET`.
  package internal(set) var method = ""

  /// The path, decoded and normalised by the library, without the server's prefix.
  package internal(set) var path = ""

  /// The cookies by name.
  package internal(set) var cookies: [String: String] = [:]

  /// The `Range` header.
  package internal(set) var range: String?

  /// The `If-Range` header.
  package internal(set) var ifRange: String?

  /// The `If-None-Match` header.
  package internal(set) var ifNoneMatch: String?

  /// The body, whole; empty where there is none.
  package internal(set) var body: [UInt8] = []

  /// The `Content-Type` header.
  package internal(set) var contentType: String?

  /// The announced length of the body, in bytes.
  package internal(set) var contentLength: Int?

  /// The address it came from, as text; behind a proxy the proxy's.
  package internal(set) var sender = ""

  var isChunked = false
  var expectsContinue = false
}

extension IncomingRequest {
  /// Reads the headers of the request that `wsi` is in.
  ///
  /// - Returns: nil where the library knows no method, or the path is outside of the prefix.
  init?(reading wsi: OpaquePointer, prefix: String) {
    let headers = ReceivedHeaders(of: wsi)
    guard let (method, path) = Self.target(in: headers) else { return nil }
    self.method = method
    guard let path = Self.strip(prefix, from: path) else { return nil }
    self.path = path
    range = headers.value(of: WSI_TOKEN_HTTP_RANGE)
    ifRange = headers.value(of: WSI_TOKEN_HTTP_IF_RANGE)
    ifNoneMatch = headers.value(of: WSI_TOKEN_HTTP_IF_NONE_MATCH)
    contentLength = headers.value(of: WSI_TOKEN_HTTP_CONTENT_LENGTH).flatMap { Int($0) }
    isChunked = headers.value(of: WSI_TOKEN_HTTP_TRANSFER_ENCODING) != nil
    contentType = headers.value(of: WSI_TOKEN_HTTP_CONTENT_TYPE)
    let expectation = headers.value(of: WSI_TOKEN_HTTP_EXPECT)
    expectsContinue = expectation?.lowercased() == "100-continue"
    cookies = Self.cookies(headers.value(of: WSI_TOKEN_HTTP_COOKIE) ?? "")
    sender = Self.peer(of: wsi)
  }

  private static func peer(of wsi: OpaquePointer) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
      text.initialize(repeating: 0)
      guard let start = text.baseAddress, lws_get_peer_simple(wsi, start, text.count) != nil
      else { return "" }
      return String(cString: start)
    }
  }

  /// The pairs of a `Cookie` header; the first of a name counts.
  static func cookies(_ header: String) -> [String: String] {
    var cookies: [String: String] = [:]
    for pair in header.split(separator: ";") {
      guard let equals = pair.firstIndex(of: "=") else { continue }
      let name = pair[..<equals].drop { $0 == " " }
      let value = pair[pair.index(after: equals)...]
      if cookies[String(name)] == nil { cookies[String(name)] = String(value) }
    }
    return cookies
  }

  private static let methods: [(lws_token_indexes, String)] = [
    (WSI_TOKEN_GET_URI, "GET"), (WSI_TOKEN_HEAD_URI, "HEAD"), (WSI_TOKEN_POST_URI, "POST"),
    (WSI_TOKEN_PATCH_URI, "PATCH"), (WSI_TOKEN_DELETE_URI, "DELETE"), (WSI_TOKEN_PUT_URI, "PUT"),
    (WSI_TOKEN_OPTIONS_URI, "OPTIONS"),
  ]

  private static func target(in headers: ReceivedHeaders) -> (method: String, path: String)? {
    for (token, method) in methods {
      if let path = headers.value(of: token) { return (method, path) }
    }
    return nil
  }

  private static func strip(_ prefix: String, from path: String) -> String? {
    guard path.hasPrefix(prefix) else { return nil }
    let rest = path.dropFirst(prefix.count)
    if rest.isEmpty { return "/" }
    return rest.first == "/" ? String(rest) : nil
  }
}
