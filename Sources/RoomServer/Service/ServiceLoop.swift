import CWebSockets

/// The service thread's loop: connections, exchanges and WebSockets over the library's events.
///
/// It knows nothing of rooms; a `ServiceHandler` does.
///
/// Threading: made, run and dropped on the service thread.
final class ServiceLoop {
  let timers: ServiceTimers
  let port: Int
  private(set) var sockets: [Socket.ID: Socket] = [:]
  weak var handler: (any ServiceHandler)?

  private let options: ServiceOptions
  private let context: ServiceContext
  private var connections: [OpaquePointer: Connection] = [:]
  private var lastSocketNumber: UInt64 = 0
  private let scratch: UnsafeMutableRawBufferPointer
  private let reference: ServiceLoopReference

  /// The longest body of a request.
  private static let bodyLimit = 16 * 1024 * 1024
  /// How long a client may take none of an answer.
  private static let writeTimeout: Int32 = 300

  /// Opens the port.
  ///
  /// - Throws: `ServiceError` when it can't be had.
  init(_ options: ServiceOptions) throws(ServiceError) {
    self.options = options
    let reference = ServiceLoopReference()
    context = try ServiceContext(options, owner: Unmanaged.passUnretained(reference).toOpaque())
    timers = ServiceTimers(context: context.pointer)
    port = context.port
    scratch = .allocate(byteCount: ResponseWriter.pieceSize + 128 * 1024, alignment: 16)
    self.reference = reference
    reference.loop = self
  }

  deinit {
    scratch.deallocate()
  }

  /// The connections open now, of either kind.
  var connectionCount: Int { connections.count }

  /// The context other threads may wake.
  var wakeable: OpaquePointer { context.pointer }

  /// Waits for events and handles them, once.
  func step() {
    lws_service(context.pointer, 0)
  }

  /// Closes what is open: WebSockets with 1001, where they take it in time, then the rest.
  func shutDown() {
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

/// What the library's context points at: there before the loop is whole, and after it is gone.
final class ServiceLoopReference {
  weak var loop: ServiceLoop?
}

/// Every event of the library; see `lws_callback_reasons`.
func serviceCallback(
  _ wsi: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
  _ input: UnsafeMutableRawPointer?, _ length: Int
) -> Int32 {
  guard let wsi, let context = lws_get_context(wsi), let owner = lws_context_user(context),
    let loop = Unmanaged<ServiceLoopReference>.fromOpaque(owner).takeUnretainedValue().loop
  else { return 0 }
  return loop.handle(
    reason, on: wsi,
    input: UnsafeMutableRawBufferPointer(
      start: input, count: input == nil ? 0 : max(0, length)),
    extra: input)
}

extension ServiceLoop {
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
    case LWS_CALLBACK_HTTP_BODY_COMPLETION: return begin(connection(wsi).exchange)
    case LWS_CALLBACK_HTTP_WRITEABLE: return writeAnswer(on: wsi)
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return confirmUpgrade(on: wsi)
    case LWS_CALLBACK_ADD_HEADERS: return addHeaders(to: extra, of: wsi)
    case LWS_CALLBACK_ESTABLISHED: return socketOpened(on: wsi)
    case LWS_CALLBACK_RECEIVE: return received(UnsafeRawBufferPointer(input), on: wsi)
    case LWS_CALLBACK_SERVER_WRITEABLE:
      guard let socket = connections[wsi]?.socket else { return -1 }
      return socket.write(to: wsi, scratch: scratch) ? 0 : -1
    case LWS_CALLBACK_CLOSED: socketClosed(on: wsi)
    case LWS_CALLBACK_WSI_DESTROY: connectionClosed(wsi)
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED: _ = connection(wsi)
    default: break
    }
    return 0
  }

  private func connection(_ wsi: OpaquePointer) -> Connection {
    if let connection = connections[wsi] { return connection }
    let connection = Connection(wsi: wsi, isSecure: options.certificate != nil)
    connections[wsi] = connection
    return connection
  }

  // MARK: Requests

