import Glibc

/// Cuts a stream of bytes into lines, of a bounded length.
package struct LineSplitter: Sendable {
  /// The longest line, without its end.
  package let limit: Int
  /// Whether a line was longer than that: nothing more can be made of the stream.
  package private(set) var isOverrun = false

  private var bytes: [UInt8] = []
  /// Where the next line starts.
  private var start = 0
  /// Up to where no line end was found.
  private var looked = 0

  /// Makes a splitter.
  ///
  /// - Parameter limit: the longest line that is taken.
  package init(limit: Int) { self.limit = limit }

  /// Takes bytes as they came.
  package mutating func append(_ more: some Collection<UInt8>) {
    guard !isOverrun else { return }
    if start > 0 {
      bytes.removeFirst(start)
      looked -= start
      start = 0
    }
    bytes += more
  }

  /// The next whole line, without its end and a carriage return before it; nil where there is none.
  ///
  /// Empty lines are passed over.
  package mutating func next() -> [UInt8]? {
    while !isOverrun {
      guard let end = lineEnd else {
        looked = bytes.count
        if bytes.count - start > limit { overrun() }
        return nil
      }
      let line = bytes[start..<end]
      start = end + 1
      looked = start
      guard line.count <= limit else { break }
      let text = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      if !text.isEmpty { return Array(text) }
    }
    overrun()
    return nil
  }

  /// The index of the next line's end, behind what was looked at.
  private var lineEnd: Int? {
    bytes.withUnsafeBytes { text in
      guard looked < text.count, let rest = text.baseAddress?.advanced(by: looked) else {
        return nil
      }
      return memchr(rest, 0x0A, text.count - looked).map { looked + rest.distance(to: $0) }
    }
  }

  private mutating func overrun() {
    isOverrun = true
    bytes = []
    start = 0
    looked = 0
  }
}
