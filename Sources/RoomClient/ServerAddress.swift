package import RoomProtocol
package import Transport

/// A room server's address, as people type it and as requests need it.
///
/// The rules are protocol.md section 1: blanks and slashes at the end don't count, a missing scheme
/// is `http` for what is near and `https` for the rest, a prefix of the path is kept.
package struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
  /// The `http` or `https` address everything is appended to, without a slash at the end.
  package let base: NetworkURL

  /// The server that is meant where nobody names one.
  package static let standard: ServerAddress = {
    guard let address = try? ServerAddress("https://tunes.peterino.com") else {
      preconditionFailure("the standard address can't be read")
    }
    return address
  }()

  /// Why a text is no server's address.
  package enum ReadingError: Error, Equatable, Sendable {
    /// The text, and the parser's reason.
    case malformed(text: String, detail: String)
    /// The text, and its scheme, which is none of `http` and `https`.
    case scheme(text: String, scheme: String)
    /// A user name or password stands in it; the text is left out on purpose.
    case userInfo
    /// There is nothing to read.
    case blank
  }

  /// Reads what somebody typed or stored.
  ///
  /// - Parameter text: an address; `ws` and `wss` are read as `http` and `https`. An old default
  ///   server becomes the present one.
  /// - Throws: `ReadingError` when it is none.
  package init(_ text: String) throws(ReadingError) {
    guard !Self.isBlank(text) else { throw .blank }
    let bare = Self.trimmed(text)
    let url: NetworkURL
    do throws(NetworkURL.ParseError) {
      url = try Self.parse(bare)
    } catch {
      switch error {
      case .malformed(let detail):
        let needsBrackets =
          !bare.contains("[") && bare.replacing("://", with: "").count { $0 == ":" } > 1
        throw .malformed(
          text: bare,
          detail: needsBrackets ? "an IPv6 address stands in brackets: http://[::1]:3001" : detail)
      case .scheme(let scheme): throw .scheme(text: bare, scheme: scheme)
      case .userInfo: throw .userInfo
      }
    }
    let isOldDefault = url.description == "http://mhsgroove.peterino.com:3001/"
    self = isOldDefault ? .standard : ServerAddress(base: url)
  }

  /// Reads a setting: nil or blank means the standard server.
  ///
  /// - Parameter text: an address, or nothing.
  /// - Returns: the address.
  /// - Throws: `ReadingError` when it is none.
  package static func setting(_ text: String?) throws(ReadingError) -> ServerAddress {
    guard let text, !isBlank(text) else { return .standard }
    return try ServerAddress(text)
  }

  private init(base: NetworkURL) {
    self.base = base.withoutQuery
  }

  private static func isBlank(_ text: String) -> Bool {
    text.allSatisfy { $0.isWhitespace || $0 == "/" }
  }

  private static func trimmed(_ text: String) -> String {
    var text = text.drop(while: \.isWhitespace)
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text)
  }

  private static func parse(_ text: String) throws(NetworkURL.ParseError) -> NetworkURL {
    guard text.contains("://") else {
      let near = try NetworkURL("http://\(text)")
      return isNear(near.host) ? near : try NetworkURL("https://\(text)")
    }
    let url = try NetworkURL(text)
    return url.with(scheme: url.isSecure ? "https" : "http")
  }

  /// Whether a host is on this machine or in its own network, where `https` is not to be expected.
  static func isNear(_ host: String) -> Bool {
    if host == "localhost" || [".localhost", ".local"].contains(where: host.hasSuffix) {
      return true
    }
    if host.contains(":") {
      let isLinkLocal = ["fe8", "fe9", "fea", "feb"].contains(where: host.hasPrefix)
      return host == "::1" || isLinkLocal || host.hasPrefix("fc") || host.hasPrefix("fd")
    }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    guard parts.count == 4, let first = parts[0], let second = parts[1], parts[2] != nil,
      parts[3] != nil
    else { return false }
    return switch (first, second) {
    case (10, _), (127, _), (192, 168), (172, 16...31), (169, 254): true
    default: false
    }
  }

  /// The address as it is stored and shown, without a slash at the end.
  package var description: String {
    let text = base.description
    return text.hasSuffix("/") ? String(text.dropLast()) : text
  }

  /// Whether what goes there is protected by TLS.
  package var isSecure: Bool { base.isSecure }

  /// Whether the host is on this machine or in a private network.
  package var isNear: Bool { Self.isNear(base.host) }

  /// Whether another address is of the same server: `http` and `https` of one host share sessions.
  package func isSame(as other: ServerAddress) -> Bool {
    base.authority == other.base.authority && base.path == other.base.path
  }

  /// The address of a REST resource.
  package func url(_ route: Route) -> NetworkURL {
    base.appending(path: route.path)
  }

  /// The address of a channel's WebSocket.
  package func socketURL(_ channel: ChannelID) -> NetworkURL {
    url(.socket(channel)).with(scheme: isSecure ? "wss" : "ws")
  }

  /// The address the server turned out to have: `https` instead of `http`, same host and prefix.
  ///
  /// - Parameters:
  ///   - url: where the answer to a request of `route` came from in the end.
  ///   - route: the request.
  /// - Returns: nil where the address is the same, or is no place of the same server.
  func successor(from url: NetworkURL, of route: Route) -> ServerAddress? {
    guard base.scheme == "http", url.scheme == "https", url.host == base.host,
      url.path.hasSuffix(route.path)
    else { return nil }
    let prefix = String(url.path.dropLast(route.path.count))
    return ServerAddress(base: url.with(path: prefix))
  }
}
