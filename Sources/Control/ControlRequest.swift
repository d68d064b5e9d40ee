package import RoomProtocol

/// One line of a client, understood: what it wants done, and its connection for the answer.
///
/// Exactly one answer belongs to a request; until it is given, the client's next one waits.
package struct ControlRequest: Sendable {
  /// What is wanted, such as `status`.
  package let verb: String
  /// The whole object, with the verb's arguments in it.
  package let body: JSONValue
  /// Who asks.
  package let connection: ControlConnection

  /// Reads a line.
  ///
  /// - Returns: the request, or what is wrong with the line.
  static func read(
    _ line: [UInt8], from connection: ControlConnection
  ) -> Result<ControlRequest, ControlFailure> {
    guard let body = JSONValue(json: line), case .object = body else {
      return .failure(ControlFailure("usage", "a request is a JSON object on one line", exit: 64))
    }
    guard let verb = body["do"].text else {
      return .failure(
        ControlFailure("usage", "a request says what to do: {\"do\": \"status\"}", exit: 64))
    }
    return .success(ControlRequest(verb: verb, body: body, connection: connection))
  }

  /// An argument; null counts as left out.
  package subscript(_ key: String) -> JSONValue? {
    let value = body[key]
    return value == .null ? nil : value
  }

  /// Answers.
  ///
  /// - Parameter members: what the answer holds beside the verb: text of JSON, each with its key.
  package func answer(_ members: [(key: String, json: String)] = []) {
    let rest = members.map { ", \"\($0.key)\": \($0.json)" }.joined()
    connection.answer("{\"answer\": \(JSONValue.text(verb).json)\(identifier)\(rest)}")
  }

  /// Says what went wrong.
  package func fail(_ failure: ControlFailure) {
    connection.answer("{\"error\": \(failure.value.json)\(identifier)}")
  }

  /// The mark that the client gave its request, given back.
  private var identifier: String { self["id"].map { ", \"id\": \($0.json)" } ?? "" }
}

/// Why something asked for was not done, as it stands on the socket: the object that `--json` shows.
package struct ControlFailure: Error, Equatable, Sendable {
  /// One word for programs (docs/exit-codes.md).
  package var code: String
  /// What could not be done and why, fit for a terminal.
  package var message: String
  /// What may help.
  package var hint: String?
  /// The status a program ends with for it.
  package var exit: Int

  /// Makes a failure.
  package init(_ code: String, _ message: String, hint: String? = nil, exit: Int) {
    self.code = code
    self.message = message
    self.hint = hint
    self.exit = exit
  }

  /// Reads the member `error` of an answer; nil where it has none.
  package init?(answer: JSONValue) {
    let error = answer["error"]
    guard error != .null else { return nil }
    self.init(
      error["code"].text ?? "bug", error["message"].text ?? "the listener names no reason",
      hint: error["hint"].text, exit: error["exit"].integer ?? 70)
  }

  var value: JSONValue {
    .object([
      .init("code", .text(code)), .init("message", .text(message)),
      .init("hint", hint.map { .text($0) } ?? .null), .init("exit", .integer(Int64(exit))),
    ])
  }
}
