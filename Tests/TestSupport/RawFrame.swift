/// A frame of a WebSocket.
package struct RawFrame: Sendable {
  /// 0 continuation, 1 text, 2 binary, 8 close, 9 ping, 10 pong.
  package var opcode: UInt8
  package var payload: [UInt8]
  /// Whether the message ends with it.
  package var isFinal: Bool
}

/// WebSockets by hand, so that neither side is tested against itself.
extension RawConnection {
  /// Answers a WebSocket handshake whose head was just read.
  package func acceptWebSocket(_ head: String, headers: [String] = []) {
    let name = "sec-websocket-key:"
    let line = head.split(whereSeparator: \.isNewline).first { $0.lowercased().hasPrefix(name) }
    let key = String((line ?? "").dropFirst(name.count).drop { $0 == " " })
    let digest = sha1(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
    let lines =
      [
        "HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Accept: \(base64(digest))",
      ] + headers
    write(lines.joined(separator: "\r\n") + "\r\n\r\n")
  }

  /// Sends one WebSocket frame.
  ///
  /// - Parameters:
  ///   - opcode: see `RawFrame`.
  ///   - payload: its bytes.
  ///   - isFinal: whether the message ends with it.
  ///   - isMasked: whether it is a client's; the mask is all zeros, which leaves the payload as it is.
  package func writeFrame(
    _ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, isMasked: Bool = false
  ) {
    var frame: [UInt8] = [(isFinal ? 0x80 : 0) | opcode]
    let mask: UInt8 = isMasked ? 0x80 : 0
    switch payload.count {
    case ..<126: frame.append(mask | UInt8(payload.count))
    case ..<65536: frame += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
    default:
      frame.append(mask | 127)
      frame += (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
    }
    write(frame + (isMasked ? [0, 0, 0, 0] : []) + payload)
  }

  /// Reads one frame.
  ///
  /// - Parameter answersPings: whether pings are answered and passed over.
  /// - Returns: the frame; nil when the peer went away.
  package func readFrame(answersPings: Bool = true) -> RawFrame? {
    while let frame = readAnyFrame() {
      guard answersPings, frame.opcode == 9 else { return frame }
      writeFrame(10, frame.payload)
    }
    return nil
  }

  private func readAnyFrame() -> RawFrame? {
    let head = read(2)
    guard head.count == 2 else { return nil }
    var count = Int(head[1] & 127)
    if count >= 126 { count = read(count == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) } }
    let mask = head[1] & 0x80 == 0 ? [0, 0, 0, 0] : read(4)
    var payload = read(count)
    guard mask.count == 4, payload.count == count else { return nil }
    if mask != [0, 0, 0, 0] { payload = payload.enumerated().map { $1 ^ mask[$0 & 3] } }
    return RawFrame(opcode: head[0] & 15, payload: payload, isFinal: head[0] & 0x80 != 0)
  }
}

/// SHA-1 for the WebSocket handshake, so that the stand-in needs no library under test.
private func sha1(_ message: [UInt8]) -> [UInt8] {
  var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
  var padded = message + [0x80]
  while padded.count % 64 != 56 { padded.append(0) }
  padded += (0..<8).map { UInt8(truncatingIfNeeded: (message.count * 8) >> (56 - 8 * $0)) }
  let rotate = { (value: UInt32, by: UInt32) in value << by | value >> (32 - by) }
  for block in stride(from: 0, to: padded.count, by: 64) {
    var words = (0..<16).map { word in
      padded[block + word * 4..<block + word * 4 + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    for index in 16..<80 {
      let mixed = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
      words.append(rotate(mixed, 1))
    }
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for index in 0..<80 {
      let (f, k): (UInt32, UInt32) =
        switch index {
        case ..<20: ((b & c) | (~b & d), 0x5A82_7999)
        case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
        case ..<60: ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
      let next = rotate(a, 5) &+ f &+ e &+ k &+ words[index]
      (e, d, c, b, a) = (d, c, rotate(b, 30), a, next)
    }
    for (index, value) in [a, b, c, d, e].enumerated() { state[index] &+= value }
  }
  return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
}

private func base64(_ bytes: [UInt8]) -> String {
  let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  var text = ""
  for start in stride(from: 0, to: bytes.count, by: 3) {
    let group = bytes[start..<min(start + 3, bytes.count)]
    let value = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
    for place in 0...3 {
      let letter = alphabet[(value >> (18 - 6 * place)) & 63]
      text.append(place <= group.count ? letter : "=")
    }
  }
  return text
}
