import Glibc
import Synchronization

/// The system's calls for local sockets, with their facts kept in errors.
enum UnixSocket {
  /// Makes a socket that no child inherits.
  static func make() throws(ControlError) -> Int32 {
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_UNIX, type, 0)
    guard descriptor >= 0 else {
      throw .system(operation: "make", path: "a local socket", code: errno)
    }
    return descriptor
  }

  /// Connects or binds by a path, which fits (`ControlPlace`).
  ///
  /// - Returns: 0, or the `errno`.
  static func call(
    _ function: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32, _ descriptor: Int32,
    _ path: String
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { place in
      place.copyBytes(from: path.utf8.prefix(place.count - 1))
    }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        function(descriptor, pointer, length) == 0 ? 0 : errno
      }
    }
  }

  /// The user at the other end; nil where the system does not say.
  static func peer(of descriptor: Int32) -> (pid: pid_t, user: uid_t)? {
    // struct ucred: process, user, group.
    var credentials: (pid_t, uid_t, gid_t) = (0, 0, 0)
    var length = socklen_t(MemoryLayout.size(ofValue: credentials))
    guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else {
      return nil
    }
    return (credentials.0, credentials.1)
  }

  /// Makes reads and writes return at once.
  static func makeNonBlocking(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }

  /// Writes without waiting and without a signal.
  ///
  /// - Returns: how much was taken, 0 where nothing is at the moment; nil where the line is dead.
  static func send(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int? {
    let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
    while true {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, flags)
      }
      if count >= 0 { return count }
      if errno == EAGAIN || errno == EWOULDBLOCK { return 0 }
      if errno != EINTR { return nil }
    }
  }
}

/// Wakes a thread that waits in `poll`.
final class PollWaker: Sendable {
  /// What to poll for input.
  let reading: Int32
  /// Whether the thread is to end.
  let isStopping = Atomic(false)
  private let writing: Int32

  init() throws(ControlError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw .system(operation: "make", path: "a pipe", code: errno)
    }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      UnixSocket.makeNonBlocking(end)
    }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    close(reading)
    close(writing)
  }

  /// Wakes it; a full pipe wakes too.
  func wake() {
    var byte: UInt8 = 1
    _ = write(writing, &byte, 1)
  }

  /// Takes what has woken it.
  func drain() {
    var bytes = [UInt8](repeating: 0, count: 256)
    while read(reading, &bytes, bytes.count) == bytes.count {}
  }
}
