package import Glibc

/// Opens a bare local socket and joins it to a path.
///
/// - Parameters:
///   - path: where the socket stands, or is to stand.
///   - join: `connect` or `bind`.
/// - Returns: the descriptor, which the caller closes.
/// - Throws: `FixtureError` where the system refuses.
package func localSocket(
  _ path: String, _ join: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
) throws -> Int32 {
  let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
  let code = withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      join(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
  guard code == 0 else {
    let reason = errno
    close(descriptor)
    throw FixtureError(path: path, code: reason)
  }
  return descriptor
}
