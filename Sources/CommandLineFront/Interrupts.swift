import Synchronization

/// Who is told first of Ctrl-C: something that can be given up without ending the program.
final class Interrupts: Sendable {
  private let handler = Mutex<(@Sendable () -> Bool)?>(nil)

  /// Sets who is told; it says whether there was something to give up.
  func set(_ new: (@Sendable () -> Bool)?) { handler.withLock { $0 = new } }

  /// Whether a Ctrl-C has given something up, so that the program goes on.
  func take() -> Bool {
    let current = handler.withLock { $0 }
    return current?() ?? false
  }
}
