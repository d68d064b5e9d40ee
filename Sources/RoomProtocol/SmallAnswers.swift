/// What the server answers to the wish for a share token, under either name.
package struct ShareAnswer: Decodable, Sendable {
  /// The token, nil where the answer has none.
  package var token: String?

  /// Reads the answer.
  ///
  /// - Parameter decoder: stands on the object.
  /// - Throws: `DecodingError` where there is no object.
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: WireKey.self)
    token = fields.text("shareToken") ?? fields.text("share_token") ?? fields.text("token")
  }
}

/// What the server answers to the wish to end one's other sessions.
package struct KickAnswer: Decodable, Sendable {
  /// How many sessions or sockets it ended, nil where not said.
  package var kicked: Int?

  /// Reads the answer.
  ///
  /// - Parameter decoder: stands on the object.
  /// - Throws: `DecodingError` where there is no object.
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: WireKey.self)
    kicked = fields.integer("kicked") ?? fields.integer("count")
  }
}
