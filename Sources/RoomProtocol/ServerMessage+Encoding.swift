extension ServerMessage: Encodable {
  /// Writes the message as a server does.
  ///
  /// - Parameter encoder: receives the object.
  /// - Throws: `EncodingError` for `unknown` and `broken`, which no server sends, and what the
  ///   encoder throws.
  package func encode(to encoder: any Encoder) throws {
    switch self {
    case .state(let received):
      var state = received.state
      state.queue = try received.queueText?.decode().elements
      try state.encode(to: encoder)
    case .unknown, .broken:
      throw EncodingError.invalidValue(
        self, .init(codingPath: encoder.codingPath, debugDescription: "no message of ours"))
    default:
      var fields = encoder.container(keyedBy: WireKey.self)
      try encodeTyped(into: &fields)
    }
  }

  private func encodeTyped(into fields: inout KeyedEncodingContainer<WireKey>) throws {
    switch self {
    case .channelList(let channels):
      try fields.encode("channel_list", forKey: "type")
      try fields.encode(channels, forKey: "channels")
    case .switched(let channel):
      try fields.encode("switched", forKey: "type")
      try fields.encodeIfPresent(channel, forKey: "channelId")
    case .kick(let reason):
      try fields.encode("kick", forKey: "type")
      try fields.encode(reason, forKey: "reason")
    case .toast(let message, let kind):
      try fields.encode("toast", forKey: "type")
      try fields.encode(message, forKey: "message")
      try fields.encode(kind, forKey: "toastType")
    case .scanProgress(let scanning, let processed, let total):
      try fields.encode("scan_progress", forKey: "type")
      try fields.encode(scanning, forKey: "scanning")
      try fields.encode(processed, forKey: "processed")
      try fields.encode(total, forKey: "total")
    case .fetch(let update):
      try fields.encode(update.type, forKey: "type")
      try fields.encodeIfPresent(update.id, forKey: "id")
      try fields.encodeIfPresent(update.status, forKey: "status")
      try fields.encodeIfPresent(update.progress, forKey: "progress")
      try fields.encodeIfPresent(update.title, forKey: "title")
      try fields.encodeIfPresent(update.message, forKey: "message")
      try fields.encodeIfPresent(update.trackID, forKey: "trackId")
    case .error(let message):
      try fields.encode("error", forKey: "type")
      try fields.encode(message, forKey: "message")
    case .state, .unknown, .broken:
      break
    }
  }
}
