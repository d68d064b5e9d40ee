import Glibc

/// A local socket as a client of one line at a time.
struct LocalSocket: ~Copyable {
  private let descriptor: Int32

  /// Connects; nil where nobody listens.
  init?(_ path: String) {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { place in
      place.copyBytes(from: path.utf8.prefix(place.count - 1))
    }
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard code == 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// Writes a line.
  func write(_ line: String) {
    let bytes = Array(line.utf8)
    _ = Glibc.write(descriptor, bytes, bytes.count)
  }

  /// Reads up to the end of a line; false where the other side ends before.
  func readLine() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(descriptor, &bytes, bytes.count)
      guard count > 0 else { return false }
      if bytes[count - 1] == UInt8(ascii: "\n") { return true }
    }
  }
}
