/// What stands behind a web server: it is asked for answers, and told of messages.
///
/// Threading: all calls come on the service thread; what blocks there blocks every client.
package protocol WebServerHandler: AnyObject {
  /// Decides where the body of a request goes, before it comes.
  func destination(ofBodyOf request: IncomingRequest) -> BodyDestination

  /// Answers a request, now or later, through `HTTPExchange.respond`.
  func answer(_ exchange: HTTPExchange)

  /// Decides on a request for a WebSocket.
  func decide(onUpgrade request: IncomingRequest) -> UpgradeDecision

  /// A whole message came, text or binary alike.
  func received(_ text: [UInt8], on socket: AcceptedSocket)

  /// A socket is gone, whoever closed it.
  func closed(_ socket: AcceptedSocket)

  /// An answer was written, or given up; a status of 0 is one that never came.
  func finished(_ request: IncomingRequest, status: Int)
}

extension WebServerHandler {
  /// Keeps bodies in memory.
  package func destination(ofBodyOf request: IncomingRequest) -> BodyDestination { .memory }
}

/// What a handler says to a request for a WebSocket.
package enum UpgradeDecision {
  /// The socket is opened.
  case accept(SocketUpgrade)
  /// An answer is given instead, and the connection ends.
  case refuse(OutgoingResponse)
}

/// An accepted upgrade.
package struct SocketUpgrade {
  var headers: HTTPHeaders
  var opened: (AcceptedSocket) -> Void

  /// Describes what goes with the opening of a socket.
  ///
  /// - Parameters:
  ///   - headers: more lines for the answer of the handshake.
  ///   - opened: called on the service thread once the socket is open.
  package init(
    headers: HTTPHeaders = HTTPHeaders(), opened: @escaping (AcceptedSocket) -> Void
  ) {
    self.headers = headers
    self.opened = opened
  }
}
