/// What the server answers to the wish for a share token, under either name.
package struct ShareAnswer: WireReadable, Sendable {
  /// The token, nil where the answer has none.
  package var token: String?

  /// Reads the answer.
  ///
  /// - Parameter wire: the object.
  /// - Throws: `WireError` where there is no object.
  package init(wire: JSONValue) throws(WireError) {
    let fields = try WireFields(wire)
    token = fields.text("shareToken") ?? fields.text("share_token") ?? fields.text("token")
  }
}

/// What the server answers to the wish to end one's other sessions.
package struct KickAnswer: WireReadable, Sendable {
  /// How many sessions or sockets it ended, nil where not said.
  package var kicked: Int?

  /// Reads the answer.
  ///
  /// - Parameter wire: the object.
  /// - Throws: `WireError` where there is no object.
  package init(wire: JSONValue) throws(WireError) {
    let fields = try WireFields(wire)
    kicked = fields.integer("kicked") ?? fields.integer("count")
  }
}

/// What the server answers to an edit of a queue.
package struct QueueAnswer: WireReadable, Sendable {
  /// How many rows there are after it, nil where not said.
  package var length: Int?

  /// Reads the answer.
  ///
  /// - Parameter wire: the object.
  /// - Throws: `WireError` where there is no object.
  package init(wire: JSONValue) throws(WireError) {
    let fields = try WireFields(wire)
    length = fields.integer("queueLength") ?? fields.integer("queue_length")
  }
}
