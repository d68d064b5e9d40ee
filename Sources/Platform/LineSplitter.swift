/// Cuts bytes into lines.
struct LineSplitter {
  /// The bytes of the longest line.
  let limit: Int
  private var rest: [UInt8] = []

  init(limit: Int) {
    self.limit = limit
  }

  /// Takes bytes and hands over each line that is complete; what is over the limit is dropped.
  mutating func take(_ bytes: ArraySlice<UInt8>, _ body: (String) -> Void) {
    var bytes = bytes
    while let end = bytes.firstIndex(of: 10) {
      rest += bytes[..<end]
      finish(body)
      bytes = bytes[(end + 1)...]
    }
    if rest.count + bytes.count <= limit { rest += bytes }
  }

  /// Hands over the last line, which may have no end.
  mutating func finish(_ body: (String) -> Void) {
    if rest.last == 13 { rest.removeLast() }
    if !rest.isEmpty { body(String(decoding: rest, as: UTF8.self)) }
    rest.removeAll(keepingCapacity: true)
  }
}
