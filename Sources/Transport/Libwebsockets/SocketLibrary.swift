import CWebSockets
import Synchronization

/// The making and ending of libwebsockets' contexts, for the client and for the server.
///
/// Contexts are made and ended one at a time in a process. Each context made with
/// `LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT` would take new slots in OpenSSL's objects for all contexts
/// of the process (4.1.6; later versions don't): a handshake under way in another context then finds
/// its own slot empty and fails. So that option is given once in a process, to a context of no other
/// use, and TLS is switched on in each context's only virtual host instead.
enum SocketLibrary {
  /// Whether TLS is prepared; its lock is held while anything is made or ended.
  private static let isTLSReady = Mutex(false)

  private static let tlsOption = UInt64(LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT)

  /// Makes a context with one virtual host, `default`.
  ///
  /// - Parameters:
  ///   - info: what both are made of; the options about TLS and virtual hosts and the
  ///     user (nobody else) are set here.
  ///   - usesTLS: whether the host's connections go by TLS.
  /// - Returns: the context, to be ended by `destroy`; nil where the library refuses.
  static func makeContext(
    _ info: lws_context_creation_info, usesTLS: Bool
  ) -> OpaquePointer? {
    var contextInfo = info
    contextInfo.gid = -1
    contextInfo.uid = -1
    contextInfo.options &= ~tlsOption
    contextInfo.options |= UInt64(LWS_SERVER_OPTION_EXPLICIT_VHOSTS)
    lws_set_log_level(0, nil)
    let address = isTLSReady.withLock { _ in UInt(bitPattern: lws_create_context(&contextInfo)) }
    guard let context = OpaquePointer(bitPattern: address) else { return nil }
    guard addHost(info, to: context, usesTLS: usesTLS) != nil else {
      destroy(context)
      return nil
    }
    return context
  }

  /// Adds a virtual host to a context.
  ///
  /// With TLS it reads the system's certificates, which takes some 20 ms.
  ///
  /// - Parameters:
  ///   - info: what it is made of; its `vhost_name` must live as long as the context.
  ///   - context: the context, of the calling thread.
  ///   - usesTLS: whether its connections go by TLS.
  /// - Returns: the host; nil where the library refuses.
  static func addHost(
    _ info: lws_context_creation_info, to context: OpaquePointer, usesTLS: Bool
  ) -> OpaquePointer? {
    var info = info
    info.options &= ~tlsOption
    if usesTLS { info.options |= tlsOption }
    let address = UInt(bitPattern: context)
    let host = isTLSReady.withLock { isReady in
      if usesTLS, !isReady { prepareTLS() }
      isReady = isReady || usesTLS
      return UInt(bitPattern: lws_create_vhost(OpaquePointer(bitPattern: address), &info))
    }
    return OpaquePointer(bitPattern: host)
  }

  /// Ends a context; its callback is called for what is still open.
  static func destroy(_ context: OpaquePointer) {
    let address = UInt(bitPattern: context)
    isTLSReady.withLock { _ in lws_context_destroy(OpaquePointer(bitPattern: address)) }
  }

  private static func prepareTLS() {
    var info = lws_context_creation_info()
    info.port = CONTEXT_PORT_NO_LISTEN
    info.gid = -1
    info.uid = -1
    info.fd_limit_per_thread = 8
    info.options = tlsOption | UInt64(LWS_SERVER_OPTION_EXPLICIT_VHOSTS)
    lws_context_destroy(lws_create_context(&info))
  }
}
