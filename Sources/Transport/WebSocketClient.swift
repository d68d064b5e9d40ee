import Platform
import Synchronization

/// Opens WebSockets: one libwebsockets context on one thread, whatever the number of sockets.
///
/// A silent socket is pinged, and given up when it stays silent. Redirects are not followed; no
/// subprotocol is asked for.
///
/// Threading: from anywhere.
package final class WebSocketClient: Sendable {
  private let loop: ServiceLoop
  private let thread = Mutex<NamedThread?>(nil)

  /// Makes a client; its thread starts with the first socket.
  ///
  /// - Parameter configuration: how connections are made.
  package init(configuration: TransportConfiguration) {
    loop = ServiceLoop(configuration: configuration)
  }

  deinit { loop.stop() }

  /// Starts to connect.
  ///
  /// - Parameters:
  ///   - url: a `ws` or `wss` address.
  ///   - headers: lines of the handshake beside the usual ones, such as `Cookie`.
  /// - Returns: the socket, whose events tell how it went.
  package func connect(to url: NetworkURL, headers: HTTPHeaders = HTTPHeaders())
    -> WebSocketConnection
  {
    let request = WebSocketRequest(url: url, headers: headers)
    let connection = WebSocketConnection(request: request, loop: loop)
    guard loop.post(.connect(connection)) else {
      connection.finish(with: .failed(connection.error(.stopped)))
      return connection
    }
    thread.withLock { [loop] thread in
      thread = thread ?? NamedThread(name: "lws") { loop.run() }
    }
    return connection
  }

  /// Drops all sockets and joins the thread.
  ///
  /// Blocks for a moment. Sockets closed before this may not have told their peers.
  package func shutdown() {
    loop.stop()
    let running = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    running?.join()
  }
}
