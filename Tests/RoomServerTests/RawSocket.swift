import RoomProtocol
import TestSupport

/// A WebSocket made of nothing but a socket; see `RawClient`.
final class RawSocket {
  /// What a frame carried.
  enum Message: Equatable {
    case text([UInt8])
    case close(Int)
    case pong([UInt8])
    case ended
  }

  /// The answer of the handshake.
  let handshake: RawResponse

  private let line: RawConnection

  init(
    port: Int, channel: String = "lobby", cookie: String? = nil, prefix: String = ""
  ) throws {
    let client = try RawClient(port: port)
    line = client.line
    var headers = [
      "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]
    if let cookie { headers.append("Cookie: \(cookie)") }
    client.request("GET", "\(prefix)/api/channels/\(channel)/ws", headers: headers)
    handshake = try client.response()
  }

  /// Sends a text in one masked frame.
  func send(_ text: String) {
    sendFrame(opcode: 1, Array(text.utf8))
  }

  /// Sends an action of the protocol.
  func send(_ action: ClientAction) throws {
    try sendFrame(opcode: 1, WireJSON.encode(action))
  }

  /// Sends a frame.
  func sendFrame(opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) {
    line.writeFrame(opcode, payload, isFinal: isFinal, isMasked: true)
  }

  /// Waits for the next message; fragments are put together, pings passed over.
  func next() throws -> Message {
    var text: [UInt8] = []
    while true {
      guard let frame = line.readFrame(answersPings: false) else {
        if line.hasEnded { return .ended }
        throw RawError(what: "no message", code: 0)
      }
      switch frame.opcode {
      case 0, 1:
        text += frame.payload
        if frame.isFinal { return .text(text) }
      case 8: return .close(frame.payload.prefix(2).reduce(0) { $0 << 8 | Int($1) })
      case 10: return .pong(frame.payload)
      default: continue
      }
    }
  }

  /// Reads until there is no more text.
  func end() throws -> Message {
    while true {
      let message = try next()
      guard case .text = message else { return message }
    }
  }

  /// Waits for a message of the protocol for which `choose` returns a value; others are passed over.
  func first<Value>(_ choose: (ServerMessage) throws -> Value?) throws -> Value {
    while true {
      guard case .text(let text) = try next() else { throw RawError(what: "no text", code: 0) }
      if let value = try choose(ServerMessage(decoding: text)) { return value }
    }
  }

  /// Waits for a state.
  func state(where matches: (ChannelState) -> Bool = { _ in true }) throws -> ChannelState {
    try first { message in
      guard case .state(let received) = message else { return nil }
      var state = received.state
      state.queue = try received.queueText?.decode().elements
      return matches(state) ? state : nil
    }
  }
}
