package import CWebSockets
import Synchronization

/// The making and ending of libwebsockets' contexts, for the client here and for the room server.
///
/// Contexts are made and ended one at a time in a process. Each context made with
/// `LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT` would take new slots in OpenSSL's objects for all contexts
/// of the process (4.1.6; later versions don't): a handshake under way in another context then finds
/// its own slot empty and fails. So that option is given once in a process, to a context of no other
/// use, and TLS is switched on in each context's only virtual host instead.
package enum SocketLibrary {
  private static let isTLSReady = Mutex(false)

  /// Makes a context with one virtual host.
  ///
  /// - Parameters:
  ///   - info: what both are made of; its options about TLS and virtual hosts are set here.
  ///   - usesTLS: whether connections may be made or taken by TLS.
  /// - Returns: the context, to be ended by `destroy`; nil where the library refuses.
  package static func makeContext(
    _ info: lws_context_creation_info, usesTLS: Bool
  ) -> OpaquePointer? {
    let tls = UInt64(LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT)
    var info = info
    info.options &= ~tls
    info.options |= UInt64(LWS_SERVER_OPTION_EXPLICIT_VHOSTS)
    lws_set_log_level(0, nil)
    isTLSReady.withLock { isReady in
      if usesTLS, !isReady {
        prepareTLS(option: tls)
        isReady = true
      }
    }
    let address = isTLSReady.withLock { _ in UInt(bitPattern: lws_create_context(&info)) }
    guard let context = OpaquePointer(bitPattern: address) else { return nil }
    if usesTLS { info.options |= tls }
    let isMade = isTLSReady.withLock { _ in
      lws_create_vhost(OpaquePointer(bitPattern: address), &info) != nil
    }
    guard isMade else {
      destroy(context)
      return nil
    }
    return context
  }

  /// Ends a context; its callback is called for what is still open.
  package static func destroy(_ context: OpaquePointer) {
    let address = UInt(bitPattern: context)
    isTLSReady.withLock { _ in lws_context_destroy(OpaquePointer(bitPattern: address)) }
  }

  private static func prepareTLS(option: UInt64) {
    var info = lws_context_creation_info()
    info.port = CONTEXT_PORT_NO_LISTEN
    info.gid = -1
    info.uid = -1
    info.fd_limit_per_thread = 8
    info.options = option | UInt64(LWS_SERVER_OPTION_EXPLICIT_VHOSTS)
    lws_context_destroy(lws_create_context(&info))
  }
}
