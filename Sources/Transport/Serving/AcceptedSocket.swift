import CWebSockets

/// One WebSocket of a client.
///
/// Messages wait in order and go out in pieces as the line takes them.
///
/// Threading: service thread only.
package final class AcceptedSocket {
  /// Tells sockets apart for as long as the server runs.
  package struct ID: Hashable, Sendable {
    let number: UInt64
  }

  /// How many messages may wait for a reader that doesn't read, before it is dropped.
  static let backlogLimit = 256
  /// The longest message a client may send.
  static let receiveLimit = 64 * 1024

  /// Which one it is.
  package let id: ID

  /// Neither read nor written any more.
  package private(set) var isStalled = false

  private weak var connection: AcceptedConnection?
  private let pieceSize: Int
  private var waiting: [TextFrame] = []
  private var sentOfFirst = 0
  private var closing: (code: UInt16, reason: String)?
  private var message = ArrivingMessage(limit: receiveLimit)

  init(id: ID, connection: AcceptedConnection) {
    self.id = id
    self.connection = connection
    pieceSize = connection.pieceSize
  }

  /// Queues a message; a reader that is too far behind is dropped with 1008.
  package func send(_ frame: TextFrame) {
    guard closing == nil, let connection else { return }
    guard waiting.count < Self.backlogLimit else { return close(code: 1008, reason: "too slow") }
    waiting.append(frame)
    connection.askForWritable()
  }

  /// Closes the socket after what waits has been sent; does nothing a second time.
  ///
  /// - Parameters:
  ///   - code: the WebSocket close code; 0 closes without a word.
  ///   - reason: at most 123 bytes of it are sent.
  package func close(code: UInt16, reason: String = "") {
    guard closing == nil else { return }
    closing = (code, reason)
    connection?.askForWritable()
  }

  /// Stops or resumes reading and writing.
  package func setStalled(_ stalls: Bool) {
    guard stalls != isStalled, let connection else { return }
    isStalled = stalls
    lws_rx_flow_control(connection.wsi, stalls ? 0 : 1)
    if !stalls { connection.askForWritable() }
  }

  /// Writes the next piece.
  ///
  /// - Returns: false when the connection is to be closed.
  func write(to wsi: OpaquePointer, through buffer: WriteBuffer) -> Bool {
    guard !isStalled else { return true }
    guard let frame = waiting.first else { return finish(wsi) }
    let start = sentOfFirst
    // A longer message goes as fragments.
    let count = min(frame.text.count - start, pieceSize)
    let isLast = start + count == frame.text.count
    let fragment = frame.text[start..<(start + count)]
    guard buffer.write(fragment, to: wsi, isFirst: start == 0, isLast: isLast) else {
      return false
    }
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
  func receive(_ piece: UnsafeRawBufferPointer, from wsi: OpaquePointer) -> [UInt8]? {
    switch message.take(piece, from: wsi) {
    case .whole(let text, _): return text
    case .partial: return nil
    case .tooLarge:
      close(code: 1009, reason: "message too long")
      return nil
    }
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
