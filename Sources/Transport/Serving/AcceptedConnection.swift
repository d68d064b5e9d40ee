import CWebSockets

/// One connection of a client: a series of exchanges, or a WebSocket after an upgrade.
///
/// Threading: service thread only; it lives as long as the library's connection.
final class AcceptedConnection {
  let wsi: OpaquePointer
  /// The bytes to write at once.
  let pieceSize: Int
  /// The request being answered.
  var exchange: HTTPExchange?
  /// Whether bytes of the last request are still to come.
  var awaitsBody = false
  /// What the handler wants done when the accepted upgrade is complete.
  var upgrade: SocketUpgrade?
  var socket: AcceptedSocket?

  init(wsi: OpaquePointer, isSecure: Bool) {
    self.wsi = wsi
    pieceSize = isSecure ? ResponseWriter.securePieceSize : ResponseWriter.pieceSize
  }

  /// Ends the connection at the next turn, whatever goes on.
  func kill() {
    lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC)
  }

  /// Asks the library to say when more can be written.
  func askForWritable() {
    lws_callback_on_writable(wsi)
  }
}
