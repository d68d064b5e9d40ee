import Glibc
import Synchronization

/// Whether the terminal shows what is typed.
///
/// Switched off it outlives the program, so every way out restores it.
enum TerminalEcho {
  private static let saved = Mutex<termios?>(nil)

  /// Hides what is typed from now on.
  static func hide() { clear(tcflag_t(ECHO)) }

  /// Hides what is typed, and hands over each byte as it comes instead of whole lines.
  static func readBytes() { clear(tcflag_t(ECHO | ICANON)) }

  /// Keeps how the terminal is now, for `restore`, while another changes it.
  static func remember() { clear(0) }

  private static func clear(_ flags: tcflag_t) {
    saved.withLock { saved in
      var settings = termios()
      guard saved == nil, tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
      saved = settings
      settings.c_lflag &= ~flags
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    }
  }

  /// Shows it as before.
  static func restore() {
    saved.withLock { settings in
      if var before = settings { tcsetattr(STDIN_FILENO, TCSAFLUSH, &before) }
      settings = nil
    }
  }
}
