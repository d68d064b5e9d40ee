import CWebSockets
import Glibc

/// The library's context with its listening port.
///
/// Threading: made, used and destroyed on the service thread.
final class WebServerContext {
  let pointer: OpaquePointer
  /// The port listened on.
  let port: Int

  private let socketProtocol: SocketProtocol
  // The library keeps pointers into the creation info's strings.
  private let strings: KeptStrings

  /// Binds the port.
  ///
  /// - Throws: `WebServerError` when the port or the certificate can't be had.
  init(_ options: WebServerOptions, owner: UnsafeMutableRawPointer) throws(WebServerError) {
    for path in [options.certificate, options.key].compactMap({ $0 }) where access(path, R_OK) != 0
    {
      throw .certificate(path: path)
    }
    strings = KeptStrings()
    socketProtocol = SocketProtocol(
      name: "server", callback: webServerCallback, receiving: 16 * 1024,
      sending: ResponseWriter.pieceSize + 4096)

    var info = lws_context_creation_info()
    info.port = Int32(options.port)
    info.iface = strings.keep(Self.interface(for: options.host))
    info.protocols = UnsafePointer(socketProtocol.list)
    info.user = owner
    info.alpn = strings.keep("http/1.1")
    info.ssl_cert_filepath = strings.keep(options.certificate)
    info.ssl_private_key_filepath = strings.keep(options.key)
    info.max_http_header_data = UInt16.max
    info.pt_serv_buf_size = UInt32(ResponseWriter.pieceSize)
    info.fd_limit_per_thread = 4096
    info.keepalive_timeout = 60
    info.timeout_secs = 20
    info.retry_and_idle_policy = cwebsockets_server_idle_policy()
    info.options = UInt64(LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND)
    if !options.host.contains(":") { info.options |= UInt64(LWS_SERVER_OPTION_DISABLE_IPV6) }

    let usesTLS = options.certificate != nil
    guard let pointer = SocketLibrary.makeContext(info, usesTLS: usesTLS) else {
      throw Self.reason(for: options)
    }
    self.pointer = pointer
    let host = lws_get_vhost_by_name(pointer, "default")
    port = host.map { Int(lws_get_vhost_listen_port($0)) } ?? options.port
  }

  /// Closes every connection, without a word, and the port.
  func destroy() {
    SocketLibrary.destroy(pointer)
  }

  /// The address to bind; nil is all of them.
  private static func interface(for host: String) -> String? {
    switch host {
    case "localhost": "127.0.0.1"
    case "0.0.0.0", "::", "": nil
    default: host
    }
  }

  /// The library says only that it failed: try the bind it tried.
  private static func reason(for options: WebServerOptions) -> WebServerError {
    let failure = bindFailure(host: interface(for: options.host), port: options.port)
    if failure == 0, let certificate = options.certificate {
      return .certificate(path: certificate)
    }
    return .cannotListen(code: failure)
  }

  private static func bindFailure(host: String?, port: Int) -> Int32 {
    var hints = addrinfo()
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &list) == 0, let first = list else {
      return EADDRNOTAVAIL
    }
    defer { freeaddrinfo(list) }
    let address = first.pointee
    let descriptor = socket(address.ai_family, address.ai_socktype, 0)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    var yes: Int32 = 1
    setsockopt(
      descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard bind(descriptor, address.ai_addr, address.ai_addrlen) == 0 else { return errno }
    return listen(descriptor, 1) == 0 ? 0 : errno
  }
}
