import Dispatch
import Glibc
import RoomProtocol

/// An HTTP answer as it came over the line.
struct RawResponse {
  var status = 0
  var headers: [(name: String, value: String)] = []
  var body: [UInt8] = []
  /// Whether the connection ended before the announced length.
  var isCutOff = false

  var text: String { String(decoding: body, as: UTF8.self) }

  subscript(name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// The session the answer gives out, as a `Cookie` header's value.
  var cookie: String? {
    self["Set-Cookie"]?.split(separator: ";").first.map(String.init)
  }

  /// Reads the body as a shape of the protocol.
  func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
    try WireJSON.decode(type, from: body)
  }
}

/// A client made of nothing but a socket, so that the server is tested against its bytes and not
/// against our own client.
///
/// Blocking, with a timeout of thirty seconds on every read; run it through `offPool`.
final class RawConnection {
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private(set) var hasEnded = false

  init(port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var timeout = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port).bigEndian)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else { throw RawError(what: "connect", code: errno) }
  }

  deinit {
    close(descriptor)
  }

  /// Sends bytes as they stand.
  func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(
          descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent,
          Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw RawError(what: "send", code: errno) }
      sent += count
    }
  }

  /// Sends a request.
  func request(
    _ method: String, _ path: String, headers: [String] = [], body: [UInt8] = []
  ) throws {
    var lines = ["\(method) \(path) HTTP/1.1", "Host: localhost"] + headers
    if !body.isEmpty || method != "GET" { lines.append("Content-Length: \(body.count)") }
    try send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
  }

  /// Reads an answer; a body without a length runs to the end of the connection.
  func response(hasBody: Bool = true) throws -> RawResponse {
    var response = RawResponse()
    let head = String(decoding: try take(through: Array("\r\n\r\n".utf8)), as: UTF8.self)
    let lines = head.split(separator: "\r\n")
    response.status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      response.headers.append((String(line[..<colon]), String(value)))
    }
    guard hasBody, response.status != 101 else { return response }
    let length = response["Content-Length"].flatMap { Int($0) }
    while buffer.count < length ?? .max, try more() {}
    response.body = Array(buffer.prefix(length ?? .max))
    response.isCutOff = response.body.count < length ?? 0
    buffer.removeFirst(response.body.count)
    return response
  }

  /// Reads exactly so many bytes.
  func take(_ count: Int) throws -> [UInt8] {
    while buffer.count < count {
      guard try more() else { throw RawError(what: "end of connection", code: 0) }
    }
    defer { buffer.removeFirst(count) }
    return Array(buffer.prefix(count))
  }

  private func take(through end: [UInt8]) throws -> [UInt8] {
    while true {
      if let range = buffer.firstRange(of: end) {
        defer { buffer.removeSubrange(..<range.upperBound) }
        return Array(buffer[..<range.upperBound])
      }
      guard try more() else { throw RawError(what: "end of connection", code: 0) }
    }
  }

  private func more() throws -> Bool {
    var block = [UInt8](repeating: 0, count: 256 * 1024)
    let count = recv(descriptor, &block, block.count, 0)
    if count < 0, errno == ECONNRESET { return false }
    guard count >= 0 else { throw RawError(what: "recv", code: errno) }
    buffer += block[..<count]
    hasEnded = count == 0
    return count > 0
  }
}

/// What went wrong on the line.
struct RawError: Error, Equatable {
  var what: String
  var code: Int32
}

/// Runs blocking work away from the cooperative pool.
func offPool<Value: Sendable>(
  _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    // A queue of its own gets a thread of its own: work that waits holds no other up.
    DispatchQueue(label: "off-pool").async { continuation.resume(with: Result { try work() }) }
  }
}
