import Glibc
import Synchronization

/// A bare connection over loopback, of either side: one of a `RawServer`, or one made to a server.
///
/// Everything blocks: call it on a thread of its own.
package final class RawConnection: Sendable {
  private let descriptor: Int32
  private let sawEnd = Atomic(false)
  private let isCut = Mutex(false)
  private let seen = Mutex<[String]>([])

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    keepFromChildren(descriptor)
  }

  /// Connects to a port of this machine; every read waits thirty seconds at most.
  ///
  /// - Throws: `RawServerError` where nobody listens.
  package init(port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    keepFromChildren(descriptor)
    var timeout = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    var address = loopback(port: port)
    let code = withSocketAddress(of: &address) { connect(descriptor, $0, $1) }
    guard code == 0 else { throw RawServerError(code: errno) }
  }

  deinit { Glibc.close(descriptor) }

  /// The heads of the requests read so far.
  package var heads: [String] { seen.withLock { $0 } }

  /// Whether the peer was seen to close, and not just to be silent or to break off.
  package var hasEnded: Bool { sawEnd.load(ordering: .acquiring) }

  /// Ends the connection both ways.
  package func cut() {
    isCut.withLock { isCut in
      if !isCut { Glibc.shutdown(descriptor, Int32(SHUT_RDWR)) }
      isCut = true
    }
  }

  /// Reads up to the blank line that ends a request's head; nil when the peer went away.
  package func readHead() -> String? {
    var bytes: [UInt8] = []
    while !bytes.suffix(4).elementsEqual([13, 10, 13, 10]) {
      guard let byte = read(1).first else { return nil }
      bytes.append(byte)
    }
    let head = String(decoding: bytes, as: UTF8.self)
    seen.withLock { $0.append(head) }
    return head
  }

  /// Reads bytes; fewer when the peer went away.
  package func read(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: min(count, 256 * 1024))
    while bytes.count < count {
      let got = recv(descriptor, &block, min(block.count, count - bytes.count), 0)
      if got == 0 { sawEnd.store(true, ordering: .releasing) }
      guard got > 0 else { break }
      bytes += block[..<got]
    }
    return bytes
  }

  /// Waits until the peer closes; what it sends until then is dropped.
  package func waitForEnd() {
    while !read(1).isEmpty {}
  }

  /// Sends bytes.
  ///
  /// - Returns: false where the peer went away.
  @discardableResult
  package func write(_ bytes: some Collection<UInt8>) -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard sent > 0 else { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }

  /// Sends text; its line ends are written as they are.
  package func write(_ text: String) { write(Array(text.utf8)) }

  /// Sends a whole answer with a length.
  package func answer(_ status: String, _ headers: [String] = [], body: String = "") {
    let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + headers
    write(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
  }
}

/// Keeps a connection from programs that other tests start, which would hold it open.
private func keepFromChildren(_ descriptor: Int32) {
  _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
}

/// An address on this machine.
func loopback(port: Int) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = in_port_t(UInt16(port).bigEndian)
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  return address
}

/// Lends an address as the system's calls take it.
func withSocketAddress<Value>(
  of address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Value
) -> Value {
  withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
}
