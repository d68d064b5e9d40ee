import RoomProtocol

/// A WebSocket made of nothing but a socket; see `RawConnection`.
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

  private let connection: RawConnection

  init(
    port: Int, channel: String = "lobby", cookie: String? = nil, prefix: String = ""
  ) throws {
    connection = try RawConnection(port: port)
    var headers = [
      "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]
    if let cookie { headers.append("Cookie: \(cookie)") }
    try connection.request("GET", "\(prefix)/api/channels/\(channel)/ws", headers: headers)
    handshake = try connection.response()
  }

  /// Sends a text in one masked frame.
  func send(_ text: String) throws {
    try sendFrame(opcode: 1, Array(text.utf8))
  }

  /// Sends an action of the protocol.
  func send(_ action: ClientAction) throws {
    try sendFrame(opcode: 1, WireJSON.encode(action))
  }

  /// Sends a frame; the mask is all zeros, which leaves the payload as it is.
  func sendFrame(opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) throws {
    var head: [UInt8] = [(isFinal ? 0x80 : 0) | opcode]
    if payload.count < 126 {
      head.append(0x80 | UInt8(payload.count))
    } else {
      head += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
    }
    try connection.send(head + [0, 0, 0, 0] + payload)
  }

  /// Waits for the next message; fragments are put together, pings passed over.
  func next() throws -> Message {
    var text: [UInt8] = []
    while true {
      guard let head = try? connection.take(2) else {
        if connection.hasEnded { return .ended }
        throw RawError(what: "no message", code: 0)
      }
      var length = Int(head[1] & 127)
      if length == 126 { length = Self.number(try connection.take(2)) }
      if length == 127 { length = Self.number(try connection.take(8)) }
      let payload = try connection.take(length)
      switch head[0] & 15 {
      case 0, 1:
        text += payload
        if head[0] & 0x80 != 0 { return .text(text) }
      case 8: return .close(Self.number(Array(payload.prefix(2))))
      case 10: return .pong(payload)
      default: continue
      }
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

  private static func number(_ bytes: [UInt8]) -> Int {
    bytes.reduce(0) { $0 << 8 | Int($1) }
  }
}
