/// One message of the server on the socket.
package enum ServerMessage: Equatable, Sendable {
  /// The message without a type: what the channel does.
  case state(ReceivedState)
  /// The channels there are now.
  case channelList(TolerantList<ChannelInfo>)
  /// The socket now belongs to another channel; nil where the server did not say which.
  case switched(to: ChannelID?)
  /// The server ends the session for good: don't reconnect.
  case kick(reason: String)
  /// A word for people; the kind is such as `info` or `error`.
  case toast(message: String, kind: String)
  /// The server reads its folder of music.
  case scanProgress(scanning: Bool, processed: Int, total: Int)
  /// An import came on, ended or failed.
  case fetch(FetchUpdate)
  /// The server could not do what it was asked on the socket.
  case error(message: String)
  /// A frame that is JSON but none of ours; count it, report it once, go on.
  case unknown(type: String?)
  /// A frame that can't be read; count it, report it once, go on.
  case broken(reason: String)

  /// The largest frame that is looked at, in bytes.
  package static let sizeLimit = 128 << 20

  /// Reads a frame; whatever it holds, there is a case for it.
  ///
  /// - Parameter bytes: one whole message.
  package init(decoding bytes: [UInt8]) {
    guard bytes.count <= Self.sizeLimit else {
      self = .broken(reason: "larger than \(Self.sizeLimit >> 20) MiB")
      return
    }
    let queue = JSONSplitter(field: "queue", in: bytes)
    var head = bytes
    if let queue {
      head = [UInt8](bytes[..<queue.field.lowerBound]) + bytes[queue.field.upperBound...]
    }
    do {
      self = try WireJSON.decode(Frame.self, from: head).message
    } catch {
      self = .broken(reason: Self.reason(error))
      return
    }
    // A queue that is no list says nothing: the last one stands.
    if case .state(var received) = self, let queue, bytes[queue.value].first == UInt8(ascii: "[") {
      received.queueText = QueueText([UInt8](bytes[queue.value]))
      self = .state(received)
    }
  }

  private static func reason(_ error: WireError) -> String {
    switch error {
    case .unreadable(let path) where path.isEmpty: "not a JSON object"
    case .unreadable(let path): "unreadable \(path.joined(separator: "."))"
    case .notJSON, .notFinite: "not JSON"
    }
  }
}

/// Progress of an import, as a `fetch_*` message says it; only the type is sure.
package struct FetchUpdate: Hashable, Sendable {
  /// The message's type, such as `fetch_progress` or `fetch_complete`.
  package var type: String
  /// The import, nil where not said.
  package var id: FetchID?
  /// What it is at, such as `downloading`.
  package var status: String?
  /// In percent.
  package var progress: Double?
  /// The title of what is imported.
  package var title: String?
  /// What the server tells people of it, an error's text among it.
  package var message: String?
  /// The track it became, nil where not said.
  package var trackID: TrackID?

  /// Makes an update.
  package init(
    type: String, id: FetchID? = nil, status: String? = nil, progress: Double? = nil,
    title: String? = nil, message: String? = nil, trackID: TrackID? = nil
  ) {
    self.type = type
    self.id = id
    self.status = status
    self.progress = progress
    self.title = title
    self.message = message
    self.trackID = trackID
  }
}

/// Any frame that is a JSON object.
private struct Frame: WireReadable {
  var message: ServerMessage

  init(wire: JSONValue) throws(WireError) {
    let fields = try WireFields(wire)
    if fields.has("type") {
      message = Self.typed(fields.label("type"), fields)
    } else if ["track", "currentTimestamp", "channelId"].contains(where: { fields.contains($0) }) {
      var state = try ChannelState(wire: wire)
      state.queue = nil  // cut out before; what is left here is an older duplicate
      message = .state(ReceivedState(state: state))
    } else if let text = fields.text("error") {
      message = .error(message: text)
    } else {
      message = .unknown(type: nil)
    }
  }

  private static func typed(
    _ type: String?, _ fields: WireFields
  ) -> ServerMessage {
    switch type {
    case "channel_list":
      .channelList(fields.list("channels") ?? TolerantList([]))
    case "switched":
      .switched(to: fields.value("channelId"))
    case "kick":
      .kick(reason: fields.text("reason") ?? "")
    case "toast":
      .toast(message: fields.text("message") ?? "", kind: fields.text("toastType") ?? "info")
    case "scan_progress":
      .scanProgress(
        scanning: fields.flag("scanning") ?? false, processed: fields.integer("processed") ?? 0,
        total: fields.integer("total") ?? 0)
    case "error":
      .error(message: fields.text("message") ?? fields.text("error") ?? "")
    case let type? where type.hasPrefix("fetch_"):
      .fetch(
        FetchUpdate(
          type: type, id: fields.value("id"), status: fields.text("status"),
          progress: fields.number("progress"), title: fields.text("title"),
          message: fields.text("message") ?? fields.text("error"),
          trackID: fields.value("trackId") ?? fields.value("track_id")))
    default:
      .unknown(type: type)
    }
  }
}
