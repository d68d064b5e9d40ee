package import RoomProtocol
package import Transport

/// What happens on a room's socket, in order.
package enum RoomSocketEvent: Sendable {
  /// The socket stands; a state follows.
  case opened
  /// The server said something.
  case message(ReceivedMessage)
  /// It is over; nothing follows.
  case ended(RoomSocketEnd)
}

/// A message of the server and when it arrived.
package struct ReceivedMessage: Sendable {
  /// The message, whatever it is: also an unknown or broken one.
  package var message: ServerMessage
  /// When its first byte was there.
  package var at: ContinuousClock.Instant
}

/// How a socket ended: what a rule of reconnection wants to know.
package struct RoomSocketEnd: Equatable, Sendable {
  /// Whether it ever stood.
  package var wasOpen: Bool
  /// The WebSocket close code, such as 1001; nil where the line broke or it never stood.
  package var closeCode: Int?
  /// The server's words on closing.
  package var reason: String
  /// What failed, where something did.
  package var error: TransportError?

  /// Joins the facts of an end.
  package init(
    wasOpen: Bool, closeCode: Int? = nil, reason: String = "", error: TransportError? = nil
  ) {
    self.wasOpen = wasOpen
    self.closeCode = closeCode
    self.reason = reason
    self.error = error
  }

  /// Whether the server said that it goes away in good order, to come back: 1001 or 1012.
  ///
  /// 1002 counts too: libwebsockets turns codes it takes for reserved, 1012 among them, into that.
  package var isRestart: Bool {
    error == nil && [1001, 1002, 1012].contains(closeCode)
  }

  /// The status of a refused handshake, such as 401.
  package var refusal: Int? {
    if case .http(let status)? = error?.cause { status } else { nil }
  }
}

/// One socket to a channel, from the first attempt to its end; it does not reconnect.
///
/// Messages are decoded off the network thread and off the reader's executor.
///
/// Threading: from anywhere; `events` has one reader. When the reader stops, the socket is closed.
package final class RoomSocket: Sendable {
  /// What happens, unbounded and in order; ends after `.ended`.
  package let events: AsyncStream<RoomSocketEvent>

  private let connection: WebSocketConnection

  /// Connects with the session of the HTTP client, which also keeps the cookies of the handshake.
  ///
  /// - Parameters:
  ///   - channel: the channel to join.
  ///   - server: its server.
  ///   - sockets: makes the connection.
  ///   - http: holds the session.
  package init(
    channel: ChannelID, server: ServerAddress, sockets: WebSocketClient, http: HTTPClient
  ) {
    let url = server.socketURL(channel)
    var headers = HTTPHeaders()
    if let cookie = http.cookies.header(for: url) { headers.add("Cookie", cookie) }
    let connection = sockets.connect(to: url, headers: headers)
    let (events, announce) = AsyncStream<RoomSocketEvent>.makeStream()
    announce.onTermination = { _ in connection.close(code: 1000) }
    self.connection = connection
    self.events = events
    let cookies = http.cookies
    Task { await Self.pump(connection, cookies, into: announce) }
  }

  /// Sends an action; the server may ignore it without an answer.
  ///
  /// What is sent before the socket stands waits; what can't be written any more is dropped.
  package func send(_ action: ClientAction) {
    // Only a number that is not finite can't be written, and means nothing to a server.
    guard let bytes = try? WireJSON.encode(action) else { return }
    connection.send(String(decoding: bytes, as: UTF8.self))
  }

  /// Closes the socket after what was sent; `events` tells the end.
  package func close() {
    connection.close(code: 1000)
  }

  @concurrent private static func pump(
    _ connection: WebSocketConnection, _ cookies: CookieStore,
    into announce: AsyncStream<RoomSocketEvent>.Continuation
  ) async {
    var end = RoomSocketEnd(wasOpen: false)
    for await event in connection.events {
      switch event {
      case .opened(let setCookie):
        end.wasOpen = true
        await cookies.keep(setCookie: setCookie, from: connection.url)
        announce.yield(.opened)
      case .message(let bytes, let at):
        announce.yield(.message(ReceivedMessage(message: ServerMessage(decoding: bytes), at: at)))
      case .closed(let code, let reason):
        end.closeCode = code
        end.reason = String(reason.prefix(300))
      case .failed(let error):
        end.error = error
      }
    }
    announce.yield(.ended(end))
    announce.finish()
  }
}
