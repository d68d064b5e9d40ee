import Dispatch
import RoomProtocol
import TestSupport

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
  func decode<Value: WireReadable>(_ type: Value.Type = Value.self) throws -> Value {
    try WireJSON.decode(type, from: body)
  }
}

/// A client made of nothing but a socket, so that the server is tested against its bytes and not
/// against our own client.
///
/// Blocking; run it through `offPool`.
final class RawClient {
  let line: RawConnection

  init(port: Int) throws {
    line = try RawConnection(port: port)
  }

  /// Sends bytes as they stand.
  func send(_ bytes: [UInt8]) {
    line.write(bytes)
  }

  /// Sends a request.
  func request(
    _ method: String, _ path: String, headers: [String] = [], body: [UInt8] = []
  ) {
    var lines = ["\(method) \(path) HTTP/1.1", "Host: localhost"] + headers
    if !body.isEmpty || method != "GET" { lines.append("Content-Length: \(body.count)") }
    send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
  }

  /// Reads an answer; a body without a length runs to the end of the connection.
  func response(hasBody: Bool = true) throws -> RawResponse {
    var response = RawResponse()
    guard let head = line.readHead() else { throw RawError(what: "end of connection", code: 0) }
    let lines = head.split(separator: "\r\n")
    response.status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      response.headers.append((String(line[..<colon]), String(value)))
    }
    guard hasBody, ![101, 204, 304].contains(response.status) else { return response }
    let length = response["Content-Length"].flatMap { Int($0) }
    response.body = line.read(length ?? .max)
    response.isCutOff = response.body.count < length ?? 0
    return response
  }

  /// Reads exactly so many bytes.
  func take(_ count: Int) throws -> [UInt8] {
    let bytes = line.read(count)
    guard bytes.count == count else { throw RawError(what: "end of connection", code: 0) }
    return bytes
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
