/// A terminal's screen as far as a prompt uses it: letters, moves, erasing, wrapping, scrolling.
struct Screen {
  private(set) var rows: [[Character]]
  private(set) var columns: Int
  private(set) var row = 0
  private(set) var column = 0
  private var saved = (row: 0, column: 0)
  private var pending: [UInt8] = []

  init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = Array(repeating: [], count: rows)
  }

  /// The rows as texts, without the blanks at their ends; those below the last text are left out.
  var lines: [String] {
    var lines = rows.map { row in
      // The second half of a wide letter is an empty cell.
      var text = String(row.filter { $0 != "\u{0}" })
      while text.last == " " { text.removeLast() }
      return text
    }
    while lines.last == "" { lines.removeLast() }
    return lines
  }

  /// A terminal that has another width from now on; nothing is wrapped anew.
  mutating func resize(columns: Int) { self.columns = columns }

  /// Takes what a program writes.
  mutating func write(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { take(byte) }
  }

  private mutating func take(_ byte: UInt8) {
    pending.append(byte)
    if pending[0] == 0x1B { return takeEscape() }
    if byte < 0x20 || byte == 0x7F {
      pending = []
      return control(byte)
    }
    guard let text = String(validating: pending, as: UTF8.self) else { return }
    pending = []
    for character in text { put(character) }
  }

  private mutating func control(_ byte: UInt8) {
    switch byte {
    case 0x08: column = max(0, min(column, columns - 1) - 1)
    case 0x0A: lineFeed()
    case 0x0D: column = 0
    default: break
    }
  }

  private mutating func takeEscape() {
    guard pending.count > 1 else { return }
    switch pending[1] {
    case UInt8(ascii: "7"): saved = (row, column)
    case UInt8(ascii: "8"): (row, column) = saved
    case UInt8(ascii: "["):
      guard pending.count > 2, let last = pending.last, (0x40...0x7E).contains(last) else { return }
      let text = String(decoding: pending[2..<(pending.count - 1)], as: UTF8.self)
      sequence(Character(Unicode.Scalar(last)), text.split(separator: ";").map { Int($0) ?? 0 })
    default: break
    }
    pending = []
  }

  private mutating func sequence(_ final: Character, _ numbers: [Int]) {
    let count = max(1, numbers.first ?? 1)
    column = final == "K" || final == "J" ? column : min(column, columns - 1)
    switch final {
    case "A": row = max(0, row - count)
    case "B": row = min(rows.count - 1, row + count)
    case "C": column = min(columns - 1, column + count)
    case "D": column = max(0, column - count)
    case "G": column = count - 1
    case "H": (row, column) = (count - 1, max(1, numbers.count > 1 ? numbers[1] : 1) - 1)
    case "J":
      if numbers.first == 2 {
        rows = rows.map { _ in [] }
      } else {
        rows[row] = Array(rows[row].prefix(column))
        for below in rows.indices where below > row { rows[below] = [] }
      }
    case "K": rows[row] = Array(rows[row].prefix(column))
    case "P": rows[row].removeSubrange(cells(count))
    case "@": rows[row].insert(contentsOf: blanks(count), at: min(column, rows[row].count))
    default: break
    }
  }

  private func cells(_ count: Int) -> Range<Int> {
    let start = min(column, rows[row].count)
    return start..<min(start + count, rows[row].count)
  }

  private func blanks(_ count: Int) -> [Character] { Array(repeating: " ", count: count) }

  private mutating func put(_ character: Character) {
    let isWide = character.unicodeScalars.contains { (0x2E80...0xFFE6).contains($0.value) }
    let width = isWide ? 2 : 1
    if column + width > columns {
      column = 0
      lineFeed()
    }
    if rows[row].count < column + width {
      rows[row] += blanks(column + width - rows[row].count)
    }
    rows[row][column] = character
    if isWide { rows[row][column + 1] = "\u{0}" }
    column += width
  }

  private mutating func lineFeed() {
    if row + 1 < rows.count {
      row += 1
    } else {
      rows.removeFirst()
      rows.append([])
    }
  }
}
