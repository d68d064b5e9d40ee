import Glibc
import Platform
import Synchronization

/// The prompt without libedit: letters are added at the end of the line and taken from it.
final class PlainPrompt: PromptScreen {
  let lines: AsyncStream<String>

  private let console: Console
  private let screen = Mutex(Screen())
  private let watch = Mutex<TerminalWatch?>(nil)

  private struct Screen {
    var status = ""
    var mark = PromptMark.command
    var typed = TypedLine()
    /// The two lines as they stand on the terminal.
    var drawn: [String] = []
    /// Whether a shell has the terminal, or has had it since they were drawn.
    var isAway = false
  }

  /// Takes the terminal over.
  init(_ console: Console) {
    self.console = console
    let (lines, typed) = AsyncStream<String>.makeStream()
    self.lines = lines
    TerminalEcho.readBytes()
    readKeys(into: typed)
    watch.withLock { $0 = TerminalWatch { [weak self] in self?.look() } }
  }

  func show(_ text: String) {
    screen.withLock { screen in
      erase(&screen)
      console.print(text)
      drawBottom(&screen)
    }
  }

  func draw(status: String) {
    screen.withLock { screen in
      screen.status = status
      erase(&screen)
      drawBottom(&screen)
    }
  }

  func expectAnswer(_ isAnswer: Bool) {
    screen.withLock { screen in
      screen.mark = isAnswer ? PromptMark.answer : PromptMark.command
      erase(&screen)
      drawBottom(&screen)
    }
  }

  func close() {
    watch.withLock { $0 = nil }
    screen.withLock { erase(&$0) }
    TerminalEcho.restore()
  }

  private func look() {
    screen.withLock { screen in
      erase(&screen)
      drawBottom(&screen)
    }
  }

  private var columns: Int { console.terminal?.columns ?? 80 }

  private func erase(_ screen: inout Screen) {
    screen.isAway = screen.isAway || !Keyboard.isOurs || TerminalEcho.gathersLines
    // Another has written since: nothing of ours stands above the cursor any more.
    if screen.isAway { screen.drawn = [] }
    guard !screen.drawn.isEmpty else { return }
    let rows = screen.drawn.reduce(-1) { $0 + Printable.rows($1, columns: columns) }
    console.prompt("\u{1B}[\(rows)A\r\u{1B}[J")
    screen.drawn = []
  }

  private func drawBottom(_ screen: inout Screen) {
    guard Keyboard.isOurs else { return }
    if screen.isAway { TerminalEcho.hideAgain() }
    screen.isAway = false
    let columns = columns - Printable.width(screen.mark) - 2
    // A line longer than the terminal shows its end, where the cursor is.
    var typed = Printable.escaped(screen.typed.text)
    while Printable.width(typed) > max(0, columns) { typed.removeFirst() }
    // The terminal may have become narrower than the one the line was made for.
    screen.drawn = [Printable.truncated(screen.status, to: self.columns - 1), screen.mark + typed]
    console.prompt(screen.drawn.joined(separator: "\n"))
  }

  private func readKeys(into typed: AsyncStream<String>.Continuation) {
    _ = NamedThread(name: "stdin") { [self] in
      var block = [UInt8](repeating: 0, count: 256)
      while true {
        let count = block.withUnsafeMutableBytes { Keyboard.read(into: $0) }
        guard count > 0 else { break }
        for byte in block[..<count] {
          switch take(byte) {
          case .changed: break
          case .line(let line): typed.yield(line)
          case .end: typed.yield("quit")
          }
        }
      }
      typed.finish()
    }
  }

  private func take(_ byte: UInt8) -> TypedLine.Outcome {
    screen.withLock { screen in
      let outcome = screen.typed.take(byte)
      erase(&screen)
      // What was sent off stays in sight, above what it leads to.
      if case .line(let line) = outcome, !line.isEmpty {
        console.print(screen.mark + Printable.escaped(line))
      }
      drawBottom(&screen)
      return outcome
    }
  }
}
