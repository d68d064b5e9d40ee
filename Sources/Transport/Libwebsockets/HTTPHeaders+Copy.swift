extension HTTPHeaders {
  /// Puts the lines into the head that libwebsockets is writing.
  ///
  /// - Parameters:
  ///   - place: where the next line begins.
  ///   - room: the bytes there are from there on.
  /// - Returns: how many bytes the lines take, nil where they don't fit.
  func copy(to place: UnsafeMutableRawPointer, room: Int) -> Int? {
    let bytes = Array(lines.utf8)
    guard bytes.count < room else { return nil }
    place.copyMemory(from: bytes, byteCount: bytes.count)
    return bytes.count
  }
}
