/// Rows of cells as lines that stand below each other; pure.
///
/// On a terminal the lines fit: the widest columns that may shrink do, their texts cut with an
/// ellipsis. Elsewhere every text is whole.
struct Columns {
  /// One column.
  struct Column {
    var alignment = Printable.Alignment.left
    /// Whether it gives way on a narrow terminal.
    var shrinks = false

    static let text = Column(shrinks: true)
    static let word = Column()
    static let number = Column(alignment: .right)
  }

  /// What shrinks keeps so many columns.
  private static let least = 8
  private static let gap = "  "

  var columns: [Column]
  /// The cells, fit for a terminal (`Printable.escaped`); a row has a cell a column.
  var rows: [[String]]

  /// The lines, without blanks at their ends.
  ///
  /// - Parameter terminal: nil where the lines go to a file or a program.
  /// - Returns: a line a row.
  func lines(on terminal: Console.Terminal?) -> [String] {
    let widths = fitted(natural, to: terminal?.columns)
    return rows.map { row in
      var line = ""
      for (index, cell) in row.enumerated() {
        if index > 0 { line += Self.gap }
        let isCut = terminal != nil && columns[index].shrinks
        let text = isCut ? Printable.truncated(cell, to: widths[index]) : cell
        line += filled(text, to: widths[index], columns[index].alignment)
      }
      return trimmed(line)
    }
  }

  private var natural: [Int] {
    columns.indices.map { index in rows.map { Printable.width($0[index]) }.max() ?? 0 }
  }

  private func fitted(_ widths: [Int], to total: Int?) -> [Int] {
    guard let total else { return widths }
    var widths = widths
    var excess = widths.reduce(0, +) + Self.gap.count * max(0, widths.count - 1) - total
    while excess > 0 {
      let shrinking = widths.indices.filter { columns[$0].shrinks && widths[$0] > Self.least }
      guard let widest = shrinking.max(by: { widths[$0] < widths[$1] }) else { break }
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }

  private func filled(_ text: String, to width: Int, _ alignment: Printable.Alignment) -> String {
    let blanks = String(repeating: " ", count: max(0, width - Printable.width(text)))
    return alignment == .left ? text + blanks : blanks + text
  }

  private func trimmed(_ line: String) -> String {
    var line = line
    while line.last == " " { line.removeLast() }
    return line
  }
}
