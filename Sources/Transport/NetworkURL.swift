import CCurl

/// An absolute `http`, `https`, `ws` or `wss` address, taken apart by curl's URL parser.
///
/// The path is kept byte for byte: a track's id may be any string, and percent-encoded dots or
/// slashes in it must reach the server as they were written.
package struct NetworkURL: Hashable, Sendable, CustomStringConvertible {
  /// `http`, `https`, `ws` or `wss`.
  package let scheme: String

  /// The host's name in lower case and ASCII, or its address; IPv6 without brackets.
  package let host: String

  /// The port, the scheme's own one where none is written.
  package let port: Int

  /// The percent-encoded path; begins with a slash.
  package let path: String

  /// What follows the question mark, percent-encoded, or nil.
  package let query: String?

  /// Why a text is no address for us.
  package enum ParseError: Error, Equatable, Sendable {
    /// The text can't be read as an address: curl's reason.
    case malformed(detail: String)
    /// The scheme is none of ours.
    case scheme(String)
    /// A user name or password stands in it, where it would be logged and stored.
    case userInfo
  }

  /// Reads an absolute address; a fragment is dropped.
  ///
  /// - Throws: `ParseError` when the text is no address we can use.
  package init(_ text: String) throws(ParseError) {
    try self.init(text, relativeTo: nil)
  }

  /// Reads an address, or a reference relative to another one (a `Location` header).
  ///
  /// - Throws: `ParseError` when the text is no address we can use.
  init(_ text: String, relativeTo base: NetworkURL?) throws(ParseError) {
    guard let handle = curl_url() else { throw .malformed(detail: "out of memory") }
    defer { curl_url_cleanup(handle) }
    let flags = UInt32(CURLU_PATH_AS_IS | CURLU_NON_SUPPORT_SCHEME | CURLU_DISALLOW_USER)
    if let base { curl_url_set(handle, CURLUPART_URL, base.description, flags) }
    let code = curl_url_set(handle, CURLUPART_URL, text, flags)
    if code == CURLUE_USER_NOT_ALLOWED { throw .userInfo }
    guard code == CURLUE_OK else {
      throw .malformed(detail: String(cString: curl_url_strerror(code)))
    }
    func part(_ part: CURLUPart, _ flags: Int32 = 0) -> String? {
      var value: UnsafeMutablePointer<CChar>?
      guard curl_url_get(handle, part, &value, UInt32(flags)) == CURLUE_OK, let value else {
        return nil
      }
      defer { curl_free(value) }
      return String(cString: value)
    }
    let scheme = part(CURLUPART_SCHEME)?.lowercased() ?? ""
    guard let defaultPort = Self.defaultPorts[scheme] else { throw .scheme(scheme) }
    guard var host = part(CURLUPART_HOST, CURLU_PUNYCODE)?.lowercased(), !host.isEmpty else {
      // Curl's conversion depends on the locale; libwebsockets has none at all.
      let isThere = part(CURLUPART_HOST) != nil
      throw .malformed(detail: isThere ? "write the host name in its xn-- form" : "no host")
    }
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    let port = part(CURLUPART_PORT).map { Int($0) ?? 0 } ?? defaultPort
    guard (1...65535).contains(port) else { throw .malformed(detail: "no such port") }
    self.init(
      scheme: scheme, host: host, port: port, path: part(CURLUPART_PATH) ?? "/",
      query: part(CURLUPART_QUERY))
  }

  private init(scheme: String, host: String, port: Int, path: String, query: String?) {
    self.scheme = scheme
    self.host = host
    self.port = port
    self.path = path
    self.query = query
  }

  private static let defaultPorts = ["http": 80, "https": 443, "ws": 80, "wss": 443]

  /// Whether TLS protects what goes there.
  package var isSecure: Bool { scheme == "https" || scheme == "wss" }

  /// The host and, where it isn't the scheme's own, the port; IPv6 in brackets.
  package var authority: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == Self.defaultPorts[scheme] ? name : "\(name):\(port)"
  }

  /// The path and query as a request line has them.
  package var target: String { query.map { "\(path)?\($0)" } ?? path }

  /// The whole address.
  package var description: String { "\(scheme)://\(authority)\(target)" }

  /// The address without its query, for errors and logs.
  package var redacted: String { "\(scheme)://\(authority)\(path)" }

  /// Puts a path behind the address's own one.
  ///
  /// - Parameters:
  ///   - path: percent-encoded, begins with a slash; taken as it is, never normalised.
  ///   - query: percent-encoded, without the question mark.
  /// - Returns: the longer address.
  package func appending(path: String, query: String? = nil) -> NetworkURL {
    let prefix = self.path.hasSuffix("/") ? String(self.path.dropLast()) : self.path
    return NetworkURL(scheme: scheme, host: host, port: port, path: prefix + path, query: query)
  }

  /// Takes another scheme for the same place.
  ///
  /// - Parameter scheme: one of `http`, `https`, `ws`, `wss`.
  /// - Returns: the address; a port that was the old scheme's own has become the new one's.
  package func with(scheme: String) -> NetworkURL {
    let isDefault = port == Self.defaultPorts[self.scheme]
    let port = isDefault ? Self.defaultPorts[scheme] ?? self.port : self.port
    return NetworkURL(scheme: scheme, host: host, port: port, path: path, query: query)
  }
}

extension NetworkURL {
  /// The address without a query and without slashes at the end of its path.
  package var withoutQuery: NetworkURL { with(path: path) }

  /// Takes another path on the same host, and no query.
  ///
  /// - Parameter path: percent-encoded; slashes at its end are dropped.
  /// - Returns: the address.
  package func with(path: String) -> NetworkURL {
    var path = Substring(path)
    while path.hasSuffix("/") { path.removeLast() }
    let whole = path.isEmpty ? "/" : String(path)
    return NetworkURL(scheme: scheme, host: host, port: port, path: whole, query: nil)
  }
}
