/// How much of a track's bytes are here, a segment a part of the file: here, begun, or to come.
enum BufferBar {
  /// The bar, `[####--..]`.
  ///
  /// - Parameter segments: how much of each part is here, from 0 to 1; they fill in any order.
  /// - Returns: a bar of empty segments where nothing is known.
  static func text(_ segments: [Double]) -> String {
    guard !segments.isEmpty else { return "[" + String(repeating: ".", count: 20) + "]" }
    return "[" + segments.map { $0 >= 1 ? "#" : $0 > 0 ? "-" : "." }.joined() + "]"
  }
}
