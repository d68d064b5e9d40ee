import CWebSockets

/// A server of HTTP/1.1 and WebSockets on one port, which knows no paths: its handler does.
///
/// It has no thread of its own. One thread of its owner makes it and steps it, and hears everything
/// there, in one order:
///
/// ```swift
/// let server = try WebServer(options)
/// server.handler = handler
/// server.isWoken(by: inbox)
/// while !isStopping {
///   server.step()
///   for work in inbox.takeAll() { work() }
/// }
/// _ = inbox.close()
/// server.shutDown()
/// ```
///
/// Threading: made, run and dropped on one thread, the service thread.
package final class WebServer {
  /// Closures that run on the service thread at a time.
  package let timers: ServerTimers

  /// The port listened on.
  package let port: Int

  /// The WebSockets open now.
  package private(set) var sockets: [AcceptedSocket.ID: AcceptedSocket] = [:]

  /// Who answers; without one nobody does.
  package weak var handler: (any WebServerHandler)?

  private let options: WebServerOptions
  private let context: WebServerContext
  private var connections: [OpaquePointer: AcceptedConnection] = [:]
  private var lastSocketNumber: UInt64 = 0
  private let buffer: WriteBuffer
  private let reference: WebServerReference

  /// The longest body of a request.
  private static let bodyLimit = 16 * 1024 * 1024
  /// How long a client may take none of an answer.
  private static let writeTimeout: Int32 = 300
  /// How long an answered client may go on sending.
  private static let drainTime = Duration.seconds(10)

  /// Opens the port.
  ///
  /// - Parameter options: where to listen, and what to say.
  /// - Throws: `WebServerError` when the port or the certificate can't be had.
  package init(_ options: WebServerOptions) throws(WebServerError) {
    self.options = options
    let reference = WebServerReference()
    context = try WebServerContext(options, owner: Unmanaged.passUnretained(reference).toOpaque())
    timers = ServerTimers(context: context.pointer)
    port = context.port
    buffer = WriteBuffer(capacity: ResponseWriter.pieceSize + 128 * 1024)
    self.reference = reference
    reference.server = self
  }

  /// The connections open now, of either kind.
  package var connectionCount: Int { connections.count }

  /// Lets what is posted to an inbox end a `step`; the inbox is to be closed before `shutDown`.
  package func isWoken<Item>(by inbox: ServiceInbox<Item>) {
    inbox.attach(to: context.pointer)
  }

  /// Waits for events and handles them, once; blocks until there are any.
  package func step() {
    lws_service(context.pointer, 0)
  }

  /// Closes what is open: WebSockets with 1001, where they take it in time, then the rest.
  ///
  /// Blocks for 200 ms at most. Nothing else may be called afterwards.
  package func shutDown() {
    for socket in sockets.values { socket.close(code: 1001, reason: "server is stopping") }
    var isLate = false
    timers.cancelAll()
    timers.schedule(after: .milliseconds(200)) { isLate = true }
    while !isLate, sockets.values.contains(where: { !$0.isStalled }) { step() }
    timers.cancelAll()
    context.destroy()
    connections.removeAll()
    sockets.removeAll()
  }
}

/// What the library's context points at: there before the server is whole, and after it is gone.
final class WebServerReference {
  weak var server: WebServer?
}

/// Every event of the library; see `lws_callback_reasons`.
func webServerCallback(
  _ wsi: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
  _ input: UnsafeMutableRawPointer?, _ length: Int
) -> Int32 {
  guard let wsi, let context = lws_get_context(wsi), let owner = lws_context_user(context),
    let server = Unmanaged<WebServerReference>.fromOpaque(owner).takeUnretainedValue().server
  else { return 0 }
  return server.handle(
    reason, on: wsi,
    input: UnsafeMutableRawBufferPointer(
      start: input, count: input == nil ? 0 : max(0, length)),
    extra: input)
}

