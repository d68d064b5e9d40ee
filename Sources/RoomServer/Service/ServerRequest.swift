import CWebSockets

/// One HTTP request, or the request of a WebSocket's upgrade, as read from the library.
struct ServerRequest {
  var method = ""
  /// The path, decoded and normalised by the library, without the server's prefix.
  var path = ""
  var cookies: [String: String] = [:]
  var range: String?
  var ifRange: String?
  var contentLength: Int?
  var isChunked = false
  var userAgent: String?
  var body: [UInt8] = []
}

extension ServerRequest {
  /// Reads the headers of the request that `wsi` is in.
  ///
  /// - Returns: nil where the library knows no method, or the path is outside of the prefix.
  init?(reading wsi: OpaquePointer, prefix: String) {
    guard let (method, path) = Self.target(of: wsi) else { return nil }
    self.method = method
    guard let path = Self.strip(prefix, from: path) else { return nil }
    self.path = path
    range = Self.header(WSI_TOKEN_HTTP_RANGE, of: wsi)
    ifRange = Self.header(WSI_TOKEN_HTTP_IF_RANGE, of: wsi)
    contentLength = Self.header(WSI_TOKEN_HTTP_CONTENT_LENGTH, of: wsi).flatMap { Int($0) }
    isChunked = Self.header(WSI_TOKEN_HTTP_TRANSFER_ENCODING, of: wsi) != nil
    userAgent = Self.header(WSI_TOKEN_HTTP_USER_AGENT, of: wsi)
    cookies = Self.cookies(Self.header(WSI_TOKEN_HTTP_COOKIE, of: wsi) ?? "")
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

  private static func target(of wsi: OpaquePointer) -> (method: String, path: String)? {
    for (token, method) in methods {
      if let path = header(token, of: wsi) { return (method, path) }
    }
    return nil
  }

  private static func strip(_ prefix: String, from path: String) -> String? {
    guard path.hasPrefix(prefix) else { return nil }
    let rest = path.dropFirst(prefix.count)
    if rest.isEmpty { return "/" }
    return rest.first == "/" ? String(rest) : nil
  }

  private static func header(_ token: lws_token_indexes, of wsi: OpaquePointer) -> String? {
    let length = Int(lws_hdr_total_length(wsi, token))
    guard length > 0 else { return nil }
    let bytes = [CChar](unsafeUninitializedCapacity: length + 1) { buffer, count in
      let copied = lws_hdr_copy(wsi, buffer.baseAddress, Int32(length + 1), token)
      count = max(0, Int(copied))
    }
    return String(decoding: bytes.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