  private func requestArrived(on wsi: OpaquePointer) -> Int32 {
    let connection = connection(wsi)
    guard let request = ServerRequest(reading: wsi, prefix: options.pathPrefix) else {
      let exchange = Exchange(request: ServerRequest(), connection: connection)
      exchange.hasBegun = true
      connection.exchange = exchange
      exchange.respond(ServerResponse(status: 404, json: Array(#"{"error":"not found"}"#.utf8)))
      return 0
    }
    // The library's own timeout is about headers and bodies; an answer may take its time.
    lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, Self.writeTimeout)
    let exchange = Exchange(request: request, connection: connection)
    connection.exchange = exchange
    if request.isChunked || (request.contentLength ?? 0) > Self.bodyLimit {
      // The library can't take chunked bodies, so what follows on the line means nothing.
      exchange.hasBegun = true
      exchange.respond(ServerResponse(status: request.isChunked ? 411 : 413).closing())
      return 0
    }
    guard let length = request.contentLength, length > 0 else { return begin(exchange) }
    exchange.request.body.reserveCapacity(length)
    return 0
  }

  private func bodyArrived(_ piece: UnsafeRawBufferPointer, on wsi: OpaquePointer) -> Int32 {
    guard let exchange = connections[wsi]?.exchange else { return -1 }
    exchange.request.body.append(contentsOf: piece)
    return exchange.request.body.count <= Self.bodyLimit ? 0 : -1
  }

  private func begin(_ exchange: Exchange?) -> Int32 {
    guard let exchange, !exchange.hasBegun else { return 0 }
    exchange.hasBegun = true
    handler?.answer(exchange)
    return 0
  }

  private func writeAnswer(on wsi: OpaquePointer) -> Int32 {
    guard let connection = connections[wsi], let exchange = connection.exchange,
      let progress = exchange.write(to: wsi, server: options.serverName, scratch: scratch)
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
      return -1
    }
  }

  private func finish(_ exchange: Exchange, of connection: Connection) {
    connection.exchange = nil
    handler?.finished(exchange.request, status: exchange.status)
  }

  // MARK: WebSockets

  private func confirmUpgrade(on wsi: OpaquePointer) -> Int32 {
    let connection = connection(wsi)
    let request = ServerRequest(reading: wsi, prefix: options.pathPrefix)
    let decision = request.flatMap { handler?.decide(onUpgrade: $0) }
    switch decision ?? .refuse(ServerResponse(status: 404)) {
    case .accept(let upgrade):
      connection.upgrade = upgrade
      return 0
    case .refuse(let response):
      var writer = ResponseWriter(
        response.closing(), hasBody: true, pieceSize: connection.pieceSize)
      _ = writer.write(to: wsi, server: options.serverName, scratch: scratch)
      if let request { handler?.finished(request, status: response.status) }
      return 1
    }
  }

  private func addHeaders(to arguments: UnsafeMutableRawPointer?, of wsi: OpaquePointer) -> Int32 {
    guard let arguments = arguments?.assumingMemoryBound(to: lws_process_html_args.self),
      let upgrade = connections[wsi]?.upgrade
    else { return 0 }
    for (name, value) in upgrade.headers {
      let line = Array("\(name): \(value)\r\n".utf8)
      guard line.count < arguments.pointee.max_len, let place = arguments.pointee.p else {
        return 1
      }
      UnsafeMutableRawPointer(place).copyMemory(from: line, byteCount: line.count)
      arguments.pointee.p = place + line.count
      arguments.pointee.max_len -= Int32(line.count)
    }
    return 0
  }

  private func socketOpened(on wsi: OpaquePointer) -> Int32 {
    let connection = connection(wsi)
    guard let upgrade = connection.upgrade else { return -1 }
    connection.upgrade = nil
    lastSocketNumber += 1
    let socket = Socket(id: Socket.ID(number: lastSocketNumber), connection: connection)
    connection.socket = socket
    sockets[socket.id] = socket
    upgrade.opened(socket)
    return 0
  }

  private func received(_ piece: UnsafeRawBufferPointer, on wsi: OpaquePointer) -> Int32 {
    guard let socket = connections[wsi]?.socket else { return -1 }
    let isLast = lws_is_final_fragment(wsi) != 0 && lws_remaining_packet_payload(wsi) == 0
    let isFirst = lws_is_first_fragment(wsi) != 0
    if let text = socket.receive(piece, isFirst: isFirst, isLast: isLast) {
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
