import Synchronization

/// Several bars below each other on a terminal's standard error, redrawn in their place.
///
/// Threading: from anywhere.
final class BarStack: Sendable {
  /// One of them; its texts are fit for a terminal.
  struct Bar: Sendable {
    /// What it is about.
    var label: String
    /// 0 to 1; nil where nobody knows how much there is.
    var part: Double?
    /// More that is known, such as a speed.
    var detail = ""
  }

  private let console: Console
  /// The lines that are drawn.
  private let drawn = Mutex<[String]>([])

  /// Shows nothing yet; for a console that `canRedraw`.
  init(_ console: Console) { self.console = console }

  /// Draws the bars in the place of the last ones; the last bar is left where there is room for few.
  func draw(_ bars: [Bar]) {
    guard !console.isQuiet, let terminal = console.errorTerminal else { return }
    let fitting = bars.suffix(max(1, terminal.rows - 1))
    let isPlain = !console.writesUnicode
    let lines = fitting.map {
      ProgressBar.line(
        $0.label, $0.part, $0.detail, columns: terminal.columns - 1, isPlain: isPlain)
    }
    drawn.withLock { drawn in
      guard lines != drawn else { return }
      console.prompt(Self.start(of: drawn) + Self.text(lines))
      drawn = lines
    }
  }

  /// Writes a line above the bars, which stay.
  func note(_ line: String) {
    drawn.withLock { drawn in
      if !drawn.isEmpty { console.prompt(Self.start(of: drawn) + "\u{1B}[J") }
      console.note(line)
      if !drawn.isEmpty { console.prompt(Self.text(drawn)) }
    }
  }

  /// Takes the bars away.
  func clear() {
    drawn.withLock { drawn in
      if !drawn.isEmpty { console.prompt(Self.start(of: drawn) + "\u{1B}[J") }
      drawn = []
    }
  }

  /// Back to the first of these lines.
  private static func start(of lines: [String]) -> String {
    lines.count > 1 ? "\r\u{1B}[\(lines.count - 1)A" : "\r"
  }

  private static func text(_ lines: [String]) -> String {
    lines.map { "\($0)\u{1B}[K" }.joined(separator: "\n") + (lines.isEmpty ? "" : "\u{1B}[J")
  }
}
