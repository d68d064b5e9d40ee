/// What stands at the bottom of a terminal: the now-playing line, and below it the typed line.
///
/// Everything else appears above both.
///
/// Threading: from anywhere; what is shown in one call stays together.
protocol PromptScreen: Sendable {
  /// The lines typed, for one reader; `quit` where the keyboard says that this is the end.
  var lines: AsyncStream<String> { get }

  /// Shows lines above, without a line end.
  func show(_ text: String)
  /// Shows the now-playing line, fit for a terminal and narrower than it.
  func draw(status: String)
  /// Whether the next line answers a question, which another mark before it tells.
  func expectAnswer(_ isAnswer: Bool)
  /// Takes the bottom lines away and gives the terminal back.
  func close()
}

/// The marks before the line being typed.
enum PromptMark {
  static let command = "> "
  static let answer = "[y/n] "
}
