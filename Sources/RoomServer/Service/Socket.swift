import CWebSockets

/// One WebSocket of a client.
///
/// Messages wait in order and go out in pieces as the line takes them.
///
/// Threading: service thread only.
final class Socket {
  /// Tells sockets apart for as long as the server runs.
  struct ID: Hashable {
    var number: UInt64
  }

  /// How many messages may wait for a reader that doesn't read, before it is dropped.
  static let backlogLimit = 256
  /// The longest message a client may send.
  static let receiveLimit = 64 * 1024

  let id: ID
  /// Neither read nor written any more (a fault).
  private(set) var isStalled = false

  private weak var connection: Connection?
  private let pieceSize: Int
  private var waiting: [Frame] = []
  private var sentOfFirst = 0
  private var closing: (code: UInt16, reason: String)?
  private var received: [UInt8] = []

  init(id: ID, connection: Connection) {
    self.id = id
    self.connection = connection
    pieceSize = connection.pieceSize
  }

  /// Queues a message.
  func send(_ frame: Frame) {
    guard closing == nil, let connection else { return }
    guard waiting.count < Self.backlogLimit else { return close(code: 1008, reason: "too slow") }
    waiting.append(frame)
    connection.askForWritable()
  }

  /// Closes the socket after what waits has been sent; with the code 0 without a word.
  func close(code: UInt16, reason: String = "") {
    guard closing == nil else { return }
    closing = (code, reason)
    connection?.askForWritable()
  }

  /// Stops or resumes reading and writing.
  func setStalled(_ stalls: Bool) {
    guard stalls != isStalled, let connection else { return }
    isStalled = stalls
    lws_rx_flow_control(connection.wsi, stalls ? 0 : 1)
    if !stalls { connection.askForWritable() }
  }

  /// Writes the next piece.
  ///
  /// - Returns: false when the connection is to be closed.
  func write(to wsi: OpaquePointer, scratch: UnsafeMutableRawBufferPointer) -> Bool {
    guard !isStalled else { return true }
    guard let frame = waiting.first else { return finish(wsi) }
    let start = sentOfFirst
    // A longer message goes as fragments.
    let count = min(frame.text.count - start, pieceSize)
    let isLast = start + count == frame.text.count
    let payload = UnsafeMutableRawBufferPointer(rebasing: scratch[Int(cwebsockets_pre)...])
    payload.copyBytes(from: frame.text[start..<(start + count)])
    let flags = lws_write_ws_flags(
      Int32(LWS_WRITE_TEXT.rawValue), start == 0 ? 1 : 0, isLast ? 1 : 0)
    let written = lws_write(
      wsi, payload.baseAddress?.assumingMemoryBound(to: UInt8.self), count,
      lws_write_protocol(rawValue: UInt32(flags)))
    guard written >= Int32(count) else { return false }
    sentOfFirst += count
    if isLast {
      waiting.removeFirst()
      sentOfFirst = 0
    }
    if !waiting.isEmpty || closing != nil { connection?.askForWritable() }
    return true
  }

  /// Collects a piece of a message.
  ///
  /// - Returns: the whole message with its last piece.
  func receive(_ piece: UnsafeRawBufferPointer, isFirst: Bool, isLast: Bool) -> [UInt8]? {
    if isFirst { received.removeAll() }
    guard received.count + piece.count <= Self.receiveLimit else {
      close(code: 1009, reason: "message too long")
      return nil
    }
    received.append(contentsOf: piece)
    guard isLast else { return nil }
    defer { received.removeAll() }
    return received
  }

  private func finish(_ wsi: OpaquePointer) -> Bool {
    guard let closing else { return true }
    // Without a reason the library closes without a word.
    guard closing.code > 0 else { return false }
    var reason = Array(closing.reason.utf8.prefix(123))
    lws_close_reason(
      wsi, lws_close_status(rawValue: UInt32(closing.code)), &reason, reason.count)
    return false
  }
}
