import Glibc

/// Standard input, which a shell may take from us for a while: after Ctrl-Z and `bg` what is typed
/// at the terminal is the shell's.
enum Keyboard {
  /// Whether it may be read, and the terminal written to and set: in the background the system
  /// would stop us for it.
  static var isOurs: Bool {
    isatty(STDIN_FILENO) == 0 || tcgetpgrp(STDIN_FILENO) == getpgrp()
  }

  /// How often one looks whether the shell has given the terminal back; no signal tells.
  static let patience = Duration.milliseconds(500)

  /// Reads what is typed; on a thread that blocks signals, which waits while the keys are not ours.
  ///
  /// - Returns: how many bytes there were; 0 at the end, and where the terminal is gone.
  static func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let count = Glibc.read(STDIN_FILENO, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      if errno == EINTR { continue }
      guard errno == EIO, waitUntilOurs() else { return 0 }
    }
  }

  /// Waits while a shell has the terminal; false where there is no terminal any more.
  private static func waitUntilOurs() -> Bool {
    guard !isOurs else { return false }
    while true {
      let group = tcgetpgrp(STDIN_FILENO)
      if group == -1 { return false }
      if group == getpgrp() { return true }
      poll(nil, 0, Int32(patience / .milliseconds(1)))
    }
  }
}
