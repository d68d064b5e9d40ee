/// Finds one field of a JSON object without decoding anything.
///
/// A state's queue can be tens of megabytes, and the position in its head must not wait for it.
/// One pass over the bytes, aware of strings, escapes and nesting; it allocates nothing and does
/// not recurse, so no text can overflow its stack. It does not validate: the decoders do.
struct JSONSplitter {
  /// The bytes of the field's value.
  var value: Range<Int>
  /// The bytes to cut out so that what remains is an object again: key, value and one comma.
  var field: Range<Int>

  /// Finds the last field of a name in the outermost object.
  ///
  /// - Parameters:
  ///   - name: the field's name, as written: a name with escapes is not found.
  ///   - bytes: a JSON text.
  init?(field name: StaticString, in bytes: [UInt8]) {
    let found = bytes.withUnsafeBytes { text in
      name.withUTF8Buffer { Self.find(UnsafeRawBufferPointer($0), in: text) }
    }
    guard let found else { return nil }
    self = found
  }

  private init(value: Range<Int>, field: Range<Int>) {
    self.value = value
    self.field = field
  }

  private static func find(
    _ name: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer
  ) -> JSONSplitter? {
    var found: JSONSplitter?
    var depth = 0
    var index = 0
    var comma: Int?  // the comma before the current outermost field
    var key: Int?  // where the key starts that was just named and asked for
    var start = 0  // where its value starts
    while index < text.count {
      switch text[index] {
      case UInt8(ascii: "\""):
        let end = endOfString(from: index, in: text)
        if depth == 1, key == nil, matches(name, text, index + 1, end - 1),
          let colon = skipBlanks(end, in: text), text[colon] == UInt8(ascii: ":")
        {
          key = index
          start = colon + 1
        }
        index = end
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0, let key {
          found = cut(key: key, start: start, end: index, before: comma, after: nil, in: text)
        }
        if depth <= 0 { return found }
      case UInt8(ascii: ","):
        guard depth == 1 else { break }
        if let key {
          found = cut(key: key, start: start, end: index, before: comma, after: index, in: text)
        }
        key = nil
        comma = index
      default: break
      }
      index += 1
    }
    return nil  // the object never ends: let the decoder say so
  }

  /// The index behind the closing quote, or the end of the text.
  private static func endOfString(from quote: Int, in text: UnsafeRawBufferPointer) -> Int {
    var index = quote + 1
    while index < text.count {
      switch text[index] {
      case UInt8(ascii: "\\"): index += 2
      case UInt8(ascii: "\""): return index + 1
      default: index += 1
      }
    }
    return text.count
  }

  private static func skipBlanks(_ index: Int, in text: UnsafeRawBufferPointer) -> Int? {
    var index = index
    while index < text.count {
      switch text[index] {
      case 0x20, 0x09, 0x0A, 0x0D: index += 1
      default: return index
      }
    }
    return nil
  }

  private static func matches(
    _ name: UnsafeRawBufferPointer, _ text: UnsafeRawBufferPointer, _ start: Int, _ end: Int
  ) -> Bool {
    end - start == name.count && text[start..<end].elementsEqual(name)
  }

  private static func cut(
    key: Int, start: Int, end: Int, before: Int?, after: Int?, in text: UnsafeRawBufferPointer
  ) -> JSONSplitter {
    var first = start
    var last = end
    while first < last, text[first] <= 0x20 { first += 1 }
    while first < last, text[last - 1] <= 0x20 { last -= 1 }
    let field =
      if let before { before..<end } else if let after { key..<(after + 1) } else { key..<end }
    return JSONSplitter(value: first..<last, field: field)
  }
}
