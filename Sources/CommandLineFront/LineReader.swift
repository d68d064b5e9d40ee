import Glibc
import Platform

/// The lines of standard input, read on a thread of their own.
///
/// The thread blocks in a read for as long as nothing comes; it is never joined, the process ends
/// without it.
enum LineReader {
  /// Starts reading.
  ///
  /// - Parameter limit: how many lines at most; what follows stays unread by us.
  /// - Returns: the lines without their ends; finishes at the end of input.
  static func lines(limit: Int = .max) -> AsyncStream<String> {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    _ = NamedThread(name: "stdin") {
      for _ in 0..<limit {
        guard let line = nextLine() else { break }
        continuation.yield(line)
      }
      continuation.finish()
    }
    return stream
  }

  /// One line, byte by byte, so that nothing behind it is swallowed; nil at the end.
  private static func nextLine() -> String? {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = withUnsafeMutableBytes(of: &byte) { Keyboard.read(into: $0) }
      if count == 0 { return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self) }
      if byte == UInt8(ascii: "\n") {
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
      }
      bytes.append(byte)
    }
  }
}
