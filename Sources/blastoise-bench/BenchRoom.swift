import Glibc

/// A room of the bench's own: the program's server over the built-in tracks, a signed-in user, and
/// homes in a temporary folder, so that nothing of the user's is touched.
final class BenchRoom {
  private let program: String
  private let server: ChildProcess
  private let folder: String

  /// Starts the server and signs a user up; nil where that fails.
  ///
  /// The environment of this process is changed for all children to come.
  init?(_ program: String) {
    guard let folder = Folder.makeTemporary(), let port = Self.freePort() else { return nil }
    for name in ["HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"] {
      setenv(name, folder, 1)
    }
    setenv("BLASTOISE_SERVER", "http://127.0.0.1:\(port)", 1)
    let music = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    guard
      let server = ChildProcess(
        program, ["serve", "/\(music)/DemoTracks/tracks", "--port", "\(port)"])
    else { return nil }
    self.program = program
    self.server = server
    self.folder = folder
    usleep(1_500_000)
    guard var signup = ChildProcess(program, ["signup", "bench", "--password-stdin"]) else {
      return nil
    }
    signup.type("a password for the bench")
    guard signup.wait().status == 0 else { return nil }
  }

  deinit { Folder.remove(folder) }

  /// Listens to the room on a sink that nobody hears.
  func listen() -> ChildProcess? {
    ChildProcess(program, ["listen", "--output", "null", "--for", "120"])
  }

  /// The control socket of the listener.
  var controlSocket: String { "\(folder)/blastoise/default.sock" }

  /// Does something to the room, such as `pause`.
  func control(_ words: [String]) {
    guard var child = ChildProcess(program, words) else { return }
    _ = child.wait()
  }

  /// A port that nobody listens on just now.
  static func freePort() -> Int? {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard socket >= 0 else { return nil }
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(socket, address, size) == 0 && getsockname(socket, address, &size) == 0
      }
    }
    return isBound ? Int(UInt16(bigEndian: address.sin_port)) : nil
  }
}
