/// The body of an answer that is no success: `{"error": "..."}`.
package struct ServerError: WireWritable, Hashable, Sendable {
  /// What went wrong, for people.
  package var error: String

  /// Makes the body.
  package init(_ error: String) { self.error = error }

  /// The body as our server writes it.
  package var wire: JSONValue { .fields(["error": error]) }

  /// What a body says went wrong: its JSON `error`, else `message`, else its text.
  ///
  /// At most 1,000 characters of it, trimmed; it may hold control characters.
  ///
  /// - Parameter body: the bytes of the answer, of any kind.
  /// - Returns: nil where there is nothing to read: say the HTTP status then.
  package static func text(in body: [UInt8]) -> String? {
    if let answer = try? WireJSON.decode(Answer.self, from: body), let text = answer.text {
      return text
    }
    return String(decoding: body.prefix(4096), as: UTF8.self).readable
  }

  private struct Answer: WireReadable {
    var text: String?

    init(wire: JSONValue) throws(WireError) {
      if let plain = wire.text {
        text = plain.readable
        return
      }
      let fields = try WireFields(wire)
      let nested = fields.value("error", as: Answer.self)?.text
      text = nested ?? fields.text("message")?.readable
    }
  }
}

extension String {
  /// The text without blanks around it, at most 1,000 characters; nil when nothing is left.
  fileprivate var readable: String? {
    guard let first = firstIndex(where: { !$0.isWhitespace }) else { return nil }
    let text = self[first...].prefix(1000)
    guard let last = text.lastIndex(where: { !$0.isWhitespace }) else { return nil }
    return String(text[...last])
  }
}
