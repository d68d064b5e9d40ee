/// Cuts a JSON array into its elements while its text arrives in pieces.
///
/// A library can be tens of megabytes: only the element that a piece ends in the middle of is kept.
/// The outermost array is checked, what stands between its commas is not: that is the decoder's.
///
/// ```swift
/// var elements = JSONElements()
/// for piece in pieces { try elements.take(piece) { tracks.append(decode($0)) } }
/// try elements.finish()
/// ```
package struct JSONElements: Sendable {
  /// Why a text is no array, or not a whole one.
  package enum Failure: Error, Equatable, Sendable {
    /// It begins otherwise, or has something between or after its elements that JSON does not know.
    case notAnArray
    /// It ends before its closing bracket.
    case endsEarly
    /// One element is larger than `elementLimit`.
    case elementTooLarge
  }

  /// The largest element that is taken, in bytes.
  package static let elementLimit = 4 << 20

  private enum Place {
    /// Before the opening bracket.
    case start
    /// Behind the opening bracket.
    case first
    /// Behind a comma.
    case next
    /// In a text, a number or a word at the outermost level.
    case scalar
    /// In an object or a list.
    case nested
    /// Behind an element.
    case between
    /// Behind the closing bracket.
    case end
  }

  private var place = Place.start
  private var depth = 0
  private var isInText = false
  private var isEscaped = false
  /// What earlier pieces held of the element that is not whole yet.
  private var beginning: [UInt8] = []

  /// Makes one that has seen nothing.
  package init() {}

  /// Takes the next piece.
  ///
  /// - Parameters:
  ///   - piece: the bytes that follow those of the call before.
  ///   - body: takes the bytes of one element, valid during its call only.
  /// - Throws: `Failure`, or what `body` throws; nothing more is to be taken then.
  package mutating func take(
    _ piece: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var start = 0
    var index = 0
    while index < piece.count {
      switch place {
      case .scalar, .nested:
        guard let end = end(in: piece, from: &index) else { continue }
        try hand(piece[start..<end], of: piece, to: body)
        place = .between
      case .start, .first, .next, .between, .end:
        if try step(piece[index]) { start = index } else { index += 1 }
      }
    }
    guard place == .scalar || place == .nested else { return }
    guard beginning.count + piece.count - start <= Self.elementLimit else {
      throw Failure.elementTooLarge
    }
    beginning.append(contentsOf: piece[start...])
  }

  /// Says that nothing follows.
  ///
  /// - Throws: `Failure` where the array is not closed.
  package func finish() throws(Failure) {
    switch place {
    case .end: return
    case .start: throw .notAnArray
    case .first, .next, .scalar, .nested, .between: throw .endsEarly
    }
  }

  // MARK: - Between elements

  /// Takes a byte outside of elements; true where an element begins with it, which is not taken.
  private mutating func step(_ byte: UInt8) throws(Failure) -> Bool {
    if byte == 0x20 || (0x09...0x0D).contains(byte) { return false }
    switch (place, byte) {
    case (.start, UInt8(ascii: "[")): place = .first
    case (.between, UInt8(ascii: ",")): place = .next
    case (.first, UInt8(ascii: "]")), (.between, UInt8(ascii: "]")): place = .end
    case (.first, _), (.next, _):
      guard byte != UInt8(ascii: ","), byte != UInt8(ascii: "]"), byte != UInt8(ascii: "}") else {
        throw .notAnArray
      }
      place =
        byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") ? .nested : .scalar
      depth = 0
      return true
    default: throw .notAnArray
    }
    return false
  }

  // MARK: - In an element

  /// Goes on to the element's end, or to the end of the piece; nil for the latter.
  private mutating func end(
    in piece: UnsafeRawBufferPointer, from index: inout Int
  ) -> Int? {
    while index < piece.count {
      let byte = piece[index]
      if isInText {
        skipText(in: piece, from: &index)
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInText = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if place == .scalar { return index }
        depth -= 1
        if depth == 0 {
          index += 1
          return index
        }
      case UInt8(ascii: ","):
        if place == .scalar { return index }
      default: break
      }
      index += 1
    }
    return nil
  }

  /// Goes on behind the closing quote, or to the end of the piece.
  private mutating func skipText(in piece: UnsafeRawBufferPointer, from index: inout Int) {
    if isEscaped {
      isEscaped = false
      index += 1
    }
    var place = index
    while place < piece.count {
      let byte = piece[place]
      place += 1
      if byte == UInt8(ascii: "\"") {
        isInText = false
        break
      }
      guard byte == UInt8(ascii: "\\") else { continue }
      isEscaped = place == piece.count
      place += 1
    }
    index = min(place, piece.count)
  }

  private mutating func hand(
    _ rest: Slice<UnsafeRawBufferPointer>, of piece: UnsafeRawBufferPointer,
    to body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    guard !beginning.isEmpty else { return try body(UnsafeRawBufferPointer(rebasing: rest)) }
    beginning.append(contentsOf: rest)
    defer { beginning.removeAll(keepingCapacity: true) }
    guard beginning.count <= Self.elementLimit else { throw Failure.elementTooLarge }
    try beginning.withUnsafeBytes { try body($0) }
  }
}
