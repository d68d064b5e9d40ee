import Synchronization

/// How far something has come, on standard error: one line that is redrawn on a terminal, and
/// elsewhere a line now and then.
///
/// ```swift
/// let bar = ProgressBar(console, label: Printable.escaped(name))
/// bar.update(0.4, detail: "1.2 MB/s")
/// bar.clear()
/// ```
///
/// Threading: from anywhere; drawn ten times a second at most, however often it is updated.
final class ProgressBar: Sendable {
  private struct State {
    var line = ""
    var isDrawn = false
    var lastAt: ContinuousClock.Instant
    var lastPart = 0.0
  }

  private let console: Console
  private let label: String
  private let isRedrawn: Bool
  private let now: @Sendable () -> ContinuousClock.Instant
  private let state: Mutex<State>

  /// Shows nothing yet.
  ///
  /// - Parameters:
  ///   - console: where it is shown; a quiet one shows nothing.
  ///   - label: what it is about, fit for a terminal.
  ///   - now: the clock.
  init(
    _ console: Console, label: String,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.console = console
    self.label = label
    self.now = now
    isRedrawn = console.canRedraw
    state = Mutex(State(lastAt: isRedrawn ? now() - .seconds(1) : now()))
  }

  /// Says how far it is.
  ///
  /// - Parameters:
  ///   - part: 0 to 1; nil where nobody knows how much there is.
  ///   - detail: more that is known, such as a speed; fit for a terminal.
  func update(_ part: Double?, detail: String = "") {
    guard !console.isQuiet else { return }
    let now = now()
    state.withLock { state in
      let waited = now - state.lastAt
      guard isRedrawn else {
        let step = (part ?? 0) - state.lastPart
        guard waited >= .seconds(10) || (step > 0.099 && waited >= .seconds(1)) else { return }
        state.lastAt = now
        state.lastPart = part ?? 0
        let texts = [label, part.map(Self.percent) ?? "", detail].filter { !$0.isEmpty }
        return console.note(texts.joined(separator: "  "))
      }
      guard waited >= .milliseconds(100) || part == 1 else { return }
      state.lastAt = now
      let columns = (console.errorTerminal?.columns ?? 80) - 1
      state.line = Self.line(
        label, part, detail, columns: columns, isPlain: !console.writesUnicode)
      draw(&state)
    }
  }

  /// Writes a line above the bar, which stays.
  func note(_ line: String) {
    state.withLock { state in
      wipe(&state)
      console.note(line)
      if !state.line.isEmpty { draw(&state) }
    }
  }

  /// Takes the bar away.
  func clear() {
    state.withLock { state in
      wipe(&state)
      state.line = ""
    }
  }

  private func draw(_ state: inout State) {
    console.prompt("\r\(state.line)\u{1B}[K")
    state.isDrawn = true
  }

  private func wipe(_ state: inout State) {
    if state.isDrawn { console.prompt("\r\u{1B}[K") }
    state.isDrawn = false
  }

  // MARK: - The line

  /// ` 42 %`, always of the same width; 100 only at the very end.
  private static func percent(_ part: Double) -> String {
    let percent = Int(clamped(part) * 100)
    return Printable.padded("\(percent) %", to: 5, alignment: .right)
  }

  private static func clamped(_ part: Double) -> Double { part > 0 ? min(part, 1) : 0 }

  /// One line that fits so many columns; pure.
  ///
  /// - Parameters:
  ///   - label: shortened first where there is too little room.
  ///   - part: 0 to 1, or nil for a bar without a length.
  ///   - detail: left out where there is no room.
  ///   - columns: how many it may take.
  ///   - isPlain: whether only ASCII may be written.
  /// - Returns: the line.
  static func line(
    _ label: String, _ part: Double?, _ detail: String, columns: Int, isPlain: Bool
  ) -> String {
    let percent = part.map(Self.percent) ?? ""
    var tail = percent
    if !detail.isEmpty, columns >= 40 + Printable.width(detail) {
      tail += (tail.isEmpty ? "" : "  ") + detail
    }
    let length = part == nil ? 0 : min(20, (columns - 24) / 2)
    if length >= 5, let part {
      let full = Int(clamped(part) * Double(length))
      let (filled, empty) = isPlain ? ("#", "-") : ("█", "░")
      let bar =
        String(repeating: filled, count: full) + String(repeating: empty, count: length - full)
      tail = "\(isPlain ? "[\(bar)]" : bar) \(tail)"
    }
    let room = max(0, columns - Printable.width(tail) - 2)
    let name = Printable.truncated(label, to: room)
    return name.isEmpty ? tail : "\(name)  \(tail)"
  }
}

extension Console {
  /// Whether a line on standard error can be redrawn: a terminal that is not dumb.
  var canRedraw: Bool { errorTerminal != nil && environment["TERM"] != "dumb" }

  /// Whether the locale writes more than ASCII.
  var writesUnicode: Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty }
    let name = (locale ?? "").lowercased()
    return name.hasSuffix("utf-8") || name.hasSuffix("utf8")
  }
}
