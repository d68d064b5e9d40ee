import Glibc
import Synchronization

/// Whether the terminal shows what is typed.
///
/// Switched off it outlives the program, so every way out restores it.
enum TerminalEcho {
  /// How the terminal was, and what has been cleared of it.
  private static let saved = Mutex<(before: termios, cleared: tcflag_t)?>(nil)

  /// Hides what is typed from now on.
  static func hide() { clear(tcflag_t(ECHO)) }

  /// Hides what is typed, and hands over each byte as it comes instead of whole lines.
  static func readBytes() { clear(tcflag_t(ECHO | ICANON)) }

  /// Keeps how the terminal is now, for `restore`, while another changes it.
  static func remember() { clear(0) }

  /// Whether the terminal gathers lines, whoever has it do so.
  static var gathersLines: Bool {
    var settings = termios()
    return tcgetattr(STDIN_FILENO, &settings) == 0 && settings.c_lflag & tcflag_t(ICANON) != 0
  }

  /// Hides and hands over as before, where a shell has had the terminal in between.
  ///
  /// - Returns: whether there was anything to do.
  @discardableResult
  static func hideAgain() -> Bool {
    saved.withLock { saved in
      var now = termios()
      guard let saved, Keyboard.isOurs, tcgetattr(STDIN_FILENO, &now) == 0,
        now.c_lflag & saved.cleared != 0
      else { return false }
      now.c_lflag &= ~saved.cleared
      return tcsetattr(STDIN_FILENO, TCSADRAIN, &now) == 0
    }
  }

  private static func clear(_ flags: tcflag_t) {
    saved.withLock { saved in
      var settings = termios()
      guard saved == nil, tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
      saved = (settings, flags)
      settings.c_lflag &= ~flags
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    }
  }

  /// Shows it as before; a shell that has the terminal now has set it as it likes.
  static func restore() {
    saved.withLock { saved in
      if var before = saved?.before, Keyboard.isOurs {
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
      }
      saved = nil
    }
  }
}
