import Dispatch
import Glibc

/// Looks host names up off the network threads, because `getaddrinfo` blocks.
///
/// libwebsockets of this build would call it on its one thread and hold up all sockets.
enum NameResolver {
  private static let queue = DispatchQueue(label: "resolve", attributes: .concurrent)

  /// Looks a name up and hands over its numeric addresses, in the order to try.
  ///
  /// - Parameters:
  ///   - host: a name or a numeric address.
  ///   - deliver: called once on another thread; an empty list means that the name is unknown.
  static func resolve(_ host: String, deliver: @escaping @Sendable ([String]) -> Void) {
    queue.async { deliver(addresses(of: host)) }
  }

  private static func addresses(of host: String) -> [String] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_ADDRCONFIG
    var list: UnsafeMutablePointer<addrinfo>?
    var code = getaddrinfo(host, nil, &hints, &list)
    if code != 0 {
      // A machine with nothing but a loopback interface has no configured address family.
      hints.ai_flags = 0
      code = getaddrinfo(host, nil, &hints, &list)
    }
    guard code == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var addresses: [String] = []
    var next = list
    while let node = next?.pointee {
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let failed = getnameinfo(
        node.ai_addr, node.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
      if failed == 0 {
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        addresses.append(String(decoding: bytes, as: UTF8.self))
      }
      next = node.ai_next
    }
    return addresses
  }
}
