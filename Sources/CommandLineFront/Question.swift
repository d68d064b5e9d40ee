extension CommandContext {
  /// Asks before something that is not easily undone.
  ///
  /// Only somebody at a terminal is asked; elsewhere `--yes` must have answered already.
  ///
  /// - Parameter question: what would be done, without the question mark: `delete "Evening"`.
  /// - Returns: whether to go on; where not, that nothing was done has been said.
  /// - Throws: `Diagnostic` of the code `needs_yes` where nobody is there to answer.
  func agrees(to question: String) async throws(Diagnostic) -> Bool {
    if invocation.has(.yes) { return true }
    guard console.canAsk else {
      throw Diagnostic(
        .needsYes, "nobody is there to be asked: \(question)?", hint: "--yes answers it")
    }
    let answer = await console.ask("\(question)? [y/N] ")
    if ["y", "yes"].contains(answer?.lowercased()) { return true }
    console.note("nothing was done")
    return false
  }
}
