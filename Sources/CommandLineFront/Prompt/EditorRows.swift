#if LineEditing
  /// Where the cursor stands below the first row of an edited line; pure.
  ///
  /// libedit does not tell, so its own arithmetic is done again: a scalar takes what wcwidth(3) says,
  /// which is an argument here, a control character two columns (`^A`), one that can't be shown seven
  /// or eight (`\U+0378`); a wide one that does not fit goes to the next row whole.
  struct EditorRows {
    /// The row, from 0.
    private(set) var row = 0

    private let columns: Int
    private let width: (Unicode.Scalar) -> Int
    private var column = 0

    /// At the left end of the first row of a terminal.
    init(columns: Int, width: @escaping (Unicode.Scalar) -> Int) {
      self.columns = max(2, columns)
      self.width = width
    }

    /// Goes on over a text.
    mutating func add(_ text: String) {
      for scalar in text.unicodeScalars { add(scalar) }
    }

    /// Goes on over a scalar.
    mutating func add(_ scalar: Unicode.Scalar) {
      if scalar.value < 0x20 || scalar.value == 0x7F {
        for _ in 0..<2 { advance(1) }
        return
      }
      let width = width(scalar)
      if width < 0 {
        for _ in 0..<(scalar.value > 0xFFFF ? 8 : 7) { advance(1) }
      } else {
        advance(width)
      }
    }

    /// Stands before a scalar: on the next row already where it is too wide for the rest of this.
    mutating func stand(before scalar: Unicode.Scalar) {
      if column + width(scalar) > columns { next() }
    }

    private mutating func advance(_ width: Int) {
      if column + width > columns { next() }
      column += width
      if column >= columns { next() }
    }

    private mutating func next() {
      row += 1
      column = 0
    }
  }
#endif
