import Testing

@testable import CommandLineFront

@Suite struct ColumnsTests {
  private let table = Columns(
    columns: [.number, .text, .word],
    rows: [["1", "a", "x"], ["20", "雪が降る雪が降る雪が降る", ""], ["3", "long and longer text", "y"]])

  @Test func `off a terminal every text is whole, and no line ends in blanks`() {
    #expect(
      table.lines(on: nil) == [
        " 1  a                         x", "20  雪が降る雪が降る雪が降る",
        " 3  long and longer text      y",
      ])
  }

  @Test(arguments: 16...60)
  func `on a terminal no line is wider than it`(columns: Int) {
    for line in table.lines(on: .init(columns: columns, rows: 24)) {
      #expect(Printable.width(line) <= columns, "\(line)")
    }
  }

  @Test func `what can't shrink stays whole on the narrowest terminal`() {
    let lines = table.lines(on: .init(columns: 1, rows: 24))
    #expect(lines[2] == " 3  long an…  y")
  }
}
