import RoomProtocol
import Transport

/// What an answer's body says to people, in few words.
enum AnswerText {
  private static let limit = 300

  /// The server's message in an answer that is no success.
  ///
  /// - Parameter response: the answer.
  /// - Returns: its JSON `error` or `message`, else its text, else `HTTP <status>`; of a web page its title.
  static func message(of response: HTTPResponse) -> String {
    if let title = pageTitle(response) { return title }
    let text = ServerError.text(in: response.body) ?? "HTTP \(response.status)"
    return String(text.prefix(limit))
  }

  /// What stands in an answer where JSON of the protocol was to stand.
  static func nature(of response: HTTPResponse) -> String {
    if response.body.isEmpty { return "an empty answer" }
    if let title = pageTitle(response) { return "a web page: \(title)" }
    return "an answer of another shape"
  }

  /// Whether a web page stands there, as of a proxy in between, and not the server's answer.
  static func isPage(_ response: HTTPResponse) -> Bool { pageTitle(response) != nil }

  /// The title of a web page, or that it has none; nil for what is no web page.
  private static func pageTitle(_ response: HTTPResponse) -> String? {
    let isDeclared = response.headers["Content-Type"]?.lowercased().hasPrefix("text/html") ?? false
    let bytes = Array(response.body.prefix(16384))
    let lower = bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    let start = String(decoding: lower.drop { $0 <= 0x20 }.prefix(15), as: UTF8.self)
    let isPage = start.hasPrefix("<!doctype html") || start.hasPrefix("<html")
    guard isPage || (isDeclared && start.hasPrefix("<")) else { return nil }
    guard let open = lower.firstRange(of: Array("<title>".utf8)),
      let close = lower[open.upperBound...].firstRange(of: Array("</title>".utf8))
    else { return "HTTP \(response.status), a web page" }
    let title = String(decoding: bytes[open.upperBound..<close.lowerBound], as: UTF8.self)
    let words = title.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return "HTTP \(response.status), \(words.prefix(limit))"
  }
}
