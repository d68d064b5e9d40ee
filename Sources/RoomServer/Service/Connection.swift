import CWebSockets

/// One connection of a client: a series of exchanges, or a WebSocket after an upgrade.
///
/// Threading: service thread only; it lives as long as the library's connection.
final class Connection {
  let wsi: OpaquePointer
  /// The bytes to write at once.
  let pieceSize: Int
  /// The request being answered.
  var exchange: Exchange?
  /// What the handler wants done when the accepted upgrade is complete.
  var upgrade: Upgrade?
  var socket: Socket?

  init(wsi: OpaquePointer, isSecure: Bool) {
    self.wsi = wsi
    pieceSize = isSecure ? ResponseWriter.securePieceSize : ResponseWriter.pieceSize
  }

  /// Asks the library to say when more can be written.
  func askForWritable() {
    lws_callback_on_writable(wsi)
  }
}

/// An accepted upgrade.
struct Upgrade {
  /// Headers for the answer of the handshake.
  var headers: [(name: String, value: String)] = []
  /// Called once the socket is open.
  var opened: (Socket) -> Void
}

/// What a handler says to a request for a WebSocket.
enum UpgradeDecision {
  case accept(Upgrade)
  case refuse(ServerResponse)
}

/// What stands behind the service loop: it is asked for answers, and told of messages.
///
/// Threading: all calls come on the service thread.
protocol ServiceHandler: AnyObject {
  /// Answers a request, now or later, through `Exchange.respond`.
  func answer(_ exchange: Exchange)
  /// Decides on a WebSocket.
  func decide(onUpgrade request: ServerRequest) -> UpgradeDecision
  /// A whole text message came.
  func received(_ text: [UInt8], on socket: Socket)
  /// A socket is gone, whoever closed it.
  func closed(_ socket: Socket)
  /// An answer was written, or given up.
  func finished(_ request: ServerRequest, status: Int)
}
