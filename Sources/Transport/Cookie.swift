import CCurl

/// One cookie with the places it may go to, in curl's terms: a line of a Netscape cookie file.
///
/// Its value never appears in `description`, so that no log and no error text gives a session away.
package struct Cookie: Hashable, Sendable, CustomStringConvertible {
  /// The host it belongs to, in lower case, without a leading dot.
  package var domain: String
  /// Whether hosts below that domain get it too.
  package var includesSubdomains: Bool
  /// The beginning that a request's path must have.
  package var path: String
  /// Whether it goes over TLS only.
  package var isSecure: Bool
  /// Whether it is hidden from scripts; kept, for us without meaning.
  package var isHTTPOnly: Bool
  /// When it ends, in seconds of the Unix epoch; 0 for one without an end.
  package var expires: Int64
  /// The name.
  package var name: String
  /// The value: a secret.
  package var value: String

  /// The name and the domain, without the value.
  package var description: String { "cookie \(name) of \(domain)\(path)" }

  /// Reads one line of a Netscape cookie file; nil for comments, blank and broken lines.
  package init?(netscapeLine line: String) {
    var line = Substring(line)
    let mark = "#HttpOnly_"
    isHTTPOnly = line.hasPrefix(mark)
    if isHTTPOnly { line = line.dropFirst(mark.count) }
    guard !line.hasPrefix("#") else { return nil }
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    guard fields.count == 7 || fields.count == 6, let expires = Int64(fields[4]) else { return nil }
    domain = Self.host(fields[0])
    includesSubdomains = fields[1].uppercased() == "TRUE"
    path = fields[2]
    isSecure = fields[3].uppercased() == "TRUE"
    self.expires = expires
    name = fields[5]
    value = fields.count == 7 ? fields[6] : ""
    guard !domain.isEmpty, path.hasPrefix("/"), isWellFormed else { return nil }
  }

  /// Reads a `Set-Cookie` header by RFC 6265; nil where it must be ignored.
  ///
  /// - Parameters:
  ///   - header: the header's value.
  ///   - url: the address that sent it.
  ///   - now: seconds of the Unix epoch.
  package init?(setCookie header: String, from url: NetworkURL, now: Int64) {
    var parts = header.split(separator: ";", omittingEmptySubsequences: false)[...]
    guard let pair = parts.popFirst(), let equals = pair.firstIndex(of: "=") else { return nil }
    name = pair[..<equals].trimmingBlanks
    value = pair[pair.index(after: equals)...].trimmingBlanks
    domain = url.host
    includesSubdomains = false
    path = Self.defaultPath(of: url.path)
    isSecure = false
    isHTTPOnly = false
    expires = 0
    var hasMaxAge = false
    for part in parts {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let argument = halves.count == 2 ? halves[1].trimmingBlanks : ""
      switch halves[0].trimmingBlanks.lowercased() {
      case "domain" where !argument.isEmpty:
        guard claim(domain: argument, by: url.host) else { return nil }
      case "path" where argument.hasPrefix("/"):
        path = argument
      case "secure":
        isSecure = true
      case "httponly":
        isHTTPOnly = true
      case "max-age":
        guard let seconds = Int64(argument) else { continue }
        hasMaxAge = true
        expires = seconds <= 0 ? 1 : now.addingReportingOverflow(seconds).partialValue
      case "expires" where !hasMaxAge:
        let date = Int64(curl_getdate(argument, nil))
        if date != -1 { expires = max(1, date) }
      default:
        continue
      }
    }
    guard isWellFormed, !isSecure || url.isSecure else { return nil }
  }

  /// Takes the domain a server claims: its own host or a parent of it, not a bare top level.
  private mutating func claim(domain claimed: String, by host: String) -> Bool {
    let claimed = Self.host(claimed)
    if claimed == host {
      includesSubdomains = !Self.isAddress(host)
      return true
    }
    guard host.hasSuffix("." + claimed), claimed.contains("."), !Self.isAddress(host) else {
      return false
    }
    domain = claimed
    includesSubdomains = true
    return true
  }

  private var isWellFormed: Bool {
    let isClean = { (text: String) in text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
    return !name.isEmpty && [domain, path, name, value].allSatisfy(isClean)
  }

  private static func host(_ text: String) -> String {
    String(text.lowercased().drop { $0 == "." })
  }

  private static func isAddress(_ host: String) -> Bool {
    host.contains(":") || host.utf8.allSatisfy { $0 == 0x2E || (0x30...0x39).contains($0) }
  }

  private static func defaultPath(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  /// The cookie as a line of a Netscape cookie file, without a line end.
  package var netscapeLine: String {
    let flag = { (value: Bool) in value ? "TRUE" : "FALSE" }
    let place = (isHTTPOnly ? "#HttpOnly_" : "") + (includesSubdomains ? "." : "") + domain
    return [
      place, flag(includesSubdomains), path, flag(isSecure), String(expires), name, value,
    ].joined(separator: "\t")
  }

  /// Whether it has ended at `now`, in seconds of the Unix epoch.
  package func isExpired(now: Int64) -> Bool { expires != 0 && expires <= now }

  /// Whether it is to be sent with a request to an address, its end aside.
  package func applies(to url: NetworkURL) -> Bool {
    guard !isSecure || url.isSecure else { return false }
    guard url.host == domain || (includesSubdomains && url.host.hasSuffix("." + domain)) else {
      return false
    }
    let requested = url.path
    guard requested.hasPrefix(path) else { return false }
    return requested.count == path.count || path.hasSuffix("/")
      || requested.dropFirst(path.count).hasPrefix("/")
  }
}
