import Glibc
import Platform
import Synchronization

/// The prompt without libedit: letters are added at the end of the line and taken from it.
final class PlainPrompt: PromptScreen {
  let lines: AsyncStream<String>

  private let console: Console
  private let screen = Mutex(Screen())

  private struct Screen {
    var status = ""
    var mark = PromptMark.command
    var typed = TypedLine()
    var isDrawn = false
  }

  /// Takes the terminal over.
  init(_ console: Console) {
    self.console = console
    let (lines, typed) = AsyncStream<String>.makeStream()
    self.lines = lines
    TerminalEcho.readBytes()
    readKeys(into: typed)
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
    screen.withLock { erase(&$0) }
    TerminalEcho.restore()
  }

  private func erase(_ screen: inout Screen) {
    guard screen.isDrawn else { return }
    console.prompt("\r\u{1B}[K\u{1B}[1A\r\u{1B}[K")
    screen.isDrawn = false
  }

  private func drawBottom(_ screen: inout Screen) {
    let columns = (console.terminal?.columns ?? 80) - Printable.width(screen.mark) - 2
    // A line longer than the terminal shows its end, where the cursor is.
    var typed = Printable.escaped(screen.typed.text)
    while Printable.width(typed) > max(0, columns) { typed.removeFirst() }
    console.prompt("\(screen.status)\n\(screen.mark)\(typed)")
    screen.isDrawn = true
  }

  private func readKeys(into typed: AsyncStream<String>.Continuation) {
    _ = NamedThread(name: "stdin") { [self] in
      var byte: UInt8 = 0
      while read(STDIN_FILENO, &byte, 1) == 1 {
        switch take(byte) {
        case .changed: break
        case .line(let line): typed.yield(line)
        case .end: typed.yield("quit")
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