extension WebServer {
  /// One event.
  ///
  /// - Returns: what the library wants: 0 to go on, another number to close the connection.
  fileprivate func handle(
    _ reason: lws_callback_reasons, on wsi: OpaquePointer, input: UnsafeMutableRawBufferPointer,
    extra: UnsafeMutableRawPointer?
  ) -> Int32 {
    switch reason {
    case LWS_CALLBACK_HTTP: return requestArrived(on: wsi)
    case LWS_CALLBACK_HTTP_BODY: return bodyArrived(UnsafeRawBufferPointer(input), on: wsi)
    case LWS_CALLBACK_HTTP_BODY_COMPLETION: return bodyEnded(on: wsi)
    case LWS_CALLBACK_HTTP_WRITEABLE: return writeAnswer(on: wsi)
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return confirmUpgrade(on: wsi)
    case LWS_CALLBACK_ADD_HEADERS: return addHeaders(to: extra, of: wsi)
    case LWS_CALLBACK_ESTABLISHED: return socketOpened(on: wsi)
    case LWS_CALLBACK_RECEIVE: return received(UnsafeRawBufferPointer(input), on: wsi)
    case LWS_CALLBACK_SERVER_WRITEABLE:
      guard let socket = connections[wsi]?.socket else { return -1 }
      return socket.write(to: wsi, through: buffer) ? 0 : -1
    case LWS_CALLBACK_CLOSED: socketClosed(on: wsi)
    case LWS_CALLBACK_WSI_DESTROY: connectionClosed(wsi)
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED: _ = connection(wsi)
    default: break
    }
    return 0
  }

  private func connection(_ wsi: OpaquePointer) -> AcceptedConnection {
    if let connection = connections[wsi] { return connection }
    let connection = AcceptedConnection(wsi: wsi, isSecure: options.certificate != nil)
    connections[wsi] = connection
    return connection
  }

  // MARK: Requests

