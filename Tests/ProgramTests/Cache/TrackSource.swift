import Glibc
import Storage
import Synchronization
import TestSupport

/// A server of tracks made of a seed, over bare sockets.
///
/// It counts what it sends, and misbehaves as a test's script wants. A guest may read all of it;
/// there is no room.
final class TrackSource: Sendable {
  /// A track and its bytes.
  struct Item: Sendable {
    var id: String
    var title: String
    var bytes: [UInt8]
    /// The SHA-256 of all bytes.
    var digest: String

    /// Makes a track; without an id it follows the server's rule: the digest of the first 64 KB.
    init(_ title: String, bytes: [UInt8], id: String? = nil) {
      self.id = id ?? "sha256:" + ContentHash.digest(of: bytes.prefix(65536)).hex
      self.title = title
      self.bytes = bytes
      digest = ContentHash.digest(of: bytes).hex
    }

    /// The mark its bytes have unless a script gives another.
    var mark: String { "\"\(digest.prefix(12))\"" }
  }

  /// A request for a track.
  struct Request: Sendable {
    var item: Item
    /// The first byte wanted; nil where no range is.
    var start: Int?
    /// The last byte wanted.
    var last: Int?
    var ifRange: String?
    /// How many requests for this track came before.
    var number: Int
    /// All of what was asked, for what the fields don't tell.
    var head: String
  }

  /// Answers a request for a track; false where the usual answer is wanted.
  typealias Script = @Sendable (Request, TrackSource, RawConnection) -> Bool

  let items: [Item]
  private let raw: Mutex<RawServer?>
  private let sent = Mutex<[String: Int]>([:])
  private let asked = Mutex<[String: Int]>([:])
  let port: Int

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - items: its library.
  ///   - pace: microseconds between blocks of 16 KiB.
  ///   - script: answers instead, where it wants to.
  /// - Throws: `RawServerError`.
  init(_ items: [Item], pace: Int = 0, script: @escaping Script = { _, _, _ in false }) throws {
    self.items = items
    let holder = Holder()
    let server = try RawServer { connection in
      while let head = connection.readHead() {
        guard let source = holder.source.withLock({ $0.value }) else { return }
        guard source.answer(head, connection, pace, script) else { return }
      }
    }
    raw = Mutex(server)
    port = server.port
    holder.source.withLock { $0.value = self }
  }

  private final class Holder: Sendable {
    struct Reference: Sendable { weak var value: TrackSource? }
    let source = Mutex(Reference())
  }

  var url: String { "http://127.0.0.1:\(port)" }

  /// Tracks of 50 to 500 KB, made of a seed.
  static func made(_ count: Int, seed: UInt64, sizes: ClosedRange<Int> = 50_000...500_000) -> [Item]
  {
    var chance = SeededGenerator(seed: seed)
    return (1...count).map { number in
      let size = Int.random(in: sizes, using: &chance)
      var bytes: [UInt8] = []
      bytes.reserveCapacity(size + 8)
      while bytes.count < size {
        withUnsafeBytes(of: chance.next()) { bytes.append(contentsOf: $0) }
      }
      return Item("Track \(number)", bytes: Array(bytes.prefix(size)))
    }
  }

  /// How many body bytes of a track went out.
  func sent(_ item: Item) -> Int { sent.withLock { $0[item.id] ?? 0 } }
  /// How often a track was asked for.
  func asked(_ item: Item) -> Int { asked.withLock { $0[item.id] ?? 0 } }

  /// Ends it.
  func stop() {
    raw.withLock { server in
      defer { server = nil }
      return server
    }?.stop()
  }

  // MARK: Answering

