import Synchronization

/// What happens on a WebSocket, in order.
package enum WebSocketEvent: Sendable {
  /// The handshake succeeded; the values of its `Set-Cookie` headers.
  case opened(setCookie: [String])
  /// A whole message, text or binary alike, and when its first byte was there.
  case message(bytes: [UInt8], at: ContinuousClock.Instant)
  /// It is over after having been open; the code is nil where the line just broke.
  case closed(code: Int?, reason: String)
  /// It did not open, or was given up by us; nothing follows.
  case failed(TransportError)
}

/// One WebSocket, from its first attempt to its end.
///
/// Threading: from anywhere; `events` has one reader. Nothing blocks.
package final class WebSocketConnection: Sendable {
  /// What happens, unbounded and in order; ends after `.closed` or `.failed`.
  package let events: AsyncStream<WebSocketEvent>

  /// The address it leads to.
  package let url: NetworkURL

  let request: WebSocketRequest
  private let loop: ServiceLoop
  private let announce: AsyncStream<WebSocketEvent>.Continuation
  private let outbox = Mutex(WebSocketOutbox())

  init(request: WebSocketRequest, loop: ServiceLoop) {
    url = request.url
    self.request = request
    self.loop = loop
    (events, announce) = AsyncStream.makeStream()
  }

  /// Queues a text message; it is dropped when the socket ends before it is written.
  package func send(_ text: String) {
    outbox.withLock { $0.messages.append(Array(text.utf8)) }
    if !loop.post(.wantsToWrite(self)) { finish(with: .failed(error(.stopped))) }
  }

  /// Closes after what is queued, or gives the attempt up; `events` tells the end.
  ///
  /// - Parameter code: the WebSocket close code.
  package func close(code: Int = 1000) {
    outbox.withLock { $0.closeCode = $0.closeCode ?? code }
    if !loop.post(.wantsToWrite(self)) { finish(with: .failed(error(.stopped))) }
  }

  /// Takes the next thing to write.
  func takeNext() -> WebSocketOutbox.Next? {
    outbox.withLock { $0.takeNext() }
  }

  /// Whether `close` was called.
  var isClosing: Bool { outbox.withLock { $0.closeCode != nil } }

  func announce(_ event: WebSocketEvent) { announce.yield(event) }

  func finish(with event: WebSocketEvent) {
    announce.yield(event)
    announce.finish()
  }

  func error(_ cause: TransportError.Cause) -> TransportError {
    TransportError(operation: "WebSocket", url: url.redacted, cause: cause)
  }
}

/// Where a WebSocket leads and what its handshake carries.
struct WebSocketRequest: Sendable {
  var url: NetworkURL
  var headers: HTTPHeaders
}

/// What waits to be written.
struct WebSocketOutbox {
  /// A message, or the end.
  enum Next {
    case message([UInt8], isLast: Bool)
    case close(code: Int)
  }

  var messages: [[UInt8]] = []
  var closeCode: Int?

  mutating func takeNext() -> Next? {
    guard messages.isEmpty else {
      let message = messages.removeFirst()
      return .message(message, isLast: messages.isEmpty && closeCode == nil)
    }
    return closeCode.map { .close(code: $0) }
  }
}
