/// One letter outside of ASCII in a text of UTF-8.
package struct UTF8Letter {
  /// The scalar's value.
  package let value: UInt32
  /// Where the next one begins.
  package let end: Int

  /// Reads the letter whose first byte stands at a place.
  ///
  /// - Parameters:
  ///   - start: the place of a byte above 0x7F that begins a letter.
  ///   - text: valid UTF-8, as every `String` holds it.
  package init(at start: Int, of text: UnsafeBufferPointer<UInt8>) {
    let first = UInt32(text[start])
    var value = first & (first < 0xE0 ? 0x1F : first < 0xF0 ? 0x0F : 0x07)
    let end = start + (first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4)
    for place in (start + 1)..<end { value = value << 6 | UInt32(text[place] & 0x3F) }
    self.value = value
    self.end = end
  }
}