  private func requestArrived(on wsi: OpaquePointer) -> Int32 {
    let connection = connection(wsi)
    guard let request = IncomingRequest(reading: wsi, prefix: options.pathPrefix) else {
      let exchange = HTTPExchange(request: IncomingRequest(), connection: connection)
      exchange.hasBegun = true
      connection.exchange = exchange
      exchange.respond(options.notFound)
      return 0
    }
    // The library's own timeout is about headers and bodies; an answer may take its time.
    lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, Self.writeTimeout)
    let exchange = HTTPExchange(request: request, connection: connection)
    connection.exchange = exchange
    // The library can't take chunked bodies, so what follows on the line means nothing.
    if request.isChunked { return decline(OutgoingResponse(status: 411), on: connection) }
    guard let length = request.contentLength, length > 0 else { return begin(exchange) }
    connection.awaitsBody = true
    switch handler?.destination(ofBodyOf: request) ?? .memory {
    case .memory:
      if length > Self.bodyLimit { return decline(OutgoingResponse(status: 413), on: connection) }
      exchange.request.body.reserveCapacity(length)
    case .form(let sink):
      guard let reader = FormReader(sink, contentType: request.contentType) else {
        return decline(OutgoingResponse(status: 400), on: connection)
      }
      exchange.form = reader
    case .refused(let response): return decline(response, on: connection)
    }
    return request.expectsContinue ? sayContinue(on: wsi) : 0
  }

  /// Answers without the body; what comes of it is passed over.
  private func decline(_ response: OutgoingResponse, on connection: AcceptedConnection) -> Int32 {
    connection.exchange?.hasBegun = true
    connection.exchange?.respond(response.closing())
    return 0
  }

  private func sayContinue(on wsi: OpaquePointer) -> Int32 {
    let line = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
    buffer.payload.copyBytes(from: line)
    return buffer.write(line.count, to: wsi, as: LWS_WRITE_HTTP) ? 0 : -1
  }

  private func bodyArrived(_ piece: UnsafeRawBufferPointer, on wsi: OpaquePointer) -> Int32 {
    guard let connection = connections[wsi] else { return -1 }
    guard let exchange = connection.exchange, !exchange.hasBegun else { return 0 }
    if exchange.form != nil {
      exchange.form?.take(piece)
      return 0
    }
    exchange.request.body.append(contentsOf: piece)
    return exchange.request.body.count <= Self.bodyLimit ? 0 : -1
  }

  private func bodyEnded(on wsi: OpaquePointer) -> Int32 {
    let connection = connection(wsi)
    let awaitedBody = connection.awaitsBody
    connection.awaitsBody = false
    // Without one the answer went out before the body was here, and was the last.
    guard let exchange = connection.exchange else { return awaitedBody ? -1 : 0 }
    return begin(exchange)
  }

  private func begin(_ exchange: HTTPExchange?) -> Int32 {
    guard let exchange, !exchange.hasBegun else { return 0 }
    exchange.hasBegun = true
    handler?.answer(exchange)
    return 0
  }

  private func writeAnswer(on wsi: OpaquePointer) -> Int32 {
    guard let connection = connections[wsi], let exchange = connection.exchange,
      let progress = exchange.write(to: wsi, server: options.serverName, through: buffer)
    else { return 0 }
    switch progress {
    case .more:
      lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, Self.writeTimeout)
      connection.askForWritable()
      return 0
    case .wait(let delay):
      timers.schedule(after: delay) { [weak connection] in connection?.askForWritable() }
      return 0
    case .complete:
      finish(exchange, of: connection)
      return lws_http_transaction_completed(wsi) == 0 ? 0 : -1
    case .close:
      finish(exchange, of: connection)
      return connection.awaitsBody ? drain(connection) : -1
    }
  }

  /// Reads on for a while before the end: a connection closed on bytes unread is reset, and its
  /// client might never see the answer.
  private func drain(_ connection: AcceptedConnection) -> Int32 {
    timers.schedule(after: Self.drainTime) { [weak connection] in connection?.kill() }
    return 0
  }

  private func finish(_ exchange: HTTPExchange, of connection: AcceptedConnection) {
    connection.exchange = nil
    handler?.finished(exchange.request, status: exchange.status)
  }

  // MARK: WebSockets

  private func confirmUpgrade(on wsi: OpaquePointer) -> Int32 {
    let connection = connection(wsi)
    let request = IncomingRequest(reading: wsi, prefix: options.pathPrefix)
    let decision = request.flatMap { handler?.decide(onUpgrade: $0) }
    switch decision ?? .refuse(options.notFound) {
    case .accept(let upgrade):
      connection.upgrade = upgrade
      return 0
    case .refuse(let response):
      var writer = ResponseWriter(
        response.closing(), hasBody: true, pieceSize: connection.pieceSize)
      _ = writer.write(to: wsi, server: options.serverName, through: buffer)
      if let request { handler?.finished(request, status: response.status) }
      return 1
    }
  }

  private func addHeaders(to arguments: UnsafeMutableRawPointer?, of wsi: OpaquePointer) -> Int32 {
    guard let arguments = arguments?.assumingMemoryBound(to: lws_process_html_args.self),
      let upgrade = connections[wsi]?.upgrade
    else { return 0 }
    guard let place = arguments.pointee.p,
      let count = upgrade.headers.copy(to: place, room: Int(arguments.pointee.max_len))
    else { return 1 }
    arguments.pointee.p = place + count
    arguments.pointee.max_len -= Int32(count)
    return 0
  }

  private func socketOpened(on wsi: OpaquePointer) -> Int32 {
    let connection = connection(wsi)
    guard let upgrade = connection.upgrade else { return -1 }
    connection.upgrade = nil
    lastSocketNumber += 1
    let socket = AcceptedSocket(
      id: AcceptedSocket.ID(number: lastSocketNumber), connection: connection)
    connection.socket = socket
    sockets[socket.id] = socket
    upgrade.opened(socket)
    return 0
  }

  private func received(_ piece: UnsafeRawBufferPointer, on wsi: OpaquePointer) -> Int32 {
    guard let socket = connections[wsi]?.socket else { return -1 }
    if let text = socket.receive(piece, from: wsi) {
      handler?.received(text, on: socket)
    }
    return 0
  }

  private func socketClosed(on wsi: OpaquePointer) {
    guard let connection = connections[wsi], let socket = connection.socket else { return }
    connection.socket = nil
    sockets[socket.id] = nil
    handler?.closed(socket)
  }

  private func connectionClosed(_ wsi: OpaquePointer) {
    socketClosed(on: wsi)
    guard let connection = connections.removeValue(forKey: wsi) else { return }
    guard let exchange = connection.exchange else { return }
    handler?.finished(exchange.request, status: exchange.status)
  }
}
