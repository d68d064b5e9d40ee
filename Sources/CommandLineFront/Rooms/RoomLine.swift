import Control
import RoomProtocol

/// A line of a listener about the room that is followed through it (docs/control.md).
enum RoomLine: Sendable {
  /// The room's state, and when it arrived at the listener.
  case state(ChannelState, at: ContinuousClock.Instant)
  /// The room's queue, not decoded yet.
  case queue(QueueText)
  /// The server has ended the listener's session.
  case kick(reason: String)
  /// The server complains of something.
  case complaint(String)
  /// The listener is not connected any more.
  case gone
  /// What was asked for is refused.
  case failure(ControlFailure)

  /// How a line with a queue begins: it may be megabytes, and is not read twice.
  private static let queueHead = Array("{\"room\": \"queue\"".utf8)

  /// Reads a line; nil for one that says nothing of the room.
  init?(_ line: [UInt8]) {
    if line.starts(with: Self.queueHead) {
      guard case .state(let received) = ServerMessage(decoding: line), let text = received.queueText
      else { return nil }
      self = .queue(text)
      return
    }
    guard let value = JSONValue(json: line) else { return nil }
    if let failure = ControlFailure(answer: value) {
      self = .failure(failure)
      return
    }
    switch value["room"].text {
    case "state":
      guard case .state(let received) = ServerMessage(decoding: line) else { return nil }
      let age = Duration.seconds(max(0, value["age"].number ?? 0))
      self = .state(received.state, at: .now - age)
    case "kick": self = .kick(reason: value["reason"].text ?? "")
    case "error": self = .complaint(value["message"].text ?? "")
    case "gone": self = .gone
    default: return nil
    }
  }
}

extension ClientAction {
  /// How a listener is asked to pass it on.
  var request: JSONValue {
    func act(_ action: String, _ more: [JSONValue.Member] = []) -> JSONValue {
      JSONValue(verb: "act", [.init("action", .text(action))] + more)
    }
    return switch self {
    case .pause: act("pause")
    case .unpause: act("unpause")
    case .seek(let timestamp): act("seek", [.init("timestamp", .number(timestamp))])
    case .jump(let index): act("jump", [.init("index", .integer(Int64(index)))])
    case .switch(let channel):
      JSONValue(verb: "join", [.init("room", .text(channel.rawValue))])
    }
  }
}
