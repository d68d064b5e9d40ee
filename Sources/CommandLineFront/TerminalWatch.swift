import Dispatch
import Glibc

/// Tells whoever asks for keys to look at the terminal: the window has another size (SIGWINCH), or
/// the program goes on after Ctrl-Z, by `fg` or `bg` (SIGCONT).
///
/// Threading: tells it on a queue of its own.
final class TerminalWatch: Sendable {
  // SAFETY: made in `init`, cancelled in `deinit`; a dispatch source may be used from any thread.
  nonisolated(unsafe) private let sources: [any DispatchSourceSignal]

  /// Watches until it goes.
  init(_ look: @escaping @Sendable () -> Void) {
    let queue = DispatchQueue(label: "terminal")
    sources = [SIGWINCH, SIGCONT].map { signal in
      let source = DispatchSource.makeSignalSource(signal: signal, queue: queue)
      source.setEventHandler(handler: look)
      source.resume()
      return source
    }
  }

  deinit { for source in sources { source.cancel() } }
}
