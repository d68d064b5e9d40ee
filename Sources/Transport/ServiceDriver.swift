import CWebSockets

/// The sockets of one client: the state of its thread, known to it alone.
///
/// libwebsockets keeps a pointer to it, so it lives until the context is destroyed.
final class ServiceDriver {
  private(set) var context: OpaquePointer?
  private let configuration: TransportConfiguration
  private let loop: ServiceLoop
  private let socketProtocol: SocketProtocol
  private let policy: UnsafeMutablePointer<lws_retry_bo_t>
  private let strings = KeptStrings()
  private var plainHost: OpaquePointer?
  private var secureHost: OpaquePointer?
  private var links: [ObjectIdentifier: WebSocketLink] = [:]

  init(configuration: TransportConfiguration, loop: ServiceLoop) {
    self.configuration = configuration
    self.loop = loop
    socketProtocol = SocketProtocol(
      name: "blastoise", callback: webSocketCallback, receiving: 65536)
    policy = .allocate(capacity: 1)
    policy.initialize(to: lws_retry_bo_t())
    policy.pointee.secs_since_valid_ping = UInt16(clamping: configuration.pingInterval.wholeSeconds)
    policy.pointee.secs_since_valid_hangup = UInt16(
      clamping: configuration.pingTimeout.wholeSeconds)
    context = withInfo { SocketLibrary.makeContext($0, usesTLS: false) }
    plainHost = context.flatMap { lws_get_vhost_by_name($0, "default") }
  }

  deinit {
    policy.deallocate()
  }

  /// What context and hosts are made of.
  private func withInfo(
    _ make: (lws_context_creation_info) -> OpaquePointer?
  ) -> OpaquePointer? {
    var info = lws_context_creation_info()
    info.port = CONTEXT_PORT_NO_LISTEN
    info.protocols = UnsafePointer(socketProtocol.list)
    info.user = Unmanaged.passUnretained(self).toOpaque()
    // Proxies add long headers, and sessions have long cookies (traps.md 1).
    info.max_http_header_data2 = 65536
    info.pt_serv_buf_size = 65536
    info.fd_limit_per_thread = 64
    info.connect_timeout_secs = UInt32(configuration.connectTimeout.wholeSeconds)
    info.timeout_secs = UInt32(configuration.connectTimeout.wholeSeconds)
    // An empty proxy: else libwebsockets takes `http_proxy`, for loopback addresses too.
    let passing = KeptStrings()
    info.http_proxy_address = passing.keep("")
    // Loaded beside the system's certificates.
    info.client_ssl_ca_filepath = passing.keep(configuration.certificateFile)
    return withExtendedLifetime(passing) { make(info) }
  }

  /// The host of secure sockets, made for the first of them: plain ones need no certificates.
  ///
  /// - Returns: nil, or the reason why there is none.
  private func makeSecureHost() -> TransportError.Cause? {
    guard secureHost == nil, let context else { return nil }
    if let file = configuration.certificateFile, cwebsockets_holds_certificates(file) == 0 {
      // libwebsockets would log it and go on.
      return .certificateFile(path: file)
    }
    secureHost = withInfo { info in
      var info = info
      info.vhost_name = strings.keep("tls")
      return SocketLibrary.addHost(info, to: context, usesTLS: true)
    }
    return secureHost == nil ? .protocolViolation(detail: "TLS can't be had") : nil
  }

  /// Obeys commands; false when told to stop.
  func obey(_ commands: [ServiceCommand]) -> Bool {
    var isStopping = false
    for command in commands {
      switch command {
      case .connect(let connection): resolve(connection)
      case .resolved(let connection, let addresses): connect(connection, to: addresses)
      case .wantsToWrite(let connection): wantToWrite(connection)
      case .stop: isStopping = true
      }
    }
    return !isStopping
  }

  /// Destroys the context and tells all sockets.
  func close() {
    if let context { SocketLibrary.destroy(context) }
    context = nil
    for link in Array(links.values) { end(link, with: .failed(link.connection.error(.stopped))) }
  }

  /// libwebsockets keeps 128 bytes of a name when it checks a certificate.
  private static let longestCheckedName = 127

  private func resolve(_ connection: WebSocketConnection) {
    let url = connection.url
    if url.isSecure, let cause = makeSecureHost() {
      return connection.finish(with: .failed(connection.error(cause)))
    }
    if url.isSecure, url.authority.utf8.count > Self.longestCheckedName {
      // libwebsockets would check the certificate against the beginning of the name only.
      let detail = "the host's name is too long to be checked"
      return connection.finish(
        with: .failed(connection.error(.untrusted(host: url.host, detail: detail))))
    }
    links[ObjectIdentifier(connection)] = WebSocketLink(
      connection: connection, sizeLimit: configuration.sizeLimit,
      userAgent: configuration.userAgent)
    let loop = loop
    NameResolver.resolve(connection.url.host) { addresses in
      _ = loop.post(.resolved(connection, addresses))
    }
  }

