/// C strings that libwebsockets is given and keeps pointers to; they live as long as this does.
final class KeptStrings {
  private var strings: [UnsafeMutablePointer<CChar>] = []

  deinit {
    for string in strings { string.deallocate() }
  }

  /// A copy of a text, nil where there is none.
  func keep(_ text: String?) -> UnsafePointer<CChar>? {
    guard let text else { return nil }
    let bytes = text.utf8CString
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    copy.initialize(from: Array(bytes), count: bytes.count)
    strings.append(copy)
    return UnsafePointer(copy)
  }
}
