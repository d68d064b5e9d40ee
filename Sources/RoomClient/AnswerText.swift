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
    if let page = WebPage(response) {
      return "HTTP \(response.status), \(page.title ?? "a web page")"
    }
    let text = ServerError.text(in: response.body) ?? "HTTP \(response.status)"
    return String(text.prefix(limit))
  }

  /// What stands in an answer where JSON of the protocol was to stand.
  static func nature(of response: HTTPResponse) -> String {
    if response.body.isEmpty { return "an empty answer" }
    guard let page = WebPage(response) else { return "an answer of another shape" }
    return page.title.map { "a web page: \($0)" } ?? "a web page"
  }
}
