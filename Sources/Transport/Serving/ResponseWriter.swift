import CWebSockets

/// Writes one answer, a piece each time the connection takes more.
struct ResponseWriter {
  /// What to do after a piece.
  enum Progress {
    /// Ask for the next writable moment.
    case more
    /// Ask for it after a while.
    case wait(Duration)
    /// The answer is complete and the connection may go on.
    case complete
    /// The answer is over and so is the connection.
    case close
  }

  /// The most bytes of a body sent with one write: few enough for the loop to stay fair.
  static let pieceSize = 128 * 1024
  /// The same over TLS, whose records are no longer: of more the library would keep copies.
  static let securePieceSize = 16 * 1024

  private let response: OutgoingResponse
  private let hasBody: Bool
  private let pieceLimit: Int
  private var sent: Int64 = 0
  private var headIsSent = false

  /// How often a held-back answer writes a piece.
  private static let dripInterval = Duration.milliseconds(50)

  init(_ response: OutgoingResponse, hasBody: Bool, pieceSize: Int) {
    self.response = response
    self.hasBody = hasBody
    pieceLimit =
      response.bytesPerSecond.map { max(1, min(pieceSize, $0 / 20)) } ?? pieceSize
  }

  /// The status, for the log.
  var status: Int { response.status }

  /// Writes the next piece into the connection.
  ///
  /// - Parameters:
  ///   - wsi: the connection, in its writable moment.
  ///   - server: the `Server` header.
  ///   - buffer: with room for the head and a piece.
  /// - Returns: what to do next.
  mutating func write(
    to wsi: OpaquePointer, server: String, through buffer: WriteBuffer
  ) -> Progress {
    let payload = buffer.payload
    var count = 0
    if !headIsSent {
      headIsSent = true
      let head = response.head(server: server)
      guard head.count + pieceLimit <= payload.count else { return .close }
      payload.copyBytes(from: head)
      count = head.count
    }
    let end = min(response.body.count, response.cut ?? .max)
    if hasBody, sent < end {
      let wanted = Int(min(end - sent, Int64(pieceLimit)))
      let got = fill(UnsafeMutableRawBufferPointer(rebasing: payload[count..<(count + wanted)]))
      // A file that shrank under us: the announced length can't be kept.
      if got == 0 { return .close }
      sent += Int64(got)
      count += got
    }
    if count > 0, !buffer.write(count, to: wsi, as: LWS_WRITE_HTTP) { return .close }
    guard !hasBody || sent >= end else {
      return response.bytesPerSecond == nil ? .more : .wait(Self.dripInterval)
    }
    return response.keepsAlive ? .complete : .close
  }

  private func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    switch response.body {
    case .bytes(let bytes):
      buffer.copyBytes(from: bytes[Int(sent)..<(Int(sent) + buffer.count)])
      return buffer.count
    case .source(let source):
      return source.read(into: buffer)
    }
  }
}
