import CWebSockets

/// One socket as libwebsockets' thread knows it: its handle and the message that is arriving.
///
/// libwebsockets keeps a pointer to it; the driver holds it until the socket has ended.
final class WebSocketLink {
  let connection: WebSocketConnection
  let userAgent: String

  /// The handle, while there is one.
  var wsi: OpaquePointer?
  /// Addresses of the host not tried yet.
  var addresses: [String] = []
  /// When the attempt under way began.
  var startedAt = ContinuousClock.now
  /// Whether the attempt under way was told to have failed.
  var hasFailed = false
  /// Whether the handshake succeeded.
  var isOpen = false
  var closeCode: Int?
  var closeReason = ""

  /// Why the server's certificate was not trusted.
  var distrust: String?

  private var setCookie: [String] = []
  private var message: ArrivingMessage

  init(connection: WebSocketConnection, sizeLimit: Int, userAgent: String) {
    self.connection = connection
    message = ArrivingMessage(limit: sizeLimit)
    self.userAgent = userAgent
  }

  /// Writes our header lines into a handshake.
  ///
  /// - Returns: false where they don't fit.
  func appendHeaders(
    at place: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>>, room: Int
  ) -> Bool {
    var headers = connection.request.headers
    headers.add("User-Agent", userAgent)
    guard let count = headers.copy(to: place.pointee, room: room) else { return false }
    place.pointee += count
    return true
  }

  /// Keeps the cookies of a handshake, which are gone once it is over.
  func readCookies(_ wsi: OpaquePointer) {
    setCookie = ReceivedHeaders(of: wsi).values(of: WSI_TOKEN_HTTP_SET_COOKIE)
      .map(\.trimmingBlanks)
  }

  func open() {
    isOpen = true
    connection.announce(.opened(setCookie: setCookie))
    setCookie = []
  }

  /// Takes the next piece of a message, however it was fragmented.
  ///
  /// - Returns: why the socket must end, where it must.
  func take(_ piece: UnsafeRawBufferPointer, _ wsi: OpaquePointer) -> TransportError.Cause? {
    switch message.take(piece, from: wsi) {
    case .partial: return nil
    case .whole(let bytes, let began):
      connection.announce(.message(bytes: bytes, at: began))
      return nil
    case .tooLarge:
      lws_close_reason(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, nil, 0)
      return .tooLarge(limit: message.limit)
    }
  }

  /// Writes the next queued message, or the end.
  ///
  /// - Returns: false to close.
  func write(_ wsi: OpaquePointer) -> Bool {
    switch connection.takeNext() {
    case nil:
      return true
    case .close(let code):
      lws_close_reason(wsi, lws_close_status(UInt32(code)), nil, 0)
      return false
    case .message(let bytes, let isLast):
      let buffer = WriteBuffer(capacity: bytes.count)
      guard buffer.write(bytes[...], to: wsi, isFirst: true, isLast: true) else { return false }
      if !isLast { lws_callback_on_writable(wsi) }
      return true
    }
  }

  /// The peer's close frame: two bytes of code, then the reason.
  func peerCloses(_ payload: UnsafeRawBufferPointer) {
    guard payload.count >= 2 else { return }
    closeCode = Int(payload[0]) << 8 | Int(payload[1])
    closeReason = String(decoding: payload.dropFirst(2), as: UTF8.self)
  }

  /// What a failed handshake means, from libwebsockets' own words.
  func cause(detail: String, status: Int) -> TransportError.Cause {
    if connection.isClosing { return .cancelled }
    if status >= 300 { return .http(status: status) }
    if let distrust { return .untrusted(host: connection.url.host, detail: distrust) }
    let words = detail.lowercased()
    if words.contains("ssl") { return .protocolViolation(detail: detail) }
    if words.contains("timed out") || words.contains("timeout") { return .timeout(detail: detail) }
    if ["read failed", "closed"].contains(where: words.contains) {
      return .interrupted(detail: detail)
    }
    if words.contains("connect") || words.contains("started") || detail.isEmpty {
      return .unreachable(detail: detail)
    }
    return .protocolViolation(detail: detail)
  }
}
