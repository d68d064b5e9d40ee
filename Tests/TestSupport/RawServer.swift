import Glibc
import Platform
import Synchronization

/// A server on 127.0.0.1 that speaks whatever a test wants: bytes, wrong ones above all.
///
/// Each connection runs the test's script on a thread of its own.
package final class RawServer: Sendable {
  /// The port, chosen by the system.
  package let port: Int

  private let listener: Int32
  private let threads: Mutex<[NamedThread]>
  private let connections = Mutex<[RawConnection]>([])
  private let isStopping = Atomic(false)

  /// Listens, and runs a script for each connection; its end closes the connection.
  package init(_ script: @escaping @Sendable (RawConnection) -> Void) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = loopback(port: 0)
    let hasFailed = withSocketAddress(of: &address) { address, count in
      var length = count
      return bind(listener, address, length) != 0 || listen(listener, 16) != 0
        || getsockname(listener, address, &length) != 0
    }
    guard !hasFailed else { throw RawServerError(code: errno) }
    self.listener = listener
    port = Int(UInt16(bigEndian: address.sin_port))
    threads = Mutex([])
    let accepting = NamedThread(name: "raw-server") { [self] in acceptAll(script) }
    threads.withLock { $0.append(accepting) }
  }

  /// Ends all connections and joins all threads.
  package func stop() {
    isStopping.store(true, ordering: .releasing)
    Glibc.shutdown(listener, Int32(SHUT_RDWR))
    for connection in connections.withLock({ $0 }) { connection.cut() }
    while let thread = threads.withLock({ $0.popLast() }) {
      thread.join()
      for connection in connections.withLock({ $0 }) { connection.cut() }
    }
    Glibc.close(listener)
  }

  /// The heads of all requests read so far, in order of arrival.
  package var heads: [String] { connections.withLock { $0.flatMap(\.heads) } }

  /// The number of connections so far.
  package var connectionCount: Int { connections.withLock { $0.count } }

  private func acceptAll(_ script: @escaping @Sendable (RawConnection) -> Void) {
    while !isStopping.load(ordering: .acquiring) {
      let descriptor = accept(listener, nil, nil)
      guard descriptor >= 0 else { return }
      let connection = RawConnection(descriptor)
      connections.withLock { $0.append(connection) }
      let thread = NamedThread(name: "raw-connection") {
        script(connection)
        connection.cut()
      }
      threads.withLock { $0.append(thread) }
    }
  }
}

/// A server that could not listen, or was not there.
package struct RawServerError: Error {
  package var code: Int32
}