  private func connect(_ connection: WebSocketConnection, to addresses: [String]) {
    guard let link = links[ObjectIdentifier(connection)] else { return }
    guard !addresses.isEmpty else {
      return end(link, with: .failed(connection.error(.unknownHost(connection.url.host))))
    }
    guard !connection.isClosing else {
      return end(link, with: .failed(connection.error(.cancelled)))
    }
    link.addresses = addresses
    connectToNextAddress(link)
  }

  private func connectToNextAddress(_ link: WebSocketLink) {
    guard let context else {
      return end(
        link, with: .failed(link.connection.error(.protocolViolation(detail: "no lws context"))))
    }
    let url = link.connection.url
    let passing = KeptStrings()
    var info = lws_client_connect_info()
    info.context = context
    info.vhost = url.isSecure ? secureHost : plainHost
    info.address = passing.keep(link.addresses.removeFirst())
    info.port = Int32(url.port)
    info.path = passing.keep(url.target)
    info.host = passing.keep(url.authority)
    info.alpn = passing.keep("http/1.1")
    info.ssl_connection = connectionFlags(url)
    info.local_protocol_name = socketProtocol.name
    info.retry_and_idle_policy = UnsafePointer(policy)
    info.opaque_user_data = Unmanaged.passUnretained(link).toOpaque()
    link.hasFailed = false
    link.startedAt = ContinuousClock.now
    let wsi = withExtendedLifetime(passing) { lws_client_connect_via_info(&info) }
    // A failure may have been told by the callback already, inside that call.
    guard !link.hasFailed else { return }
    link.wsi = wsi
    if wsi == nil { fail(link, "could not be started") }
  }

  private func connectionFlags(_ url: NetworkURL) -> Int32 {
    // The handshake carries our cookie: it goes to no other host.
    var flags = LCCSCF_HTTP_NO_FOLLOW_REDIRECT.rawValue
    if url.isSecure { flags |= LCCSCF_USE_SSL.rawValue }
    if url.isSecure, configuration.isInsecure {
      flags |= LCCSCF_ALLOW_SELFSIGNED.rawValue | LCCSCF_ALLOW_EXPIRED.rawValue
      flags |= LCCSCF_ALLOW_INSECURE.rawValue | LCCSCF_SKIP_SERVER_CERT_HOSTNAME_CHECK.rawValue
    }
    return Int32(flags)
  }

  private func wantToWrite(_ connection: WebSocketConnection) {
    guard let link = links[ObjectIdentifier(connection)], let wsi = link.wsi else { return }
    if link.isOpen {
      lws_callback_on_writable(wsi)
    } else if connection.isClosing {
      // Nothing to say good-bye to yet. At once: an asynchronous end is put off by the handshake.
      lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC)
    }
  }

  // MARK: - From the callback

  /// The handshake failed before the socket was open.
  func fail(_ link: WebSocketLink, _ detail: String) {
    let status = link.wsi.map { Int(lws_http_client_http_response($0)) } ?? 0
    fail(link, link.cause(detail: detail, status: status))
  }

  /// The socket's handle is gone without another word.
  func vanish(_ link: WebSocketLink) {
    link.wsi = nil
    guard !link.isOpen else {
      return end(link, with: .closed(code: link.closeCode, reason: link.closeReason))
    }
    let elapsed = ContinuousClock.now - link.startedAt
    if link.connection.isClosing {
      fail(link, .cancelled)
    } else if elapsed >= configuration.connectTimeout {
      fail(link, .timeout(detail: "no answer to the handshake"))
    } else {
      fail(link, .interrupted(detail: "closed during the handshake"))
    }
  }

  private func fail(_ link: WebSocketLink, _ cause: TransportError.Cause) {
    link.hasFailed = true
    link.wsi = nil
    let mayBeElsewhere =
      switch cause {
      case .unreachable, .timeout: !link.addresses.isEmpty
      default: false
      }
    if mayBeElsewhere {
      // By a command: libwebsockets is in the middle of ending this attempt.
      let rest = link.addresses
      _ = loop.post(.resolved(link.connection, rest))
    } else {
      end(link, with: .failed(link.connection.error(cause)))
    }
  }

  /// The one place where a socket ends; a second end is passed over.
  func end(_ link: WebSocketLink, with event: WebSocketEvent) {
    guard links.removeValue(forKey: ObjectIdentifier(link.connection)) != nil else { return }
    link.connection.finish(with: event)
  }
}
