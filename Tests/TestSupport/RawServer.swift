import Glibc
import Platform
import Synchronization

/// A server on 127.0.0.1 that speaks whatever a test wants: bytes, wrong ones above all.
///
/// Each connection runs the test's script on a thread of its own.
package final class RawServer: Sendable {
  /// The port, chosen by the system.
  package let port: Int

  private let listener: Int32
  private let threads: Mutex<[NamedThread]>
  private let connections = Mutex<[RawConnection]>([])
  private let isStopping = Atomic(false)

  /// Listens, and runs a script for each connection; its end closes the connection.
  package init(_ script: @escaping @Sendable (RawConnection) -> Void) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) != 0 || listen(listener, 16) != 0
          || getsockname(listener, address, &length) != 0
      }
    }
    guard !code else { throw RawServerError(code: errno) }
    self.listener = listener
    port = Int(UInt16(bigEndian: address.sin_port))
    threads = Mutex([])
    let accepting = NamedThread(name: "raw-server") { [self] in acceptAll(script) }
    threads.withLock { $0.append(accepting) }
  }

  /// Ends all connections and joins all threads.
  package func stop() {
    isStopping.store(true, ordering: .releasing)
    Glibc.shutdown(listener, Int32(SHUT_RDWR))
    for connection in connections.withLock({ $0 }) { connection.cut() }
    while let thread = threads.withLock({ $0.popLast() }) {
      thread.join()
      for connection in connections.withLock({ $0 }) { connection.cut() }
    }
    Glibc.close(listener)
  }

  /// The heads of all requests read so far, in order of arrival.
  package var heads: [String] { connections.withLock { $0.flatMap(\.heads) } }

  /// The number of connections so far.
  package var connectionCount: Int { connections.withLock { $0.count } }

  private func acceptAll(_ script: @escaping @Sendable (RawConnection) -> Void) {
    while !isStopping.load(ordering: .acquiring) {
      let descriptor = accept(listener, nil, nil)
      guard descriptor >= 0 else { return }
      let connection = RawConnection(descriptor)
      connections.withLock { $0.append(connection) }
      let thread = NamedThread(name: "raw-connection") {
        script(connection)
        connection.cut()
      }
      threads.withLock { $0.append(thread) }
    }
  }
}

/// A server that could not listen.
package struct RawServerError: Error {
  package var code: Int32
}

/// One connection of a `RawServer`; used by its script.
package final class RawConnection: Sendable {
  private let descriptor: Int32
  private let isCut = Mutex(false)
  private let seen = Mutex<[String]>([])

  fileprivate init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit { Glibc.close(descriptor) }

  /// The heads of the requests read so far.
  package var heads: [String] { seen.withLock { $0 } }

  /// Ends the connection both ways.
  package func cut() {
    isCut.withLock { isCut in
      if !isCut { Glibc.shutdown(descriptor, Int32(SHUT_RDWR)) }
      isCut = true
    }
  }

  /// Reads up to the blank line that ends a request's head; nil when the peer went away.
  package func readHead() -> String? {
    var bytes: [UInt8] = []
    while !bytes.suffix(4).elementsEqual([13, 10, 13, 10]) {
      guard let byte = read(1).first else { return nil }
      bytes.append(byte)
    }
    let head = String(decoding: bytes, as: UTF8.self)
    seen.withLock { $0.append(head) }
    return head
  }

  /// Reads bytes; fewer when the peer went away.
  package func read(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: count)
    while bytes.count < count {
      let got = recv(descriptor, &block, count - bytes.count, 0)
      guard got > 0 else { break }
      bytes += block[..<got]
    }
    return bytes
  }

  /// Waits until the peer closes; what it sends until then is dropped.
  package func waitForEnd() {
    while !read(1).isEmpty {}
  }

  /// Sends bytes.
  package func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard sent > 0 else { return }
      rest = rest.dropFirst(sent)
    }
  }

  /// Sends text; its line ends are written as they are.
  package func write(_ text: String) { write(Array(text.utf8)) }

  /// Sends a whole answer with a length.
  package func answer(_ status: String, _ headers: [String] = [], body: String = "") {
    let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + headers
    write(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
  }

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
  ///   - opcode: 0 continuation, 1 text, 2 binary, 8 close, 9 ping.
  ///   - payload: its bytes.
  ///   - isFinal: whether the message ends with it.
  package func writeFrame(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) {
    var frame: [UInt8] = [(isFinal ? 0x80 : 0) | opcode]
    switch payload.count {
    case ..<126: frame.append(UInt8(payload.count))
    case ..<65536: frame += [126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
    default:
      frame.append(127)
      frame += (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
    }
    write(frame + payload)
  }

  /// Reads one frame of a client.
  ///
  /// - Parameter answersPings: whether pings are answered and passed over.
  /// - Returns: opcode and payload; nil when the peer went away.
  package func readFrame(answersPings: Bool = true) -> (opcode: UInt8, payload: [UInt8])? {
    while let frame = readAnyFrame() {
      guard answersPings, frame.opcode == 9 else { return frame }
      writeFrame(10, frame.payload)
    }
    return nil
  }

  private func readAnyFrame() -> (opcode: UInt8, payload: [UInt8])? {
    let head = read(2)
    guard head.count == 2 else { return nil }
    var count = Int(head[1] & 127)
    if count >= 126 { count = read(count == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) } }
    let mask = read(4)
    let payload = read(count)
    guard mask.count == 4, payload.count == count else { return nil }
    return (head[0] & 15, payload.enumerated().map { $1 ^ mask[$0 & 3] })
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