  /// False where the connection is to end.
  private func answer(
    _ head: String, _ connection: RawConnection, _ pace: Int, _ script: Script
  ) -> Bool {
    let path = head.split(separator: " ").dropFirst().first.map(String.init) ?? ""
    let json = "Content-Type: application/json"
    switch path.split(separator: "?").first ?? "" {
    case "/api/status": connection.answer("200 OK", [json], body: "{}")
    case "/api/auth/me":
      connection.answer(
        "200 OK", [json, "Set-Cookie: blastoise_session=guest; Path=/; HttpOnly"],
        body: #"{"user":{"id":0,"username":"guest","isGuest":true},"permissions":[]}"#)
    case "/api/library":
      connection.answer("200 OK", [json, "ETag: \"library\""], body: library)
    case let path where path.hasPrefix("/api/tracks/"):
      let id = Self.decoded(path.dropFirst("/api/tracks/".count))
      guard let item = items.first(where: { $0.id == id }) else {
        connection.answer("404 Not Found", [json], body: #"{"error":"no such track"}"#)
        return true
      }
      let request = request(head, for: item)
      if script(request, self, connection) { return false }
      return send(request, connection, pace)
    default: connection.answer("404 Not Found", [json], body: #"{"error":"no"}"#)
    }
    return true
  }

  private func request(_ head: String, for item: Item) -> Request {
    let number = asked.withLock { asked in
      defer { asked[item.id, default: 0] += 1 }
      return asked[item.id] ?? 0
    }
    var request = Request(item: item, number: number, head: head)
    for line in head.split(separator: "\r\n") {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      let value = String(parts[1].drop { $0 == " " })
      if parts[0].lowercased() == "if-range" { request.ifRange = value }
      if parts[0].lowercased() == "range", value.hasPrefix("bytes=") {
        let ends = value.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        request.start = ends.first.flatMap { Int($0) }
        request.last = ends.dropFirst().first.flatMap { Int($0) }
      }
    }
    return request
  }

  /// Sends what is wanted as a server should; false where the peer went away.
  func send(_ request: Request, _ connection: RawConnection, _ pace: Int = 0) -> Bool {
    let (item, size) = (request.item, request.item.bytes.count)
    var from = 0
    var to = size
    let isCurrent = request.ifRange.map { $0 == item.mark } ?? true
    if let start = request.start, isCurrent {
      guard start < size else {
        connection.answer("416 Range Not Satisfiable", ["Content-Range: bytes */\(size)"])
        return true
      }
      from = start
      to = min(size, (request.last ?? size - 1) + 1)
    }
    let isPart = request.start != nil && isCurrent
    var lines = [isPart ? "HTTP/1.1 206 Partial Content" : "HTTP/1.1 200 OK"]
    if isPart { lines.append("Content-Range: bytes \(from)-\(to - 1)/\(size)") }
    lines += [
      "Content-Length: \(to - from)", "ETag: \(item.mark)", "Accept-Ranges: bytes",
      "Content-Type: audio/mpeg",
    ]
    connection.write(lines.joined(separator: "\r\n") + "\r\n\r\n")
    return write(item, from..<to, connection, pace)
  }

  /// Sends bytes of a track and counts them.
  @discardableResult
  func write(_ item: Item, _ range: Range<Int>, _ connection: RawConnection, _ pace: Int = 0)
    -> Bool
  {
    var place = range.lowerBound
    while place < range.upperBound {
      let end = min(place + 16384, range.upperBound)
      guard connection.write(item.bytes[place..<end]) else { return false }
      sent.withLock { $0[item.id, default: 0] += end - place }
      place = end
      if pace > 0 { Pause.nanoseconds(pace * 1000) }
    }
    return true
  }

  private var library: String {
    let rows = items.enumerated().map { index, item in
      let id = item.id.unicodeScalars.map { scalar in
        scalar.value < 32 || scalar == "\"" || scalar == "\\"
          ? "\\u" + String(0x10000 + scalar.value, radix: 16).dropFirst() : String(scalar)
      }.joined()
      return """
        {"id":"\(id)","filename":"\(item.title).mp3","title":"\(item.title)","artist":"Seed",\
        "album":"Album \(index % 3)","duration":60}
        """
    }
    return "[\(rows.joined(separator: ","))]"
  }

  private static func decoded(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
